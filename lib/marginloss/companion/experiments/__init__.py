"""Experiments: one package per paper; each function takes one seed and returns numbers."""
