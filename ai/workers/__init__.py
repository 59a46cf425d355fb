"""Worker processes that compute for the application."""

from typing import Final

ENVIRONMENT: Final = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
}
"""Environment set before a worker imports numpy, so that it computes on one core."""
