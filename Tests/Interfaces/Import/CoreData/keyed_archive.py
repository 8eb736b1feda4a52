"""Keyed archives as NSKeyedArchiver writes them."""

import decimal
import plistlib
import struct
import uuid

UID = plistlib.UID


class Archive:
    def __init__(self):
        self.objects = ["$null"]
        self.classes = {}

    def add(self, value):
        self.objects.append(value)
        return UID(len(self.objects) - 1)

    def kind(self, name, *parents):
        if name not in self.classes:
            self.classes[name] = self.add({"$classname": name, "$classes": [name, *parents, "NSObject"]})
        return self.classes[name]

    def dictionary(self, pairs, name="NSDictionary"):
        return self.add({"$class": self.kind(name), "NS.keys": [key for key, _ in pairs], "NS.objects": [value for _, value in pairs]})

    def array(self, values, name="NSArray"):
        return self.add({"$class": self.kind(name), "NS.objects": values})

    def value(self, value):
        """A plain value as the archiver writes it."""
        if value is None:
            return UID(0)
        if isinstance(value, (bool, int, float, str)):
            return self.add(value)
        if isinstance(value, bytes):
            return self.add(value) if len(value) % 2 else self.add({"$class": self.kind("NSMutableData", "NSData"), "NS.data": value})
        if isinstance(value, Date):
            return self.add({"$class": self.kind("NSDate"), "NS.time": value.seconds})
        if isinstance(value, uuid.UUID):
            return self.add({"$class": self.kind("NSUUID"), "NS.uuidbytes": value.bytes})
        if isinstance(value, Url):
            return self.add({"$class": self.kind("NSURL"), "NS.base": UID(0), "NS.relative": self.add(value.text)})
        if isinstance(value, decimal.Decimal):
            return self.decimal(value)
        if isinstance(value, dict):
            return self.dictionary([(self.value(key), self.value(inner)) for key, inner in value.items()])
        name = {list: "NSArray", tuple: "NSMutableArray", frozenset: "NSSet"}[type(value)]
        return self.array([self.value(inner) for inner in value], name)

    def decimal(self, value):
        sign, digits, exponent = value.as_tuple()
        mantissa = int("".join(map(str, digits)))
        words = [mantissa >> (16 * i) & 0xFFFF for i in range(8)]
        length = max([i + 1 for i in range(8) if words[i]], default=0)
        return self.add({
            "$class": self.kind("NSDecimalNumber", "NSNumber", "NSValue"), "NS.exponent": exponent, "NS.length": length,
            "NS.negative": bool(sign), "NS.compact": True, "NS.mantissa.bo": 1, "NS.mantissa": struct.pack("<8H", *words),
        })

    def bytes(self, root):
        return plistlib.dumps(
            {"$version": 100000, "$archiver": "NSKeyedArchiver", "$top": {"root": root}, "$objects": self.objects},
            fmt=plistlib.FMT_BINARY, sort_keys=False)


class Date:
    def __init__(self, seconds):
        self.seconds = float(seconds)


class Url:
    def __init__(self, text):
        self.text = text


class Opaque:
    """Bytes that are no property list."""

    def __init__(self, content):
        self.content = content


def archived(value):
    archive = Archive()
    return archive.bytes(archive.value(value))
