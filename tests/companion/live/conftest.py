"""A hundred settings of each figure, drawn at random but always the same, and a WebAssembly engine to try them in."""

import numpy as np
import pytest

from marginloss.companion.live.figures import GAMMA
from marginloss.datasets import make_long_servedio

N_SETTINGS = 100


def drag(rng, i):
    n = int(rng.integers(2, 50))
    x, y = rng.uniform(-1.6, 1.6, (2, n)), rng.choice([-1.0, 1.0], n)
    first, second = [(0.0, 1.0), (1.0, 3.0), (0.0, 3.0), (1.0, 1.0)][i] if i < 4 else rng.uniform([0, 1], [1, 3])
    family = i % 2
    parameters = (family, float(first), float(second)) if family else (0, float(rng.uniform(0.5, 8)), 0.0)
    rows = [np.zeros(n) for _ in range(3)]
    yield "fit_line", (x, y, *parameters, 1e-3, np.zeros((2, 3)), *rows, np.zeros((8, 3)))
    yield "loss_curve", (np.linspace(-6, 6, 121), *parameters, np.zeros(121), np.zeros(121))


def boost(rng, i):
    X, y, kind = make_long_servedio(200, rng, return_kind=True)
    given = np.where(rng.random(200) < rng.uniform(0, 0.4), -y, y)
    order = np.argsort(given, kind="stable")
    alpha, rounds = float([0.5, 1.0, 2.0][i] if i < 3 else rng.uniform(0.5, 20)), int(rng.integers(1, 120))
    signs, base, odds, (raw, weight) = (
        np.ascontiguousarray(X[order].T).astype(np.int8),
        *np.ones((2, 200)),
        np.ones((2, 200)),
    )
    exponent, factor = 1 - 1 / alpha, 2 * alpha if i % 3 == 0 and alpha < 3 else 1.0
    record = np.zeros((10, rounds + 1))
    yield "weigh_odds", (exponent, odds, base, raw, weight, record, 0)
    # the arrays go on from one call to the next, as in the page
    zeros = int(np.sum(given < 0))
    yield "stump_rounds", (signs, zeros, base, False, exponent, factor, 0, rounds, record, odds, raw, weight)
    labels, truth, kinds = given[order].astype(float), y[order].astype(float), kind[order].astype(np.uint8)
    score, right = np.zeros(200), np.zeros((3, rounds))
    done = int(np.argmax(record[0] == 0))  # the last column, or the round that stopped
    yield "replay", (signs, labels, truth, kinds, record, 0, done, exponent, score, weight.copy(), right)


def roll(rng, i):
    alpha, odds = float(rng.uniform(0.6, 3.2)), float(rng.uniform(1.3, 4))
    path = np.zeros((2, 3000))
    path[:, 0] = rng.uniform([-4, -8], [46, 12])
    yield "roll", (alpha, odds, GAMMA, path, np.zeros(5))
    yield "surface", (alpha, odds, GAMMA, np.linspace(-4, 46, 20), np.linspace(-8, 12, 12), np.zeros((13, 20)))
    if i % 10 == 0:
        alphas = np.linspace(float(rng.uniform(0.6, 3.2)), alpha, 10)
        yield "anneal", (alphas, odds, GAMMA, np.zeros((2, 10)), np.zeros((2, 3000)), np.zeros(5))


def poison(rng, i):
    n = int(rng.integers(5, 140))
    x, y = rng.uniform(-0.7, 0.7, (2, n)), rng.choice([-1.0, 1.0], n, p=[0.2, 0.8])
    gamma, kappa, target = (0.0 if i % 2 else 0.1), float(rng.uniform(0.05, 0.5)), float(rng.uniform(0, 0.2))
    rows = np.zeros(2), np.zeros(n), np.zeros(n), np.zeros((2, 200))
    yield "boost_plane", (x, y, 1.0, gamma, kappa, target, 200, *rows)


MAKERS = {"drag": drag, "boost": boost, "roll": roll, "poison": poison}

PAGE = 65536


class Module:
    def __init__(self, code, about):
        import wasmtime

        self.kernels, self.start = about["kernels"], about["memory"]
        engine = wasmtime.Engine()
        self.store = wasmtime.Store(engine)
        module = wasmtime.Module(engine, code)
        self.imports = {entry.name for entry in module.imports}
        pages = wasmtime.Limits(self.start // PAGE + 200, None)
        self.memory = wasmtime.Memory(self.store, wasmtime.MemoryType(pages))
        pointer = wasmtime.GlobalType(wasmtime.ValType.i32(), True)
        stack = wasmtime.Global(self.store, pointer, wasmtime.Val.i32(self.start))
        given = {"__linear_memory": self.memory, "__stack_pointer": stack}
        self.instance = wasmtime.Instance(self.store, module, [given[entry.name] for entry in module.imports])

    def call(self, name, arguments):
        """Run a kernel; arrays are changed in place."""
        kernel, words, arrays, top = self.kernels[name], [], [], self.start + 64
        for kind, value in zip(kernel["takes"], arguments, strict=True):
            if isinstance(kind, list):
                assert value.flags.c_contiguous and value.ndim == kind[2]
                self.memory.write(self.store, value.tobytes(), top)
                words += [0, 0, value.size, value.itemsize, top, *value.shape, *value.strides]
                arrays.append((value, top))
                top += -(-value.nbytes // 64) * 64
            else:
                words.append(float(value) if kind == "f64" else int(value))
        assert self.instance.exports(self.store)[name](self.store, self.start, self.start + 8, *words) == 0
        for value, at in arrays:
            found = np.frombuffer(bytes(self.memory.read(self.store, at, at + value.nbytes)), value.dtype)
            value[...] = found.reshape(value.shape)
        if kernel["gives"] == "none":
            return None
        result = bytes(self.memory.read(self.store, self.start, self.start + 8))
        return np.frombuffer(result, {"f64": "<f8", "i64": "<i8"}[kernel["gives"]])[0].item()


@pytest.fixture(scope="session")
def settings():
    """Pairs of kernel and arguments for a figure; arrays are written into before the next pair is made."""

    def of(figure):
        rng = np.random.default_rng([len(figure), ord(figure[0])])
        for i in range(N_SETTINGS):
            yield from MAKERS[figure](rng, i)

    return of


@pytest.fixture(scope="session")
def engine():
    """Makes of a module and its description something whose kernels can be called, as live.js does."""
    return Module
