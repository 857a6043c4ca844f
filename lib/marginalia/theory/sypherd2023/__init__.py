"""Claims of *Smoothly Giving Up: Robustness for Simple Models* (Sypherd et al., AISTATS 2023)."""

from marginalia.theory.sypherd2023 import bifurcation, gradient_bounds, long_servedio, loss, simulations, theorem_1

__all__ = ["bifurcation", "gradient_bounds", "long_servedio", "loss", "simulations", "theorem_1"]
