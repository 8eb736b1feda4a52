#!/usr/bin/env python3
"""Writes compressed data, property lists and keyed archives, by Python's own zlib and plistlib, and what they stand for.

    make_archives.py FOLDER SEED COUNT      for each seed N.raw, N.zlib and N.plain; N.plist, N.keyed and N.value
"""

import datetime
import os
import plistlib
import random
import sys
import zlib

from keyed_archive import Date, Url, archived
from random_stores import random_plain
from store_dump import text


def content(rnd):
    """Bytes of a kind that compresses in another way each time."""
    kind, size = rnd.randrange(6), rnd.choice([0, 1, 2, 100, 1000, 40_000, 200_000])
    if kind == 0:
        return rnd.randbytes(size)
    if kind == 1:
        return bytes(size)
    if kind == 2:
        return bytes(rnd.choices(range(rnd.randrange(1, 256)), k=size))
    if kind == 3:
        return b" ".join(rnd.choice([b"NSString", b"NSEntityDescription", b"Z_PK", b"x"]) for _ in range(size // 6))
    if kind == 4:
        return (rnd.randbytes(rnd.randrange(1, 40_000)) * 20)[:size]
    return bytes(int(rnd.expovariate(0.05)) & 255 for _ in range(size))


def compressed(rnd, data, window):
    """At any level and by any strategy: stored, fixed and dynamic blocks, whole or flushed within."""
    strategy = rnd.choice([zlib.Z_DEFAULT_STRATEGY, zlib.Z_FILTERED, zlib.Z_HUFFMAN_ONLY, zlib.Z_RLE, zlib.Z_FIXED])
    packer = zlib.compressobj(rnd.randrange(10), zlib.DEFLATED, window, rnd.randrange(1, 10), strategy)
    parts, at = [], 0
    while at < len(data) or not parts:
        step = rnd.choice([len(data) + 1, 5000, 33_000])
        parts.append(packer.compress(data[at:at + step]))
        parts.append(packer.flush(rnd.choice([zlib.Z_NO_FLUSH, zlib.Z_SYNC_FLUSH, zlib.Z_FULL_FLUSH])))
        at += step
    return b"".join(parts) + packer.flush()


def listed(value):
    """The value as plistlib takes it."""
    if isinstance(value, Date):
        # plistlib has whole microseconds; dates of the samples are multiples of 1/512 s.
        return datetime.datetime(2001, 1, 1) + datetime.timedelta(seconds=int(value.seconds // 1))
    if isinstance(value, dict):
        return {key: listed(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [listed(inner) for inner in value]
    if isinstance(value, (bool, int, float, str, bytes)):
        return value
    return value.text if isinstance(value, Url) else str(value)


def listed_text(value):
    """The dump of what `listed` gives."""
    if isinstance(value, datetime.datetime):
        return text(Date((value - datetime.datetime(2001, 1, 1)).total_seconds()))
    if isinstance(value, dict):
        return text({key: Dumped(listed_text(inner)) for key, inner in value.items()})
    if isinstance(value, list):
        return text([Dumped(listed_text(inner)) for inner in value])
    return text(value)


class Dumped(Url):
    """Text that is a dump already."""


def main(folder, first, count):
    import store_dump

    plain_text = store_dump.text
    store_dump.text = lambda value: value.text if isinstance(value, Dumped) else plain_text(value)
    globals()["text"] = store_dump.text
    for seed in range(first, first + count):
        rnd = random.Random(seed)
        data, value = content(rnd), [random_plain(rnd, 0) for _ in range(rnd.randrange(20))]
        files = {
            "plain": data, "raw": compressed(rnd, data, -rnd.randrange(9, 16)), "zlib": compressed(rnd, data, rnd.randrange(9, 16)),
            "plist": plistlib.dumps(listed(value), fmt=plistlib.FMT_BINARY), "keyed": archived(value),
            "value": (text(value) + "\n" + listed_text(listed(value)) + "\n").encode(),
        }
        for suffix, content_of_file in files.items():
            with open(os.path.join(folder, f"{seed}.{suffix}"), "wb") as file:
                file.write(content_of_file)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
