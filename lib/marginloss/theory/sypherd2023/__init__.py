"""Claims of *Smoothly Giving Up: Robustness for Simple Models* (Sypherd et al., AISTATS 2023).

The mathematics behind the claims can be used on its own: the Long–Servedio landscape in ``long_servedio``, its
stationary points and thresholds in ``bifurcation``, noisy gradients and their bounds in ``gradient_bounds``.
"""

from marginloss.theory.sypherd2023 import loss, search, simulations, theorem_1, theorem_2, theorem_3

__all__ = ["loss", "search", "simulations", "theorem_1", "theorem_2", "theorem_3"]
