"""Vectors by usearch, faiss and sqlite-vec, each on one thread: the workload of Sources/FreeholdBench/Workloads/Bench+Vectors.swift."""

import sqlite3
import time

import numpy

from .streams import draws, lines

DIMENSIONS, SEARCHES, BATCH = 384, 100, 10_000
#: A hundredth of the vectors are searched alone: those of this part.
PARTS, PART = 100, 7
TOPICS_OF_SUBJECT = 20


class Vectors:
    """The vectors of Sources/FreeholdBench/Vectors.swift."""

    def __init__(self, count, own, choice):
        self._own, self._choice = own, choice
        subjects = max(10, count // 10_000)
        topics = self._bytes(0, subjects * TOPICS_OF_SUBJECT, 84).astype(numpy.float32)
        self._centres = topics + numpy.repeat(self._bytes(0, subjects, 88), TOPICS_OF_SUBJECT, axis=0)

    @staticmethod
    def _bytes(first, count, seed):
        some = draws(seed, first * DIMENSIONS // 8, count * DIMENSIONS // 8).astype("<u8")
        return some.view(numpy.int8).reshape(count, DIMENSIONS)

    def rows(self, first, count):
        chosen = (draws(self._choice, first, count) % numpy.uint64(len(self._centres))).astype(numpy.int64)
        return self._bytes(first, count, self._own).astype(numpy.float32) + self._centres[chosen]


def unit(rows):
    return rows / numpy.linalg.norm(rows, axis=1, keepdims=True)


class Usearch:
    """A graph (HNSW) with its own settings, and float32."""

    def __init__(self, count, folder):
        from usearch.index import Index

        self._index = Index(ndim=DIMENSIONS, metric="cos", dtype="f32")
        self._path = folder / "vectors.usearch"

    def add(self, first, rows):
        self._index.add(numpy.arange(first, first + len(rows)), rows, threads=1)

    def size(self, count):
        self._index.save(str(self._path))
        size = self._path.stat().st_size
        self._path.unlink()
        return size / count - DIMENSIONS * 4

    def top(self, row):
        return self._index.search(row, 10, threads=1).keys


class Faiss:
    """A graph (HNSW, 32 links a vector) with its usual breadths of search."""

    def __init__(self, count, folder):
        import faiss

        faiss.omp_set_num_threads(1)
        self._faiss = faiss
        self._index = faiss.IndexHNSWFlat(DIMENSIONS, 32, faiss.METRIC_INNER_PRODUCT)
        self._index.hnsw.efSearch = 64
        self._count = count

    def add(self, first, rows):
        self._index.add(unit(rows))

    def size(self, count):
        return len(self._faiss.serialize_index(self._index)) / count - DIMENSIONS * 4

    def top(self, row):
        return self._index.search(unit(row[None]), 10)[1][0]

    def filtered(self, row):
        chosen = self._faiss.IDSelectorBatch(numpy.arange(PART, self._count, PARTS))
        parameters = self._faiss.SearchParametersHNSW(sel=chosen, efSearch=64)
        return self._index.search(unit(row[None]), 10, params=parameters)[1][0]


class SqliteVec:
    """A virtual table of SQLite, which measures every vector."""

    def __init__(self, count, folder):
        import sqlite_vec

        self._path = folder / "vectors.sqlite"
        self._path.unlink(missing_ok=True)
        self._base = sqlite3.connect(self._path, isolation_level=None)
        self._base.enable_load_extension(True)
        sqlite_vec.load(self._base)
        self._base.execute("PRAGMA journal_mode=WAL")
        self._base.execute("PRAGMA synchronous=NORMAL")
        columns = f"id INTEGER PRIMARY KEY, part INTEGER, embedding FLOAT[{DIMENSIONS}] distance_metric=cosine"
        self._base.execute(f"CREATE VIRTUAL TABLE item USING vec0({columns})")

    def add(self, first, rows):
        numbered = ((first + place, (first + place) % PARTS, row.tobytes()) for place, row in enumerate(rows))
        self._base.execute("BEGIN")
        self._base.executemany("INSERT INTO item VALUES(?, ?, ?)", numbered)
        self._base.execute("COMMIT")

    def size(self, count):
        self._base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return self._path.stat().st_size / count - DIMENSIONS * 4

    def top(self, row, condition=""):
        text = f"SELECT id FROM item WHERE embedding MATCH ? AND k = 10{condition} ORDER BY distance"
        return [key for (key,) in self._base.execute(text, (row.tobytes(),))]

    def filtered(self, row):
        return self.top(row, f" AND part = {PART}")


RIVALS = {"usearch": Usearch, "faiss": Faiss, "sqlite-vec": SqliteVec}


def exact_nearest(stored, wanted, count):
    """The nearest of all, and of a part, by measuring every vector: the keys, the nearest first."""
    best = [(numpy.full((SEARCHES, 10), -2.0), numpy.zeros((SEARCHES, 10), dtype=numpy.int64)) for _ in range(2)]
    for first in range(0, count, BATCH):
        keys = numpy.arange(first, min(count, first + BATCH))
        rows = stored.rows(first, len(keys)).astype(numpy.float64)
        scores = wanted.astype(numpy.float64) @ unit(rows).T
        for place, some in enumerate((slice(None), keys % PARTS == PART)):
            joined = numpy.concatenate([best[place][0], scores[:, some]], axis=1)
            names = numpy.concatenate([best[place][1], numpy.broadcast_to(keys[some], (SEARCHES, len(keys[some])))], axis=1)
            order = numpy.argsort(-joined, axis=1, kind="stable")[:, :10]
            best[place] = (numpy.take_along_axis(joined, order, 1), numpy.take_along_axis(names, order, 1))
    return best[0][1], best[1][1]


def run(driver, count, folder):
    """Runs the workload of one rival; gives its lines one by one."""
    stored, rival = Vectors(count, 83, 85), RIVALS[driver](count, folder)
    taken = 0
    for first in range(0, count, BATCH):
        rows = stored.rows(first, min(BATCH, count - first))
        start = time.monotonic()
        rival.add(first, rows)
        taken += time.monotonic() - start
    yield lines("vector_insert", count / taken, "vectors/s")
    yield lines("vector_size", rival.size(count), "bytes/vector")
    wanted = Vectors(count, 86, 87).rows(0, SEARCHES)
    exact = exact_nearest(stored, wanted, count)
    yield f"check vector_exact {int((exact[0] * numpy.arange(1, 11)).sum())}"
    for name, search, keys in (("vector_top", rival.top, exact[0]), ("vector_filtered", getattr(rival, "filtered", None), exact[1])):
        if search is None:
            yield f"skip {name} {driver} has no conditions"
            continue
        start = time.monotonic()
        found = [search(row) for row in wanted]
        yield lines(name, (time.monotonic() - start) / SEARCHES * 1e6, "us")
        common = sum(len(set(map(int, one)) & set(map(int, other))) for one, other in zip(found, keys))
        yield lines(f"{name}_recall", common / keys.size, "ratio")
