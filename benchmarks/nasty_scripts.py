"""The nasty scripts of `benchmarks.corpus_scripts`: each is a module with a component `One`."""

from __future__ import annotations

from typing import Final


def _hook(body: str, top: str = "", hook: str = "update") -> str:
    parameters = "self, dt" if hook.endswith("update") else "self"
    lines = "\n".join(f"        {line}" for line in body.split("\n"))
    return f"{top}\n\nclass One(Script):\n    def {hook}({parameters}):\n{lines}\n"


_BLOCKS: Final = {
    "sleep": ("import time", "time.sleep(1e6)"),
    "lock twice": ("import threading\nlock = threading.Lock()\nlock.acquire()", "lock.acquire()"),
    "accept": ("import socket\ns = socket.socket()\ns.bind(('127.0.0.1', 0))\ns.listen()",
               "s.accept()"),
    "receive": ("import socket\na, b = socket.socketpair()", "a.recv(1)"),
    "pipe": ("import os\nr, w = os.pipe()", "os.read(r, 1)"),
    "select": ("import select, os\nr, w = os.pipe()", "select.select([r], [], [])"),
    "poll": ("import select", "select.poll().poll()"),
    "event": ("import threading", "threading.Event().wait()"),
    "condition": ("import threading\nc = threading.Condition()", "with c: c.wait()"),
    "semaphore": ("import threading", "threading.Semaphore(0).acquire()"),
    "barrier": ("import threading", "threading.Barrier(2).wait()"),
    "queue": ("import queue", "queue.Queue().get()"),
    "simple queue": ("import queue", "queue.SimpleQueue().get()"),
    "join": ("import threading, time\n"
             "t = threading.Thread(target=time.sleep, args=(1e6,), daemon=True)\nt.start()",
             "t.join()"),
    "child": ("import subprocess", "subprocess.run(['sleep', '30'])"),
    "shell": ("import os", "os.system('sleep 4')"),
    "wait for a signal": ("import signal", "signal.pause()"),
    "libc sleep": ("import ctypes", "ctypes.CDLL(None).sleep(1000)"),
    "libc lock": ("import ctypes\nm = (ctypes.c_long * 8)()\n"
                  "take = ctypes.CDLL(None).pthread_mutex_lock", "take(m); take(m)"),
    "fifo": ("import os, tempfile\np = tempfile.mktemp()\nos.mkfifo(p)", "open(p).read()"),
    "asyncio": ("import asyncio", "asyncio.run(asyncio.sleep(1000))"),
    "future": ("import concurrent.futures as f", "f.Future().result()"),
}  # fmt: skip
_COMPUTES: Final = {
    "all of endless": "import itertools; all(itertools.repeat(1))",
    "sum of endless": "import itertools; sum(itertools.repeat(0))",
    "deque of endless": "import itertools, collections; "
    "collections.deque(itertools.repeat(1), maxlen=0)",
    "max of endless": "import itertools; max(itertools.repeat(1))",
    "in endless": "import itertools; 0 in itertools.repeat(1)",
    "backtracking": "import re; re.match(r'(a+)+$', 'a' * 40 + 'b')",
    "power": "10 ** 10 ** 8",
    "factorial": "import math; math.factorial(10 ** 7)",
    "while": "while True: pass",
    "for": "import itertools\nfor n in itertools.count(): pass",
    "comprehension": "import itertools\nany(n < 0 for n in itertools.count())",
    "swallows": "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
    "sort": "import functools\n"
    "sorted(range(10 ** 6), key=functools.cmp_to_key(lambda a, b: sum(range(300))))",
    "recursion": "def f(n): return f(n + 1) + f(n + 1)\nf(0)",
    "recursion without limit": "import sys\nsys.setrecursionlimit(10 ** 9)\n"
    "def f(): return f()\nf()",
    "fibonacci": "def f(n): return 1 if n < 2 else f(n - 1) + f(n - 2)\nf(60)",
    "mutual": "def a(): b()\ndef b(): a()\na()",
    "generator never ends": "def g():\n    while True: yield 1\nfor n in g(): pass",
    "closing generator": "def g():\n    while True:\n        try: yield 1\n"
    "        except GeneratorExit: yield 2\nx = g(); next(x); x.close()",
    "deep repr": "x = []\nfor n in range(100000): x = [x]\nraise ValueError(repr(x)[:10])",
    "huge list": "raise MemoryError",
    "huge text": "raise ValueError('x' * 10 ** 7)",
}
_ENDS: Final = {
    "sys.exit": "import sys; sys.exit()",
    "sys.exit 0": "import sys; sys.exit(0)",
    "sys.exit text": "import sys; sys.exit('bye')",
    "exit": "raise SystemExit",
    "quit": "quit()",
    "interrupt": "raise KeyboardInterrupt",
    "interrupt main": "import _thread; _thread.interrupt_main()",
    "raise signal": "import signal; signal.raise_signal(signal.SIGINT)",
    "terminates itself": "import os, signal; os.kill(os.getpid(), signal.SIGTERM)",
    "generator exit": "raise GeneratorExit",
    "stop iteration": "raise StopIteration",
    "cancelled": "import asyncio; raise asyncio.CancelledError",
    "fork": "import os\nif os.fork() == 0: os._exit(0)\n1 / 0",
    "finish 7": "self.run.finish(7)",
    "finish text": "self.run.finish('x')",
    "closes stdout": "import sys; sys.stdout.close(); 1 / 0",
    "destroys itself": "self.object.destroy(); 1 / 0",
    "os._exit": "import os; os._exit(3)",
    "os._exit 0": "import os; os._exit(0)",
    "abort": "import os; os.abort()",
    "kill": "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    "null": "import ctypes; ctypes.string_at(0)",
    "null write": "import ctypes; ctypes.memset(0, 1, 1)",
    "libc exit": "import ctypes; ctypes.CDLL(None)._exit(4)",
}
_LIES: Final = {
    "str": "class E(Exception):\n    def __str__(self): 1 / 0\nraise E",
    "str exits": "class E(Exception):\n    def __str__(self): raise SystemExit\nraise E",
    "str interrupts": "class E(Exception):\n"
    "    def __str__(self): raise KeyboardInterrupt\nraise E",
    "str endless": "class E(Exception):\n    def __str__(self):\n        while True: pass\nraise E",
    "str sleeps": "import time\nclass E(Exception):\n"
    "    def __str__(self): time.sleep(1e6)\nraise E",
    "str no text": "class E(Exception):\n    def __str__(self): return 3\nraise E",
    "repr": "class R:\n    def __repr__(self): raise KeyboardInterrupt\nr = R(); 1 / 0",
    "repr endless": "class R:\n    def __repr__(self):\n        while True: pass\nr = R(); 1 / 0",
    "surrogate": "raise OSError('a\\udcff')",
    "null letter": "raise ValueError('a\\0b')",
    "escape": "raise ValueError('\\x1b[2J\\x07')",
    "lines": "raise ValueError('a\\n' * 5000)",
    "no name": "raise type('', (Exception,), {})",
    "own metaclass": "class M(type):\n    def __instancecheck__(c, o): 1 / 0\n"
    "class E(Exception, metaclass=M): pass\nraise E",
    "class lies": "class E(Exception):\n    __class__ = property(lambda s: 1 / 0)\nraise E",
    "traceback lies": "class E(Exception):\n    __traceback__ = property(lambda s: 1 / 0)\nraise E",
    "cause loop": "a, b = ValueError(), ValueError()\na.__cause__ = b; b.__cause__ = a\nraise a",
    "group deep": "e = ValueError()\nfor n in range(3000): e = ExceptionGroup('g', [e])\nraise e",
}
_MODULES: Final = {
    "proxy": "class Lazy:\n    def __getattribute__(self, name): raise RuntimeError(name)\n"
    "lazy = Lazy()\n" + _hook("1 / 0"),
    "proxy exits": "class Lazy:\n    def __getattribute__(self, name): raise SystemExit\n"
    "lazy = Lazy()\n" + _hook("1 / 0"),
    "import fault": "1 / 0",
    "import exits": "import sys; sys.exit(0)",
    "import interrupts": "raise KeyboardInterrupt",
    "import endless": "while True: pass",
    "import sleeps": "import time; time.sleep(1e6)",
    "syntax": "def broken(:",
    "null bytes": "x = 1\0",
    "deep syntax": "x = " + "(" * 5000 + ")" * 5000,
    "deep sum": "x = " + "+".join(["1"] * 100_000),
    "not utf-8": "x = '\udcff'",
    "large": "#" * 41_000_000,
    "no class": "x = 1",
    "imports itself": "import scripts.one\n" + _hook("1 / 0"),
    "keras": "import keras",
    "all lies": "__all__ = 3\n" + _hook("1 / 0"),
    "metaclass": "class M(type(Script)):\n    def __call__(cls, *a): 1 / 0\n"
    "    def mro(cls): raise KeyError('mro')\nclass One(Script, metaclass=M): pass",
    "subclass hook": "class B(Script):\n    def __init_subclass__(cls): 1 / 0\nclass One(B): pass",
    "set name": "class D:\n    def __set_name__(self, o, n): raise SystemExit\n"
    "class One(Script):\n    d = D()",
    "slots": "class One(Script):\n    __slots__ = ('object',)",
    "setattr": "class One(Script):\n    def __setattr__(self, n, v): raise KeyboardInterrupt",
    "hash": "class One(Script):\n    __hash__ = None\n    def __eq__(self, o): 1 / 0\n"
    "    def update(self, dt): {self}",
    "bool": "class One(Script):\n    def __bool__(self): raise SystemExit\n"
    "    def update(self, dt): 1 / 0",
    "awake adds itself": _hook("self.object.add('scripts.one:One')", hook="awake"),
    "start clones": _hook(
        "self.scene.spawn('B', components=[('scripts.one:One', {})])", hook="start"
    ),
    "start clones twice": _hook(
        "for n in range(2): self.scene.spawn('B', components=[('scripts.one:One', {})])",
        hook="start",
    ),
}
_SURROUNDINGS: Final = {
    "thread stays": "import threading, time\n"
    "threading.Thread(target=time.sleep, args=(1e6,)).start()\n1 / 0",
    "thread fails": "import threading\n"
    "t = threading.Thread(target=lambda: 1 / 0); t.start(); t.join(); 1 / 0",
    "pool stays": "import time, concurrent.futures as f\n"
    "f.ThreadPoolExecutor(1).submit(time.sleep, 1e6)\n1 / 0",
    "finalizer": "class D:\n    def __del__(self): 1 / 0\nD()\n1 / 0",
    "handler": "import signal\nsignal.signal(signal.SIGTERM, lambda *a: None)\n1 / 0",
    "handler of ours": "import signal, time\nsignal.signal(signal.SIGURG, signal.SIG_IGN)\n"
    "time.sleep(1e6)",
    "alarm": "import signal\nsignal.signal(signal.SIGALRM, lambda *a: 1 / 0)\n"
    "signal.setitimer(signal.ITIMER_REAL, 0.01)\nwhile True: pass",
    "patched isinstance": "import builtins\nold = builtins.len\nbuiltins.reveal = old\n1 / 0",
    "patched print": "import builtins\nbuiltins.print = None\nprint('x')",
    "patched excepthook": "import sys\nsys.excepthook = None\n1 / 0",
    "patched stderr": "import sys\nerr = sys.stderr\n"
    "class Bad:\n    def write(self, t): raise OSError\n"
    "sys.stderr = Bad(); sys.stderr = err\n1 / 0",
    "tracing": "import sys\nsys.settrace(lambda *a: 1 / 0)\nlen('x')\n(lambda: 1)()",
    "profiling": "import sys\nsys.setprofile(lambda *a: sys.setprofile(None) or 1 / 0)\nlen('x')",
    "working folder": "import os, tempfile\nd = tempfile.mkdtemp()\n"
    "os.chdir(d); os.rmdir(d)\n1 / 0",
    "no modules": "import sys\nsys.modules['scripts'] = None\nimport scripts.other",
    "switch interval": "import sys\nsys.setswitchinterval(100)\nwhile True: pass",
    "huge output": "import sys\nsys.stdout.write('x' * 10 ** 8)\n1 / 0",
    "collects": "import gc\ngc.disable(); gc.collect()\n1 / 0",
}
NASTY: Final[dict[str, str]] = {
    **{f"blocks: {name}": _hook(body, top) for name, (top, body) in _BLOCKS.items()},
    **{f"computes: {name}": _hook(body) for name, body in _COMPUTES.items()},
    **{f"ends: {name}": _hook(body) for name, body in _ENDS.items()},
    **{f"lies: {name}": _hook(body) for name, body in _LIES.items()},
    **{f"module: {name}": text for name, text in _MODULES.items()},
    **{f"around: {name}": _hook(body) for name, body in _SURROUNDINGS.items()},
}
NOT_PREVENTABLE: Final = frozenset(
    f"ends: {name}"
    for name in ("os._exit", "os._exit 0", "abort", "kill", "null", "null write", "libc exit")
)
"""They end the process at once; a process beside it says so in one line."""
QUIET: Final = frozenset(
    {
        "ends: os._exit 0", "ends: finish 7", "ends: interrupt main", "ends: raise signal",
        "ends: terminates itself", "blocks: shell", "module: slots",
        "around: patched print", "around: no modules",
    }
)  # fmt: skip
"""They are told by the exit code alone, or do no harm."""
