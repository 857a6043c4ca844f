"""Claims of *Smoothly Giving Up: Robustness for Simple Models* (Sypherd et al., AISTATS 2023)."""

from marginalia.theory.sypherd2023 import bifurcation, long_servedio, loss

__all__ = ["bifurcation", "long_servedio", "loss"]
