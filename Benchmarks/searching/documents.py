"""Full text by tantivy on one thread: the workload of Sources/FreeholdBench/Workloads/Bench+Searching.swift."""

import shutil
import time

import numpy

from .streams import Stream, draws, lines

RANKS = 1 << 17


def word(rank):
    """The word of a rank: its digits to base 80 as syllables, two of them at least."""
    rest, text = rank + 80, ""
    while rest > 0:
        rest, syllable = divmod(rest, 80)
        text = "bdfgklmnprstvzjh"[syllable // 5] + "aeiou"[syllable % 5] + text
    return text


def documents(count):
    """The texts: 20 to 120 words each, and of each word the number of its rank's bits, then the rank."""
    words = numpy.array([word(rank) for rank in range(RANKS)], dtype=object)
    ready, place, made = draws(77, 0, 1 << 22), 0, 1 << 22
    for _ in range(count):
        if len(ready) - place < 300:
            ready, place, made = numpy.concatenate([ready[place:], draws(77, made, 1 << 22)]), 0, made + (1 << 22)
        size = 20 + int(ready[place] % numpy.uint64(101))
        some = ready[place + 1 : place + 1 + 2 * size]
        bits = numpy.uint64(1) + some[::2] % numpy.uint64(17)
        yield " ".join(words[(some[1::2] & ((numpy.uint64(1) << bits) - numpy.uint64(1))).astype(numpy.int64)])
        place += 1 + 2 * size


def searches(count):
    """The name of each search, how many there are of it, and what makes its words from a stream."""

    def rank(first, size):
        return lambda stream: word(first + stream.below(size))

    def joined(first, size, by):
        return lambda stream: by.join(rank(first, size)(stream) for _ in range(3))

    yield "search_word", 200, rank(64, 64)
    yield "search_rare", 200, rank(20_000, 10_000)
    yield "search_words", 200, joined(16, 112, " AND ")
    yield "search_any", 100, joined(64, 448, " OR ")
    yield "search_prefix", 100, lambda stream: rank(6400, 100_000)(stream)[:3] + "*"
    yield "search_fuzzy", 100, lambda stream: rank(6400, 100_000)(stream) + "~1"
    yield "search_phrase", 100, lambda stream: f'"{rank(32, 96)(stream)} {rank(32, 96)(stream)}"'
    yield "search_filtered", 100, lambda stream: f"{rank(64, 64)(stream)} AND id:<{count // 10}"


def run(driver, count, folder):
    """Runs the workload; gives its lines one by one."""
    import tantivy

    place = folder / "documents.tantivy"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    builder = tantivy.SchemaBuilder()
    builder.add_integer_field("id", indexed=True, fast=True)
    builder.add_text_field("body", stored=False)
    schema = builder.build()
    index = tantivy.Index(schema, path=str(place))
    writer = index.writer(heap_size=256_000_000, num_threads=1)
    size, taken, batch = 0, 0, []

    def flush():
        start = time.monotonic()
        for one in batch:
            writer.add_document(one)
        batch.clear()
        return time.monotonic() - start

    for number, text in enumerate(documents(count)):
        size += len(text)
        batch.append(tantivy.Document(id=number, body=text))
        if len(batch) == 10_000:
            taken += flush()
    taken += flush()
    start = time.monotonic()
    writer.commit()
    writer.wait_merging_threads()
    taken += time.monotonic() - start
    yield lines("search_build", size / taken / 1e6, "MB/s")
    yield lines("search_size", 100 * sum(path.stat().st_size for path in place.iterdir()) / size, "%")
    index.reload()
    searcher = index.searcher()
    for name, times, text in searches(count):
        stream = Stream(7)
        queries = [query(tantivy, index, schema, name, text(stream)) for _ in range(times)]
        start = time.monotonic()
        found = sum(len(searcher.search(one, 10, count=False).hits) for one in queries)
        yield lines(name, (time.monotonic() - start) / times * 1e6, "us")
        start = time.monotonic()
        counted = sum(searcher.search(one, 1, count=True).count for one in queries)
        yield lines(f"{name}_count", (time.monotonic() - start) / times * 1e6, "us")
        yield f"check {name} {found}"
        yield f"check {name}_count {counted}"
    shutil.rmtree(place)


def query(tantivy, index, schema, name, text):
    """A search as tantivy has it: it parses no prefixes and edits of words."""
    if name == "search_fuzzy":
        return tantivy.Query.fuzzy_term_query(schema, "body", text[:-2], distance=1, transposition_cost_one=False)
    if name == "search_prefix":
        return tantivy.Query.regex_query(schema, "body", text[:-1] + ".*")
    return index.parse_query(text, ["body"])
