"""Claims of zhai2021, Boosted CVaR Classification, in the order of the book.

``tail`` holds what is about one vector of losses, ``programs`` what is about mixing given models, ``games`` what is
about boosters against learners that do as little as they may, ``practice`` what the paper says about its experiments,
``protected`` who pays, which learner is boosted, and who asks again.
"""

from marginloss.theory.zhai2021 import games, practice, programs, protected, tail

__all__ = ["games", "practice", "programs", "protected", "tail"]
