from __future__ import annotations

import pytest

from marginalia.experiments import scaled, sweep


def draw(scale, rng):
    return {"x": scale * rng.normal(), "n": int(rng.integers(10))}


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MARGINALIA_CACHE", str(tmp_path))


def test_runs_are_paired_over_grid_points():
    table = sweep(draw, {"scale": [1.0, 2.0]}, seeds=3)
    one, two = (table[table.scale == scale].reset_index() for scale in (1.0, 2.0))
    assert (2 * one.x == two.x).all()
    assert table.columns.tolist() == ["scale", "run", "x", "n"]


def test_scaled_reads_the_environment(monkeypatch):
    monkeypatch.setenv("MARGINALIA_SCALE", "paper")
    assert scaled(quick=1, paper=2) == 2
