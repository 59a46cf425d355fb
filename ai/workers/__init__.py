"""Worker processes that compute for the application: players, trainings, exports and others."""

from typing import Final

ENVIRONMENT: Final = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
}
"""Environment variables set before a worker imports numpy, so that it uses one core."""
