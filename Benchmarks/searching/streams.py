"""The random stream of the benchmark, many draws at once."""

import numpy

STEP = 0x9E3779B97F4A7C15


def draws(seed, first, count):
    """The draws of the stream of a seed from number `first` on, as uint64."""
    with numpy.errstate(over="ignore"):
        state = numpy.uint64(seed) + numpy.uint64(STEP) * numpy.arange(first + 1, first + count + 1, dtype=numpy.uint64)
        state = (state ^ (state >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
        state = (state ^ (state >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
        return state ^ (state >> numpy.uint64(31))


class Stream:
    """One draw after the other."""

    def __init__(self, seed):
        self._seed, self._place, self._ready = seed, 0, []

    def below(self, bound):
        if not self._ready:
            self._ready = draws(self._seed, self._place, 4096).tolist()[::-1]
            self._place += 4096
        return self._ready.pop() % bound


def lines(name, value, unit):
    """A figure with the digits that the other drivers print."""
    return f"{name} {value:.{4 if value < 10 else 2 if value < 1000 else 0}f} {unit}"
