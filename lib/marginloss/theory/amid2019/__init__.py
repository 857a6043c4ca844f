"""Claims of *Two-temperature logistic regression based on the Tsallis divergence* (Amid et al., AISTATS 2019)."""

from marginloss.theory.amid2019 import consistency, functions, iterations, loss, shape, training, tsallis

__all__ = ["consistency", "functions", "iterations", "loss", "shape", "training", "tsallis"]
