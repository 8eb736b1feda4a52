#!/usr/bin/env python3
"""Writes `descriptions.int8`: embeddings of one-line descriptions of Debian packages, for the recall of indexes of vectors.

    python3 -m venv env; env/bin/pip install numpy tokenizers safetensors wordllama; env/bin/python make-embeddings.py

An embedding is the mean of the vectors that WordLlama 0.4.0 (MIT) has for the parts of the text, its first 128 numbers,
scaled so that the largest is 127. The file has 4,040 of these, 128 bytes each, of descriptions drawn by chance.
"""

import random
import subprocess
from pathlib import Path

import numpy
import wordllama
from safetensors.numpy import load_file
from tokenizers import Tokenizer

COUNT, DIMENSIONS = 4040, 128


def descriptions():
    found = set()
    for line in subprocess.run(["apt-cache", "dumpavail"], capture_output=True, text=True, check=True).stdout.splitlines():
        name, _, text = line.partition(":")
        if name in ("Description", "Description-en"):
            found.add(text.strip())
    return sorted(found)


def main():
    data = Path(wordllama.__file__).parent
    tokenizer = Tokenizer.from_file(str(data / "tokenizers/l2_supercat_tokenizer_config.json"))
    (parts,) = load_file(data / "weights/l2_supercat_256.safetensors").values()
    rows = bytearray()
    for text in random.Random(1).sample(descriptions(), COUNT):
        vector = parts[tokenizer.encode(text, add_special_tokens=False).ids, :DIMENSIONS].astype(numpy.float32).mean(0)
        rows += numpy.rint(vector * (127 / numpy.abs(vector).max())).astype(numpy.int8).tobytes()
    Path(__file__).with_name("descriptions.int8").write_bytes(rows)


if __name__ == "__main__":
    main()
