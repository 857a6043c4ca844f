"""Experiments of *Smoothly Giving Up: Robustness for Simple Models* (Sypherd et al., AISTATS 2023)."""
