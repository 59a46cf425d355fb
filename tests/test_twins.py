"""No call that Windows lacks is without its Windows twin in the same place."""

from __future__ import annotations

import pytest

from tests.twins import ALLOWED, HOMES, NOT_RUN, ROOT, findings, of_source

PLANTED = {
    "import fcntl\n": "fcntl",
    "from resource import setrlimit\n": "resource",
    "import os\nos.fork()\n": "os.fork",
    "import os\nuser = os.getuid()\n": "os.getuid",
    "import os\nos.kill(3, 9)\n": "os.kill",
    "import os\nos.rename('a', 'b')\n": "os.rename",
    "import os\nos.replace('a', 'b')\n": "os.replace",
    "import signal\nEND = signal.SIGKILL\n": "signal.SIGKILL",
    "import select\nwaiting = select.poll()\n": "select.poll",
    "import select\nselect.select([stream.fileno()], [], [])\n": "select of a file",
    "import shlex\nwords = shlex.split(text)\n": "shlex.split",
    "FOLDER = '/tmp/cache'\n": "'/tmp/cache'",
    "name = str(path) + '/x'\n": "joined with '/'",
    "name = f'{path.resolve()}/x'\n": "joined with '/'",
    "import subprocess\nsubprocess.run(words, text=True)\n": "text=True",
    "import subprocess\nsubprocess.Popen(words, pass_fds=(3,))\n": "pass_fds",
    "text = time.strftime('%-d %B')\n": "%-",
    "made.replace(final)\n": "Path.replace",
}
WITH_TWIN = (
    "import os\ndef end():\n    if os.name == 'nt':\n        return\n    os.kill(3, 9)\n",
    "import sys\nif sys.platform == 'win32':\n    pass\nelse:\n    import fcntl\n",
    "import os\nuser = os.getuid() if hasattr(os, 'getuid') else 0\n".replace(
        "user", "if 1:\n    u"
    ),
    "def read():\n    try:\n        return open('/proc/1/stat')\n    except OSError:\n        return 0\n",
    "text = name.replace('a', 'b')\n",
    "key = f'{folder}/{name}'\n",
    '"""Files such as `/tmp/a`: "/tmp/a" is no path that is used."""\n',
)


@pytest.mark.parametrize("source", PLANTED)
def test_a_planted_call_is_found_by_its_name(source: str) -> None:
    found = of_source(source, "sim/x.py")
    assert [PLANTED[source] in str(item) for item in found] == [True]


@pytest.mark.parametrize("source", WITH_TWIN)
def test_a_call_beside_its_twin_is_none(source: str) -> None:
    assert of_source(source, "sim/x.py") == []


def test_the_product_has_a_twin_for_each() -> None:
    assert [str(item) for item in findings(ROOT)] == []


def test_the_exceptions_are_there() -> None:
    places = [*HOMES, *NOT_RUN, *(name.partition(" ")[0] for name in ALLOWED)]
    assert [place for place in places if not (ROOT / place).is_file()] == []
