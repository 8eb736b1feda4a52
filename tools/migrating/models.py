"""The model classes of a file, and what they declare."""

import re
from dataclasses import dataclass, field

ROOTS = {"Object", "EmbeddedObject", "RealmSwift.Object", "RealmSwift.EmbeddedObject", "Freehold.Object", "Freehold.EmbeddedObject"}
_CLASS = re.compile(r"(?P<attributes>(?:@\w+(?:\([^)]*\))?\s+)*)(?P<modifiers>(?:(?:public|open|internal|private|fileprivate|final)\s+)*)"
                    r"\bclass\s+(?P<name>\w+)\s*:\s*(?P<parents>[^{]*)\{")
_MEMBER = re.compile(r"(?P<words>(?:@\w+(?:\([^)]*\))?\s+|\w+(?:\(set\))?[ \t]+)*)\b(?P<kind>var|let|func|init|class func|static func)\b")
_ARRAY = re.compile(r"^\s*(?:return\s+)?\[(?P<items>[^\]]*)\]\s*$")


@dataclass
class Member:
    """A declaration that begins in the class's own braces."""

    start: int
    kind: str
    #: The attributes and modifiers before `kind`, with their places.
    words: list
    #: From `kind` to the end of the declaration's line, or its closing brace.
    end: int
    head: str

    @property
    def names(self):
        return {word for word, _ in self.words}


@dataclass
class Model:
    name: str
    parents: list
    start: int
    attributes: list
    body: tuple
    members: list = field(default_factory=list)
    ignored: set = field(default_factory=set)
    #: Where a list of ignored properties stands that is no plain list; None: everything was understood.
    strange_list: int = None


def classes(text, code):
    """Every class that extends something; nested ones too."""
    found = []
    for match in _CLASS.finditer(code):
        parents = [parent.strip() for parent in match["parents"].split("where")[0].split(",")]
        attributes = [(m.group(), match.start("attributes") + m.start()) for m in re.finditer(r"@\w+(?:\([^)]*\))?", match["attributes"])]
        found.append(Model(match["name"], parents, match.start(), attributes, (match.end(), closing(code, match.end() - 1))))
    for model in found:
        _read_members(model, text, code)
    return found


def closing(code, place):
    """The place of the brace that closes the one at `place`."""
    depth = 0
    for index in range(place, len(code)):
        depth += (code[index] == "{") - (code[index] == "}")
        if depth == 0:
            return index
    return len(code)


def _read_members(model, text, code):
    place, end = model.body
    while place < end:
        if code[place] == "{":
            place = closing(code, place) + 1
            continue
        match = _MEMBER.match(code, place) if code[place].isalpha() or code[place] == "@" else None
        if not match:
            place += 1
            # The rest of a word is no declaration.
            while place < end and (code[place].isalnum() or code[place] == "_") and (code[place - 1].isalnum() or code[place - 1] == "_"):
                place += 1
            continue
        words = [(m.group(), match.start() + m.start()) for m in re.finditer(r"@\w+(?:\([^)]*\))?|\w+(?:\(set\))?", match["words"])]
        stop = _end_of_declaration(code, match.end(), end)
        member = Member(match.start(), match["kind"], words, stop, code[match.start("kind"):stop])
        model.members.append(member)
        if "ignoredProperties" in member.head.split("(")[0]:
            _read_ignored(model, member, text, code)
        place = max(stop, match.end())


def _end_of_declaration(code, place, end):
    """Its line's end, or the brace that closes what the line opens, whichever comes last."""
    depth = 0
    while place < end:
        if code[place] == "{":
            place = closing(code, place)
        depth += (code[place] in "([") - (code[place] in ")]")
        place += 1
        if place < end and code[place] == "\n" and depth <= 0 and not code[max(0, place - 200):place].rstrip().endswith(("=", ",", ":", "->")):
            return place
    return place


def _read_ignored(model, member, text, code):
    opening = code.find("{", member.start, member.end)
    body = text[opening + 1:closing(code, opening)] if opening >= 0 else ""
    match = _ARRAY.match(body)
    items = [item.strip() for item in match["items"].split(",") if item.strip()] if match else []
    if not match or not all(re.fullmatch(r'"\w+"', item) for item in items):
        model.strange_list = member.start
    model.ignored = {item.strip('"') for item in items}
