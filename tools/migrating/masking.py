"""Swift text with comments and texts blanked out, so that what is left is code at its old places."""


def masked(text):
    """The text, each character of a comment or string literal replaced by a space; line ends and outermost quotes stay."""
    out = list(text)
    place, length = 0, len(text)

    def blank(start, end):
        for index in range(start, min(end, length)):
            if out[index] not in "\r\n":
                out[index] = " "

    while place < length:
        if text.startswith("//", place):
            end = text.find("\n", place)
            end = length if end < 0 else end
        elif text.startswith("/*", place):
            end = _comment_end(text, place)
        elif text[place] == '"' or text[place] == "#" and _opens_raw_text(text, place):
            end = _text_end(text, place)
        else:
            place += 1
            continue
        is_text = text[place] in '"#'
        blank(place, end)
        if is_text and end - place > 1:
            out[place] = out[end - 1] = '"'
        place = end
    return "".join(out)


def _comment_end(text, place):
    """Comments stand within one another."""
    depth, place = 1, place + 2
    while place < len(text) and depth:
        if text.startswith("/*", place):
            depth, place = depth + 1, place + 2
        elif text.startswith("*/", place):
            depth, place = depth - 1, place + 2
        else:
            place += 1
    return place


def _opens_raw_text(text, place):
    while place < len(text) and text[place] == "#":
        place += 1
    return place < len(text) and text[place] == '"'


def _text_end(text, place):
    hashes = 0
    while text[place] == "#":
        hashes, place = hashes + 1, place + 1
    quote = '"""' if text.startswith('"""', place) else '"'
    end, escape = quote + "#" * hashes, "\\" + "#" * hashes
    place += len(quote)
    while place < len(text):
        if text.startswith(end, place):
            return place + len(end)
        if text.startswith(escape, place):
            place += len(escape)
            place = _interpolation_end(text, place) if text.startswith("(", place) else place + 1
        elif text[place] == "\n" and len(quote) == 1:
            return place
        else:
            place += 1
    return place


def _interpolation_end(text, place):
    depth = 0
    while place < len(text):
        if text[place] == '"':
            place = _text_end(text, place)
            continue
        depth += (text[place] == "(") - (text[place] == ")")
        place += 1
        if depth == 0:
            break
    return place
