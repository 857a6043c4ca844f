"""Two public sets of COVID-19 tests; both are stand-ins for a survey that is closed to the public."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from marginloss._validation import check_choice
from marginloss.datasets.tables import bunch_of_table, table_of

__all__ = ["load_covid_carbon", "load_covid_israel"]

_BIASED = ("sore_throat", "shortness_of_breath", "head_ache")
_PERIODS = {"april": "2020-04-30", "november": "2020-11-12"}


def load_covid_carbon(*, return_X_y: bool = False) -> Any:
    """COVID-19 tests of Carbon Health: 71,035 complete rows, 7 features, negative −1 and positive +1 (1.6 %).

    A stand-in for the survey of sypherd2023, with seven of its eight features: age in years (blurred by the
    publisher), loss of smell or taste, short breath, aches, tiredness, cough, fever. Gender is not in the data.
    Visitors of clinics are not respondents of a survey, severe cases were sent elsewhere, and positives are rare: read
    nothing about the disease out of it. Rows with a missing symptom are left out of ``data``; ``frame`` has all 93,995.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(X, y)`` instead of a Bunch.

    Returns
    -------
    Bunch
        ``data``, ``target``, ``feature_names``, ``target_names``, ``frame``, ``licence``, ``source``, ``status``,
        ``DESCR``.

    Raises
    ------
    DatasetNotFound
        If the data are not on this machine; the message says how to get them.
    """
    frame = table_of("covid_carbon")
    symptoms = ["loss_of_smell", "loss_of_taste", "sob", "muscle_sore", "fatigue", "cough", "fever"]
    complete = frame.dropna(subset=symptoms)
    columns = {
        "Age": complete["age"],
        "LossOfSmellTaste": complete[["loss_of_smell", "loss_of_taste"]].max(axis=1),
        "ShortBreath": complete["sob"],
        "Aches": complete["muscle_sore"],
        "Tired": complete["fatigue"],
        "Cough": complete["cough"],
        "Fever": complete["fever"],
    }
    more = {"counted": frame["positive"], "frame": frame}
    return bunch_of_table("covid_carbon", pd.DataFrame(columns), complete["positive"], return_X_y, **more)


def load_covid_israel(
    *,
    period: str = "april",
    features: str = "balanced",
    first: str | None = None,
    last: str | None = None,
    return_X_y: bool = False,
) -> Any:
    """COVID-19 tests of the Israeli Ministry of Health: one row a test, negative −1 and positive +1.

    A second stand-in for the survey of sypherd2023. Rows with another result, or with a missing feature, are left out.
    Sore throat, short breath and headache were recorded far more often for those who were positive; the article that
    published the data leaves them out of its balanced model, and so does ``features="balanced"``.

    Parameters
    ----------
    period : {"april", "november"}, default="april"
        Tests from 11 March 2020 to 30 April (278,848) or to 12 November (2,742,596).
    features : {"balanced", "all"}, default="balanced"
        Cough, fever, male, contact with a confirmed case; or also the three symptoms with biased reports and whether
        the person is over 60, which was often not recorded.
    first, last : str, optional
        Dates such as ``"2020-03-22"`` between which tests are taken, both included.
    return_X_y : bool, default=False
        Return ``(X, y)`` instead of a Bunch.

    Returns
    -------
    Bunch
        ``data``, ``target``, ``feature_names``, ``target_names``, ``frame`` (counts of equal rows, as text),
        ``licence``, ``source``, ``status``, ``DESCR``.

    Raises
    ------
    DatasetNotFound
        If the data are not on this machine; the message says how to get them.
    """
    check_choice("period", period, tuple(_PERIODS))
    check_choice("features", features, ("balanced", "all"))
    frame = table_of("covid_israel", period, dtype=str, keep_default_na=False).astype({"count": np.int64})
    chosen = frame[frame["corona_result"].isin(["negative", "positive"])]
    chosen = chosen[chosen["test_date"].between(first or "2020-03-11", last or _PERIODS[period])]
    needed = ["cough", "fever", "gender", *((*_BIASED, "age_60_and_above") if features == "all" else ())]
    chosen = chosen[(chosen[needed] != "").all(axis=1)]
    columns = {
        "Cough": chosen["cough"] == "1",
        "Fever": chosen["fever"] == "1",
        "Male": chosen["gender"] == "male",
        "Contact": chosen["test_indication"] == "Contact with confirmed",
    }
    if features == "all":
        columns |= {name: chosen[name] == "1" for name in _BIASED} | {"Over60": chosen["age_60_and_above"] == "Yes"}
    rows = chosen.index.repeat(chosen["count"])
    codes = frame["corona_result"].map({"negative": 0, "positive": 1, "other": 2})
    counted = codes.repeat(frame["count"]) if period == "april" else None
    more = {"counted": counted, "frame": frame}
    return bunch_of_table("covid_israel", pd.DataFrame(columns).loc[rows], codes[rows], return_X_y, **more)
