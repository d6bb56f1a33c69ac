"""Backends that are wrong on purpose, each in a way of its own; conftest.py installs them as a distribution."""

import os
import subprocess
import sys
import time
from itertools import permutations
from pathlib import Path

from nqueens_cp import Status
from nqueens_cp.backends.base import Answer, Backend, Capabilities


class Honest(Backend):
    capabilities = Capabilities(optimises=True)

    def load(self):
        pass

    def version(self):
        return "1.2 (a test)"

    def translate(self, problem, control):
        return len(problem.variables)

    def boards(self, n):
        return [
            columns
            for columns in permutations(range(n))
            if all(abs(columns[i] - columns[j]) != j - i for j in range(n) for i in range(j))
        ]

    def call(self):
        "Which call of this backend this is, over all processes."
        path = Path(os.environ["CALLS_OF_WRONG_BACKENDS"], self.name)
        with path.open("a") as file:
            file.write(".")
        return path.stat().st_size

    def solutions(self, n, control):
        yield from self.boards(n)

    def solve(self, n, control):
        for board in self.boards(n):
            return Answer(Status.SATISFIED, board)
        return Answer(Status.UNSATISFIABLE)


class Reversed(Honest):
    name = "reversed"

    def boards(self, n):
        return super().boards(n)[::-1]


class Drops(Honest):
    name = "drops"

    def boards(self, n):
        boards = super().boards(n)
        return boards[:2] + boards[3:] if n == 6 else boards


class Repeats(Honest):
    name = "repeats"

    def boards(self, n):
        boards = super().boards(n)
        return boards + boards[-1:]


class Replaces(Honest):
    name = "replaces"

    def boards(self, n):
        return [*super().boards(n)[:-1], tuple(range(n))]


class Claims(Honest):
    "Stops at the end of the time and says that it has them all."

    name = "claims"

    def solutions(self, n, control):
        yield self.boards(min(n, 6))[0] + tuple(range(6, n))
        time.sleep(control.remaining() + 0.05)


class Late(Honest):
    "Is stopped by the time limit after the first solution, and admits it."

    name = "late"

    def solutions(self, n, control):
        yield self.boards(n)[0]
        while True:
            time.sleep(0.02)
            control.poll()

    def solve(self, n, control):
        time.sleep(control.remaining())
        return Answer(Status.TIMEOUT)


class Endless(Honest):
    "Looks at no clock where the board is larger than four rows."

    name = "endless"

    def solutions(self, n, control):
        yield from self.boards(n)
        while n > 4:
            time.sleep(0.01)


class EndlessImport(Honest):
    name = "endless-import"

    def load(self):
        while True:
            time.sleep(0.01)


class EndlessChild(Honest):
    name = "endless-child"

    def solutions(self, n, control):
        child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(60)"])
        Path(os.environ["CALLS_OF_WRONG_BACKENDS"], "child").write_text(str(child.pid))
        yield from self.boards(n)
        child.wait()


class Hungry(Honest):
    "Takes up to 800 MiB where the board is larger than four rows."

    name = "hungry"

    def solutions(self, n, control):
        yield from self.boards(n)
        held = []
        while n > 4 and len(held) < 80:
            held.append(b"x" * (10 << 20))
            time.sleep(0.02)


class HungryChild(Honest):
    "Starts a process that takes 400 MiB."

    name = "hungry-child"

    def solutions(self, n, control):
        code = "import time; held = bytearray(400 << 20); held[::4096] = b'x' * len(held[::4096]); time.sleep(20)"
        subprocess.run([sys.executable, "-c", code])
        yield from self.boards(n)


def odd(kind):
    "Solutions of a kind of their own."

    def solutions(self, n, control):
        yield from map(kind, self.boards(n))

    return solutions


class Lists(Honest):
    name = "lists"
    solutions = odd(list)


class Floats(Honest):
    name = "floats"
    solutions = odd(lambda board: tuple(map(float, board)))


class Nones(Honest):
    name = "nones"
    solutions = odd(lambda board: (None,) * len(board))


class TooShort(Honest):
    name = "too-short"
    solutions = odd(lambda board: board[1:])


class CountsInWords(Honest):
    name = "counts-in-words"

    def count(self, n, control):
        return "10"


class NoSolutionToShow(Honest):
    name = "no-solution-to-show"

    def solve(self, n, control):
        return Answer(Status.SATISFIED)


class Killed(Honest):
    name = "killed"

    def solutions(self, n, control):
        os.kill(os.getpid(), 9)
        yield


class DropsTheLast(Honest):
    "Has one solution too few, and lists slowly."

    name = "drops-the-last"

    def solutions(self, n, control):
        for board in self.boards(n)[:-1]:
            yield board
            if n > 6:
                time.sleep(0.3)
                control.poll()

    def count(self, n, control):
        return len(self.boards(n)) - 1


class HoldsOn(Honest):
    "Leaves a process behind that holds on to its standard streams."

    name = "holds-on"

    def solutions(self, n, control):
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        yield from self.boards(n)


class Crashes(Honest):
    name = "crashes"

    def solutions(self, n, control):
        raise RuntimeError("no licence left")
        yield


class Exits7(Honest):
    name = "exits-7"

    def solutions(self, n, control):
        os._exit(7)
        yield


class Exits0(Honest):
    name = "exits-0"

    def solutions(self, n, control):
        os._exit(0)
        yield


class Quits(Honest):
    name = "quits"

    def solutions(self, n, control):
        sys.exit(0)
        yield


class Aborts(Honest):
    name = "aborts"

    def solutions(self, n, control):
        os.abort()
        yield


class Noisy(Honest):
    name = "noisy"

    def solutions(self, n, control):
        print("noise" * 100_000)
        os.write(1, b"noise")
        yield from self.boards(n)


class Changes(Honest):
    name = "changes"

    def boards(self, n):
        return super().boards(n)[(self.call() + 1) % 2 :]


class ChangesSet(Honest):
    "Each time the same number of solutions, but not the same ones."

    name = "changes-set"

    def boards(self, n):
        return [*super().boards(n)[:-1], (self.call(),) * n]


class Counts(Honest):
    "Tells which call this is, and on how many processors it may run."

    name = "counts"

    def solutions(self, n, control):
        control.statistics["call"] = self.call()
        control.statistics["processors"] = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0
        yield from self.boards(n)


class Attacked(Honest):
    name = "attacked"

    def solve(self, n, control):
        return Answer(Status.SATISFIED, tuple(range(n)))


class Short(Honest):
    name = "short"

    def solve(self, n, control):
        return Answer(Status.SATISFIED, self.boards(n)[0][1:])


class Never(Honest):
    name = "never"

    def solve(self, n, control):
        return Answer(Status.UNSATISFIABLE)


def far(name, status, values, objective):
    def solve(self, n, control):
        return Answer(status, values, objective)

    return type(name, (Honest,), {"name": name, "solve": solve})


Best = far("best", Status.OPTIMAL, (9, 3), 21)
Low = far("low", Status.OPTIMAL, (9, 0), 18)
Boasts = far("boasts", Status.OPTIMAL, (9, 0), 21)
Stopped = far("stopped", Status.TIMEOUT, (9, 3), 21)
StoppedLow = far("stopped-low", Status.TIMEOUT, (9, 0), 18)
StoppedWithBoard = far("stopped-with-board", Status.TIMEOUT, (1, 3, 0, 2), None)


class Fickle(Honest):
    "Another optimum each time."

    name = "fickle"

    def solve(self, n, control):
        y = self.call() % 2
        return Answer(Status.OPTIMAL, (9, y), 18 + y)
