/// Parses rows of fields (RFC 4180): separated by one byte, quoted where a field contains that byte, a quote or a
/// newline.
///
/// 1. An unquoted empty field is null, a quoted one is the empty string, so an exported null is imported as null.
/// 2. A row ends with a newline, a carriage return and a newline, or the end of the text.
///
/// Safe throughout: `mark ≤ written ≤ read ≤ end`, and the padding after the end may be read and is zero.
struct DelimitedParser: ~Copyable {
    var input: ByteInput
    let delimiter: UInt8
    /// The first error of the row being parsed; the row is parsed to its end nevertheless.
    private(set) var fault: ImportError?
    /// The line on which the current field begins: the end of a field may also end its line.
    private var fieldLine = 1

    init(_ input: consuming ByteInput, delimiter: UInt8) {
        self.input = input
        self.delimiter = delimiter
    }

    /// Whether there is another row.
    mutating func hasMore() throws(ImportError) -> Bool {
        if input.position < input.end { return true }
        return try input.fill()
    }

    /// Consumes an empty line.
    mutating func skipEmptyLine() throws(ImportError) -> Bool {
        if input.end - input.position < 2 { _ = try input.fill() }
        var end = input.position
        if input.bytes[end] == UInt8(ascii: "\r") { end += 1 }
        guard input.bytes[end] == UInt8(ascii: "\n") else { return false }
        input.endLine(at: end)
        input.position = end + 1
        return true
    }

    /// Parses the next row.
    /// - Parameter limit: the maximum number of fields to keep.
    /// - Returns: the values, and the actual number of fields in the row.
    mutating func row(limit: Int) throws(ImportError) -> (values: [ImportedValue], count: Int) {
        defer { input.mark = -1 }
        fault = nil
        var values: [ImportedValue] = []
        values.reserveCapacity(min(limit, 4096))
        var count = 0
        var isLast = false
        while !isLast {
            let value = try field(&isLast)
            count += 1
            if count <= limit { values.append(value) }
        }
        return (values, count)
    }

    @inline(__always)
    private mutating func field(_ isLast: inout Bool) throws(ImportError) -> ImportedValue {
        if input.position == input.end { _ = try input.fill() }
        fieldLine = input.line
        if input.bytes[input.position] == UInt8(ascii: "\"") { return try quotedField(&isLast) }
        input.mark = input.position
        var index = ByteScan.endOfField(input.bytes, input.position, before: delimiter)
        while input.bytes[index] == 0 {
            if try !scanOn(&index) { break }
        }
        let start = input.bytes + input.mark
        let count = index - input.mark
        return value(UnsafeBufferPointer(start: start, count: endField(at: index, count, &isLast)))
    }

    /// Continues after a zero byte: with more text, or at the end of the bytes in memory.
    /// - Returns: false at the end of the text.
    @inline(never)
    private mutating func scanOn(_ index: inout Int) throws(ImportError) -> Bool {
        if index < input.end {
            index += 1
        } else {
            let kept = index - input.mark
            let hasMore = try input.fill()
            index = input.mark + kept
            if !hasMore { return false }
        }
        index = ByteScan.endOfField(input.bytes, index, before: delimiter)
        return true
    }

    /// Consumes an unquoted field and its delimiter.
    /// - Returns: its length without the carriage return of the row's end.
    @inline(__always)
    private mutating func endField(at index: Int, _ count: Int, _ isLast: inout Bool) -> Int {
        input.position = min(index + 1, input.end)
        if input.bytes[index] == delimiter { return count }
        isLast = true
        if input.bytes[index] == UInt8(ascii: "\n") { input.endLine(at: index) }
        return count > 0 && input.bytes[index - 1] == UInt8(ascii: "\r") ? count - 1 : count
    }

    @inline(__always)
    private mutating func value(_ bytes: UnsafeBufferPointer<UInt8>) -> ImportedValue {
        bytes.isEmpty ? .null : .text(text(bytes))
    }

    @inline(__always)
    mutating func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        if let text = String(utf8: bytes) { return text }
        if fault == nil { fault = ImportError(.record, "a field is not UTF-8", line: fieldLine) }
        return ""
    }

    /// Records the row's first error, on the line that is being parsed.
    mutating func note(_ message: String) {
        if fault == nil { fault = ImportError(.record, message, line: input.line) }
    }
}
