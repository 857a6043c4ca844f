"""Claims of *Being Properly Improper* (Sypherd, Nock and Sankar, ICML 2022)."""

from marginalia.theory.sypherd2022 import divergences, gains, links, tilts

__all__ = ["divergences", "gains", "links", "tilts"]
