"""What Windows has in the place of POSIX calls about processes; for Windows alone.

Functions of `kernel32.dll`, by ctypes. Import it where it is needed: ctypes takes milliseconds of
each start.
"""

from __future__ import annotations

import ctypes
import sys
from ctypes import wintypes
from typing import Any, Final

QUERY: Final = 0x1000  # PROCESS_QUERY_LIMITED_INFORMATION: also of processes of other users
STILL_ACTIVE: Final = 259
NO_SUCH_PROCESS: Final = 87  # ERROR_INVALID_PARAMETER
BELOW_NORMAL: Final = 0x4000
IDLE: Final = 0x0040
TERMINATE: Final = 0x0001  # PROCESS_TERMINATE
SET_QUOTA: Final = 0x0100  # PROCESS_SET_QUOTA
EXTENDED_LIMITS: Final = 9  # JobObjectExtendedLimitInformation
KILL_ON_CLOSE: Final = 0x2000  # JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE


class _Memory(ctypes.Structure):
    """PROCESS_MEMORY_COUNTERS."""

    _fields_ = (
        ("size", wintypes.DWORD),
        ("faults", wintypes.DWORD),
        ("peak", ctypes.c_size_t),
        ("held", ctypes.c_size_t),
        ("others", ctypes.c_size_t * 6),
    )


class _JobLimits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION."""

    _fields_ = (
        ("times", ctypes.c_int64 * 2),
        ("flags", wintypes.DWORD),
        ("sizes", ctypes.c_size_t * 2),
        ("most_processes", wintypes.DWORD),
        ("affinity", ctypes.c_size_t),
        ("priority", wintypes.DWORD * 2),
        ("counters", ctypes.c_uint64 * 6),
        ("memory", ctypes.c_size_t * 4),
    )


def _kernel() -> Any:
    """Return `kernel32.dll`, whose functions take and return handles."""
    if sys.platform != "win32":
        raise OSError("expected Windows")
    kernel = ctypes.WinDLL("kernel32", use_last_error=True)
    kernel.OpenProcess.restype = kernel.GetCurrentProcess.restype = wintypes.HANDLE
    kernel.OpenProcess.argtypes = (wintypes.DWORD, wintypes.BOOL, wintypes.DWORD)
    kernel.CloseHandle.argtypes = (wintypes.HANDLE,)
    kernel.CreateJobObjectW.restype = wintypes.HANDLE
    kernel.CreateJobObjectW.argtypes = (ctypes.c_void_p, wintypes.LPCWSTR)
    kernel.SetInformationJobObject.argtypes = (
        wintypes.HANDLE, ctypes.c_int, ctypes.c_void_p, wintypes.DWORD,
    )  # fmt: skip
    kernel.AssignProcessToJobObject.argtypes = (wintypes.HANDLE, wintypes.HANDLE)
    kernel.TerminateJobObject.argtypes = (wintypes.HANDLE, wintypes.UINT)
    kernel.SetPriorityClass.argtypes = (wintypes.HANDLE, wintypes.DWORD)
    kernel.GetExitCodeProcess.argtypes = (wintypes.HANDLE, ctypes.POINTER(wintypes.DWORD))
    kernel.GetProcessTimes.argtypes = (
        wintypes.HANDLE,
        *(ctypes.POINTER(wintypes.FILETIME),) * 4,
    )
    kernel.K32GetProcessMemoryInfo.argtypes = (
        wintypes.HANDLE,
        ctypes.POINTER(_Memory),
        wintypes.DWORD,
    )
    return kernel


def start_of(process: int) -> int:
    """Return when a process began, in 100 ns since 1601; together with its id it is unique.

    Args:
        process: id of the process.

    Returns:
        The time; -1 if there is no such process, 0 if Windows does not tell.
    """
    kernel = _kernel()
    handle = kernel.OpenProcess(QUERY, False, process)
    if not handle:
        return -1 if _last_error() == NO_SUCH_PROCESS else 0
    try:
        code = wintypes.DWORD()
        if kernel.GetExitCodeProcess(handle, ctypes.byref(code)) and code.value != STILL_ACTIVE:
            return -1
        times = [wintypes.FILETIME() for _ in range(4)]
        if not kernel.GetProcessTimes(handle, *map(ctypes.byref, times)):
            return 0
        return (times[0].dwHighDateTime << 32) | times[0].dwLowDateTime
    finally:
        kernel.CloseHandle(handle)


def memory_of(process: int) -> int:
    """Return the memory that a process holds, bytes; 0 if it is not known.

    Args:
        process: id of the process.
    """
    kernel = _kernel()
    handle = kernel.OpenProcess(QUERY, False, process)
    if not handle:
        return 0
    try:
        found = _Memory(size=ctypes.sizeof(_Memory))
        is_known = kernel.K32GetProcessMemoryInfo(handle, ctypes.byref(found), found.size)
        return int(found.held) if is_known else 0
    finally:
        kernel.CloseHandle(handle)


def lower_priority(*, is_idle: bool) -> None:
    """Let other processes run before this one.

    Args:
        is_idle: whether it only gets the time that all others leave.
    """
    kernel = _kernel()
    kernel.SetPriorityClass(kernel.GetCurrentProcess(), IDLE if is_idle else BELOW_NORMAL)


class Job:
    """Processes that end together, with all that they start: a job object.

    They end when it is ended, or when this process has ended, whatever ends it.

    Raises:
        OSError: Windows makes none.
    """

    def __init__(self) -> None:
        self._kernel = _kernel()
        self._handle = self._kernel.CreateJobObjectW(None, None)
        limits = _JobLimits(flags=KILL_ON_CLOSE)
        if not self._handle or not self._kernel.SetInformationJobObject(
            self._handle, EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits)
        ):
            raise OSError(_last_error(), "no job object")

    def take(self, process: int) -> None:
        """Take a process in; what it starts from now on is in, too.

        Args:
            process: id of the process.

        Raises:
            OSError: Windows refuses.
        """
        handle = self._kernel.OpenProcess(SET_QUOTA | TERMINATE, False, process)
        if not handle:
            raise OSError(_last_error(), "no such process")
        is_in = self._kernel.AssignProcessToJobObject(self._handle, handle)
        code = _last_error()
        self._kernel.CloseHandle(handle)
        if not is_in:
            raise OSError(code, "the process cannot be taken into a job object")

    def end(self) -> None:
        """End all processes; may be called twice."""
        handle, self._handle = self._handle, None
        if handle:
            self._kernel.TerminateJobObject(handle, 1)
            self._kernel.CloseHandle(handle)


def _last_error() -> int:
    """Return the number of the error of the last call."""
    if sys.platform != "win32":
        return 0
    return ctypes.get_last_error()
