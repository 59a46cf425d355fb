"""An engine that misbehaves: python -I -S fake_engine.py KIND. Its moves are the first free points.

KIND: good, named (answers ABOUT), sleeps, floods, shouts, lies, occupied, garbage, exits, refuses, immortal, deaf, hungry,
silent (at START), crashes (by a signal), binary (bytes that are no text), unended (a move without the
end of its line), streams (bytes without an end of a line), orphan (leaves a child behind and tells its number).
"""

import os
import signal
import sys
import time

KIND = sys.argv[1]
taken = set()


def say(text):
    os.write(1, (text + "\r\n").encode())


def forever():
    while True:
        time.sleep(1000)


def play(point):
    say(f"{point[0]},{point[1]}")


def move():
    if KIND == "sleeps":
        forever()
    if KIND == "floods":
        while True:
            say("MESSAGE " + "x" * 60000)
    if KIND == "shouts":
        while True:
            say("UNKNOWN 7")
    if KIND == "exits":
        say("DEBUG bye")
        os._exit(3)
    if KIND == "crashes":
        os.kill(os.getpid(), signal.SIGSEGV)
    if KIND == "binary":
        return os.write(1, bytes(range(256)) * 8 + b"\r\n")
    if KIND == "unended":
        os.write(1, b"3,3")
        forever()
    if KIND == "streams":
        while True:
            os.write(1, b"7" * 60000)
    if KIND == "lies":
        return say("15,3")
    if KIND == "occupied" and taken:
        return play(min(taken))
    if KIND == "garbage":
        return say("seven, please")
    if KIND == "refuses":
        return say("ERROR no idea")
    if KIND == "hungry":
        held = bytearray(200 << 20)
        held[::4096] = b"x" * len(held[::4096])
        forever()
    point = next((x, y) for y in range(15) for x in range(15) if (x, y) not in taken)
    taken.add(point)
    return play(point)


def read_board():
    for line in sys.stdin:
        if line.strip() == "DONE":
            return
        x, y, _ = map(int, line.split(","))
        taken.add((x, y))


for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    if word == "START":
        taken.clear()
        if KIND == "silent":
            forever()
        if KIND == "orphan":
            words = [sys.executable, "-I", "-S", "-c", "import time; time.sleep(999)"]
            if os.name == "nt":
                import subprocess

                child = subprocess.Popen(words).pid
            else:
                child = os.posix_spawn(sys.executable, words, {})
            say(f"MESSAGE child {child}")
        say("OK")
        if KIND == "deaf":
            forever()
    elif word == "TURN":
        taken.add(tuple(map(int, rest.split(","))))
        move()
    elif word == "ABOUT" and KIND == "named":
        say('name="Fake", version="1.2", author="a test"')
    elif word == "BEGIN":
        move()
    elif word == "BOARD":
        read_board()
        move()
    elif word == "END" and KIND != "immortal":
        break
