"""Scalar twins: every ``X_scalar`` stands in the module of the NumPy formula ``X``, below it, and gives its numbers."""

import importlib
import inspect
import pkgutil

import numpy as np
import pytest

import marginloss

#: Arguments of each formula by name of the parameter; what a formula needs beyond these stands below, under its name.
ANY = {"s": [-9.0, -1.0, -0.3, 0.0, 1e-9, 0.5, 0.7, 1.0]}
POINTS = {
    "log_alpha_weight": {"wrong": [0.0, 1e-300, 0.7, 30.0, 1e6], "right": [0.0, 1e-12, 2.0, 40.0, 1e6]},
    "adaboost_step": {"error": [0.0, 1e-9, 0.2, 0.5, 0.9], "n_classes": [2, 3, 10]},
    "gradient_step": {"factor": [7.0], "density": [0.0, 0.3], "edge": [0.01, 1.0]},
    "alpha_weight_at_odds": {"odds": [0.0, 1e-300, 1e-9, 0.3, 1.0, 7.0, 1e20]},
    "log_pseudo_tail": {"size": [0.0, 1e-9, 0.4, 0.99], "beta": [-3.0, -1.0, -1e-9, 0.0, 1e-6, 0.09, 0.5, 1.0]},
    "pseudo_score": {"size": [0.0, 1e-9, 0.4, 0.99], "beta": [-3.0, -1.0, -1e-9, 0.0, 1e-6, 0.09, 0.5, 1.0]},
    "tempered_powers": {"x": [0.0, 1e-12, 0.3, 1.2, 5.0, 600.0]},
    "power_loss": {"log_p": [-600.0, -40.0, -0.3, -1e-9, -1e-300, -0.0]},
    "log_partition_step": {"delta": [1e-9, 0.3, 4.0], "slope": [0.5, 1.0], "bend": [0.2, 0.9]},
    "entropy_term": {"d": [-1.0, -0.7, -9e-4, 0.0, 1e-9, 5e-4, 0.3, 3.0, 1e4]},
}


def twins():
    found = {}
    for info in pkgutil.walk_packages(marginloss.__path__, "marginloss."):
        if info.name.endswith("__main__") or info.name.startswith("marginloss.companion"):
            continue
        module = importlib.import_module(info.name)
        for name, twin in vars(module).items():
            if name.endswith("_scalar") and getattr(twin, "__module__", info.name) == info.name:
                found[f"{info.name}.{name}"] = module, name.removesuffix("_scalar"), twin
    return found


TWINS = twins()


def test_there_are_twins():
    assert {formula for _, formula, _ in TWINS.values()} == set(POINTS)


@pytest.mark.parametrize("name", TWINS)
def test_twin_stands_directly_below_its_formula(name):
    module, formula, _ = TWINS[name]
    defined = [line.split("(")[0].split()[1] for line in inspect.getsource(module).splitlines() if line[:4] == "def "]
    assert defined[defined.index(f"{formula}_scalar") - 1] == formula


@pytest.mark.parametrize("name", TWINS)
def test_twin_gives_the_numbers_of_its_formula(name):
    module, formula, twin = TWINS[name]
    plain = getattr(module, formula)
    parameters = list(inspect.signature(plain).parameters)
    points = {**ANY, **POINTS[formula]}
    grids = [grid.ravel() for grid in np.meshgrid(*(points[p] for p in parameters))]
    for arguments in zip(*map(np.ndarray.tolist, grids), strict=True):
        with np.errstate(all="ignore"):
            expected = plain(*(np.float64(a) for a in arguments))
        np.testing.assert_allclose(twin(*arguments), expected, rtol=1e-13, err_msg=str(arguments))
