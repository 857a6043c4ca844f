"""What must be set before any test imports the library."""

import os
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

from marginalia.digest import library_digest

# numba does not compile a kernel again when one that it calls, in another file, has changed: a cache for each state
os.environ["NUMBA_CACHE_DIR"] = str(Path(__file__).parents[1] / "_build" / "numba" / library_digest())
