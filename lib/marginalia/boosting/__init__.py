"""Boosters: one loop, many weight functions."""
