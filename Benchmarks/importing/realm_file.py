"""Writes the arrays of a `.realm` file, format 24, one after the other."""

from array import array

HEADER_BYTES = 24
FORMAT = 24
HAS_REFERENCES, IS_INNER = 0x40, 0x80
#: What the width of a node counts: bits, bytes of each element, or bytes of all.
BITS, ELEMENTS, BYTES = 0, 1, 2
_SIGNED = {8: "b", 16: "h", 32: "i", 64: "q"}


def tagged(number):
    """A number among references."""
    return number << 1 | 1


class RealmFile:
    """A file that is written from its beginning to its end. A reference is the offset of an array."""

    def __init__(self, path):
        self._file = open(path, "wb", buffering=1 << 20)
        self._file.write(bytes(HEADER_BYTES))
        self._offset = HEADER_BYTES

    def finish(self, top):
        """Writes the header, which leads to the top array, and closes the file."""
        self._file.seek(0)
        self._file.write(top.to_bytes(8, "little") + bytes(8) + b"T-DB" + bytes([FORMAT, FORMAT, 0, 0]))
        self._file.close()

    def node(self, flags, unit, width, count, content):
        """Appends an array."""
        reference, code = self._offset, width.bit_length()
        padding = -len(content) % 8
        self._file.write(b"AAAA" + bytes([flags | unit << 3 | code]) + count.to_bytes(3, "big") + content + bytes(padding))
        self._offset += 8 + len(content) + padding
        return reference

    def ints(self, numbers, flags=0):
        """An array of integers, as narrow as they allow."""
        low, high = (min(numbers), max(numbers)) if numbers else (0, 0)
        width = next((width for width in (0, 1, 2, 4) if low >= 0 and high < 1 << width), None)
        if width is None:
            width = next(width for width in _SIGNED if -1 << width - 1 <= low and high < 1 << width - 1)
        return self.node(flags, BITS, width, len(numbers), _packed(numbers, width))

    def refs(self, numbers, flags=0):
        """An array of references and tagged numbers."""
        return self.ints(numbers, HAS_REFERENCES | flags)

    def doubles(self, numbers):
        return self.node(0, ELEMENTS, 8, len(numbers), array("d", numbers).tobytes())

    def dates(self, seconds):
        """Dates without nulls and without fractions."""
        # The element that stands for null comes first, and is none of the others.
        return self.refs([self.ints([0, *seconds]), self.ints([0] * len(seconds))])

    def short_strings(self, texts):
        """Strings of at most 15 bytes."""
        cells = [text.encode() for text in texts]
        return self.node(0, ELEMENTS, 16, len(cells), b"".join(cell.ljust(15, b"\0") + bytes([15 - len(cell)]) for cell in cells))

    def strings(self, texts):
        """Strings of any length, or None."""
        return self.values([None if text is None else text.encode() + b"\0" for text in texts])

    def values(self, values):
        """Bytes, or None."""
        ends, end = [], 0
        for value in values:
            end += len(value or b"")
            ends.append(end)
        content = b"".join(value for value in values if value is not None)
        blob = self.node(0, BYTES, 8, len(content), content)
        return self.refs([self.ints(ends), blob, self.ints([value is None for value in values])])


def _packed(numbers, width):
    if width >= 8:
        return array(_SIGNED[width], numbers).tobytes()
    if width == 0:
        return b""
    in_a_byte = 8 // width
    numbers = [*numbers, *[0] * (-len(numbers) % in_a_byte)]
    packed = numbers[0::in_a_byte]
    for place in range(1, in_a_byte):
        packed = [byte | number << place * width for byte, number in zip(packed, numbers[place::in_a_byte])]
    return bytes(packed)
