"""Write-ahead logs of SQLite as a machine of the other byte order writes them."""

import struct


def in_other_byte_order(log):
    """The log with the checksums that a machine of the other byte order writes; after its first bad frame it is cut."""
    if len(log) < 32:
        return log
    magic, version, page_size, sequence, salt_1, salt_2 = struct.unpack(">6I", log[:24])
    old, new = ("<", ">") if magic & 1 == 0 else (">", "<")
    state, changed = checksum(log[:24], old, (0, 0)), checksum(struct.pack(">I", magic ^ 1) + log[4:24], new, (0, 0))
    if struct.pack(">2I", *state) != log[24:32]:
        return log
    result = struct.pack(">I", magic ^ 1) + log[4:24] + struct.pack(">2I", *changed)
    at = 32
    while at + 24 + page_size <= len(log):
        frame = log[at : at + 24 + page_size]
        state = checksum(frame[:8] + frame[24:], old, state)
        if struct.pack(">2I", *state) != frame[16:24] or frame[8:16] != log[16:24]:
            break
        changed = checksum(frame[:8] + frame[24:], new, changed)
        result += frame[:16] + struct.pack(">2I", *changed) + frame[24:]
        at += 24 + page_size
    return result


def checksum(data, order, state):
    first, second = state
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for index in range(0, len(words), 2):
        first = (first + words[index] + second) & 0xFFFFFFFF
        second = (second + words[index + 1] + first) & 0xFFFFFFFF
    return first, second
