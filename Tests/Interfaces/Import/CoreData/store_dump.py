"""What a reader should make of a store, as lines:

    class NAME SUPERCLASS COUNT
    property CLASS NAME TYPE NULLABLE COLLECTION TARGET RULE UNIQUE
    object CLASS KEY VALUE VALUE …
"""

import decimal
import struct
import uuid
import zlib

from core_data_model import TYPES, Attribute, Relationship
from keyed_archive import Date, Opaque, Url

REFERENCE_DATE = 978307200


def dump(store):
    lines = []
    for entity in store.model.entities:
        lines.append(f"class {entity.name} {entity.parent.name if entity.parent else '-'} {len(store.objects[entity.name])}")
        props = [(e, prop) for e in reversed(entity.lineage()) for prop in kept(e.own())]
        for owner, prop in props:
            lines.append(property_line(store, entity, owner, prop))
        for key in sorted(store.objects[entity.name]):
            values = store.objects[entity.name][key]
            lines.append(" ".join([f"object {entity.name} {key}"] + [value_text(store, prop, key, values) for _, prop in props]))
    return lines


def kept(props):
    return [p for p in props if (keeps(p) if isinstance(p, Relationship) else not p.transient)]


def property_line(store, entity, owner, prop):
    if isinstance(prop, Attribute):
        kind = TYPES[prop.kind][2]
        missing = any(values.get(prop.name) is None for e in store.model.heirs(owner) for values in store.objects[e.name].values())
        nullable = prop.optional or missing or kind == "mixed"
        return f"property {entity.name} {escaped(prop.name)} {kind} {int(nullable)} - - nullify {int(prop.unique)}"
    rule = "nullify" if prop.rule == "noaction" else prop.rule
    collection = ("list" if prop.ordered else "set") if prop.many else "-"
    return f"property {entity.name} {escaped(prop.name)} link {0 if prop.many else 1} {collection} {prop.destination.name} {rule} 0"


def value_text(store, prop, key, values):
    if isinstance(prop, Relationship):
        targets = prop.links.get(key, [])
        if not prop.many:
            return f">{targets[0]}" if targets else "-"
        if prop.ordered and not (prop.inverse is prop):
            return "[" + ",".join(f">{t}" for t in targets) + "]"
        return ("[{}]" if prop.ordered else "({})").format(",".join(f">{t}" for t in sorted(targets)))
    if prop.kind == "decimal":
        return text(store.stored[prop][key])
    value = values.get(prop.name)
    if value is None:
        return "-"
    if prop.kind == "float":
        return "f:" + struct.pack(">f", value).hex()
    if prop.kind == "bool":
        return f"b:{int(value)}"
    return text(value)


def keeps(relationship):
    """Whether a relationship stays: the ordered one, then the one with a strong delete rule, the single, the required one."""
    back = relationship.inverse
    if back is None or back is relationship:
        return True

    def merits(side):
        return [side.many and side.ordered, side.rule in ("cascade", "deny"), not side.many, not side.optional]

    mine, other = merits(relationship), merits(back)
    if mine[0] and other[0]:
        return True
    if mine != other:
        return mine > other
    return (relationship.entity.number, relationship.name.encode()) < (back.entity.number, back.name.encode())


def escaped(string):
    return "".join(c if 33 <= ord(c) < 127 and c not in '\\[](){},=' else "\\%x;" % ord(c) for c in string)


def text(value):
    if value is None:
        return "-"
    if isinstance(value, bool):
        return f"b:{int(value)}"
    if isinstance(value, int):
        return f"i:{value}"
    if isinstance(value, float):
        return "d:" + struct.pack(">d", value).hex()
    if isinstance(value, str):
        return "s:" + escaped(value)
    if isinstance(value, Url):
        return "s:" + escaped(value.text)
    if isinstance(value, Opaque):
        return text(value.content)
    if isinstance(value, bytes):
        return "x:" + value.hex() if len(value) <= 64 else f"X:{len(value)}:{zlib.adler32(value)}"
    if isinstance(value, uuid.UUID):
        return "u:" + value.hex
    if isinstance(value, Date):
        whole = int(value.seconds // 1)
        return f"t:{whole + REFERENCE_DATE}.{round((value.seconds - whole) * 1e9):09d}"
    if isinstance(value, decimal.Decimal):
        sign, digits, exponent = value.as_tuple()
        digits = "".join(map(str, digits)).lstrip("0")
        while digits.endswith("0"):
            digits, exponent = digits[:-1], exponent + 1
        return "m:" + (("-" if sign else "") + digits + f"E{exponent}" if digits else "0")
    if isinstance(value, dict):
        return "{" + ",".join(escaped(key) + "=" + text(value[key]) for key in sorted(value, key=str.encode)) + "}"
    return "[" + ",".join(text(inner) for inner in value) + "]"
