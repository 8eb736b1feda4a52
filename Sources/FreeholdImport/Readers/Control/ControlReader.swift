/// Reads stanzas of `Key: value` lines in the format of Debian's package lists (deb822). A stanza ends with an empty
/// line. A line that begins with a blank continues the previous value; a single dot in such a line is an empty line.
public final class ControlReader: RecordReader {
    private var input: ByteInput
    private var fields = Fields()
    private var hasEnded = false

    /// Creates a reader at the input's first byte.
    public init(_ input: consuming ByteInput) {
        self.input = input
    }

    public var bytesRead: Int { input.bytesRead }

    public func next() throws(ImportError) -> ImportedRecord? {
        if hasEnded { return nil }
        do throws(ImportError) {
            return try stanza()
        } catch {
            hasEnded = error.kind != .record
            throw error
        }
    }

    private func stanza() throws(ImportError) -> ImportedRecord? {
        if input.offset == 0 { try input.skipByteOrderMark() }
        fields.clear()
        var first = input.line
        while true {
            let line = input.line
            guard let bytes = try input.nextLine() else {
                hasEnded = true
                break
            }
            if bytes.first == UInt8(ascii: "#") { continue }
            if bytes.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) {
                if !fields.isEmpty { break }
                continue
            }
            if fields.isEmpty { first = line }
            fields.take(bytes, line: line)
        }
        if let fault = fields.fault { throw fault }
        return fields.isEmpty ? nil : ImportedRecord(object: fields.object(), line: first)
    }
}

/// The fields of the stanza being read.
private struct Fields {
    private var shapes = ShapeTable()
    /// The first error of the stanza, which is then read to its end and skipped.
    private(set) var fault: ImportError?
    private(set) var isEmpty = true
    private var node = ShapeTable.root
    private var values: [ImportedValue] = []

    mutating func clear() {
        shapes.trim()
        (fault, isEmpty, node) = (nil, true, ShapeTable.root)
        values.removeAll(keepingCapacity: true)
    }

    mutating func take(_ bytes: UnsafeBufferPointer<UInt8>, line: Int) {
        isEmpty = false
        if bytes.first == UInt8(ascii: " ") || bytes.first == UInt8(ascii: "\t") {
            goOn(bytes.trimmingBlanks(), line: line)
        } else if let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0 {
            let value = UnsafeBufferPointer(rebasing: bytes[(colon + 1)...]).trimmingBlanks()
            add(UnsafeBufferPointer(rebasing: bytes[..<colon]), value, line: line)
        } else {
            note("expected 'Key: value'", line: line)
        }
    }

    mutating func object() -> ImportedObject {
        ImportedObject(shape: shapes.shape(of: node), values: values)
    }

    private mutating func add(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, line: Int) {
        guard let next = shapes.child(of: node, named: name), let text = String(utf8: value) else {
            return note("the field is not UTF-8", line: line)
        }
        node = next
        values.append(.text(text))
    }

    private mutating func goOn(_ bytes: UnsafeBufferPointer<UInt8>, line: Int) {
        guard case .text(var text) = values.popLast(), let more = String(utf8: bytes) else {
            return note("a line that begins with a blank continues a field, but there is no field before it", line: line)
        }
        text += more == "." ? "\n" : "\n" + more
        values.append(.text(text))
    }

    private mutating func note(_ message: String, line: Int) {
        if fault == nil { fault = ImportError(.record, message, line: line) }
    }
}

extension UnsafeBufferPointer<UInt8> {
    fileprivate func trimmingBlanks() -> UnsafeBufferPointer<UInt8> {
        func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        guard let first = firstIndex(where: { !isBlank($0) }), let last = lastIndex(where: { !isBlank($0) }) else {
            return UnsafeBufferPointer(rebasing: self[..<0])
        }
        return UnsafeBufferPointer(rebasing: self[first...last])
    }
}
