/// Quoted fields: doubled quotes are unescaped in place.
///
/// Safe throughout: `mark ≤ written ≤ read ≤ end`, and the padding after the end may be read and is zero.
extension DelimitedParser {
    /// Parses a field whose opening quote is next, and its delimiter.
    mutating func quotedField(_ isLast: inout Bool) throws(ImportError) -> ImportedValue {
        input.position += 1
        input.mark = input.position
        var written = 0
        let opening = input.error(.text, "the quote opened here is not closed")
        while try quotedPart(&written, opening) {}
        let text = text(UnsafeBufferPointer(start: input.bytes + input.mark, count: written))
        input.mark = -1
        try endQuoted(&isLast)
        return .text(text)
    }

    /// Consumes text up to a quote, and the quote.
    /// - Returns: whether the field continues because the quote was doubled.
    private mutating func quotedPart(_ written: inout Int, _ opening: ImportError) throws(ImportError) -> Bool {
        var read = input.position
        while true {
            let next = ByteScan.endOfField(input.bytes, read, before: UInt8(ascii: "\""))
            keep(from: read, to: next, &written)
            input.position = next
            if next == input.end {
                if try !input.fill() { throw opening }
                read = input.position
                continue
            }
            if input.bytes[next] == UInt8(ascii: "\"") { break }
            if input.bytes[next] == UInt8(ascii: "\n") { input.endLine(at: next) }
            keep(from: next, to: next + 1, &written)
            read = next + 1
        }
        input.position += 1
        if input.position == input.end { _ = try input.fill() }
        guard input.bytes[input.position] == UInt8(ascii: "\"") else { return false }
        keep(from: input.position, to: input.position + 1, &written)
        input.position += 1
        return true
    }

    /// Appends a part of the text to the bytes kept since the mark.
    @inline(__always)
    private func keep(from first: Int, to end: Int, _ written: inout Int) {
        let target = input.mark + written
        if target < first { (input.bytes + target).update(from: input.bytes + first, count: end - first) }
        written += end - first
    }

    /// Consumes the bytes after a closing quote: a delimiter or the end of the row.
    private mutating func endQuoted(_ isLast: inout Bool) throws(ImportError) {
        if input.end - input.position < 2 { _ = try input.fill() }
        let byte = input.bytes[input.position]
        if byte == delimiter {
            input.position += 1
        } else if input.position == input.end {
            isLast = true
        } else if try skipEmptyLine() {
            isLast = true
        } else {
            note("text follows a closing quote; double a quote within quotes")
            _ = try input.nextLine()
            isLast = true
        }
    }
}
