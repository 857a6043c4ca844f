"""Claims of *Smooth Boosting and Learning with Malicious Noise* (Servedio, COLT 2001 and JMLR 2003)."""

from marginloss.theory.servedio2003 import bounds, halfspaces, limits, online, pairing, rounds, variants

__all__ = ["bounds", "halfspaces", "limits", "online", "pairing", "rounds", "variants"]
