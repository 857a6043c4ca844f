"""Claims of *Being Properly Improper* (Sypherd, Nock and Sankar, ICML 2022)."""

from marginloss.theory.sypherd2022 import divergences, gains, links, pilboost, tilts

__all__ = ["divergences", "gains", "links", "pilboost", "tilts"]
