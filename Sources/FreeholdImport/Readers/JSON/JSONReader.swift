/// Reads objects from JSON: one array of objects, or objects one after another (JSON lines).
///
/// In an array any syntax error ends the reader, because the start of the next object is unknown. In JSON lines the
/// reader continues with the next line. With a path the text is one object that contains the array.
public final class JSONReader: RecordReader {
    enum State {
        case start
        case lines
        case array(isFirst: Bool)
        /// One object, at the end of a path.
        case single
        case ended
    }

    var parser: JSONParser
    var state = State.start
    /// The names that lead to the records, outermost first.
    let path: [String]

    /// Creates a reader at the input's first byte.
    /// - Parameter path: the names that lead to the array of records, or to a single record; empty if the whole text is
    ///   the array.
    public init(_ input: consuming ByteInput, path: [String] = []) {
        parser = JSONParser(input)
        self.path = path
    }

    public var bytesRead: Int { parser.input.bytesRead }

    public func next() throws(ImportError) -> ImportedRecord? {
        do throws(ImportError) {
            if case .start = state { try start() }
            switch state {
            case .array(let isFirst): return try nextElement(isFirst: isFirst)
            case .lines: return try nextLine()
            case .single: return try onlyRecord()
            case .start, .ended: return nil
            }
        } catch {
            if error.kind != .record { state = .ended }
            throw error
        }
    }

    private func start() throws(ImportError) {
        state = .ended
        try parser.input.skipByteOrderMark()
        if !path.isEmpty { return try descend() }
        switch try parser.skipBlanks() {
        case 0: break
        case UInt8(ascii: "["):
            parser.input.position += 1
            state = .array(isFirst: true)
        case UInt8(ascii: "{"): state = .lines
        case let byte: throw parser.unexpected(byte, "an object or an array of objects").ending
        }
    }

    private func nextElement(isFirst: Bool) throws(ImportError) -> ImportedRecord? {
        let value: ImportedValue
        let line: Int
        do throws(ImportError) {
            if try isArrayEnd(isFirst: isFirst) {
                state = .ended
                return nil
            }
            state = .array(isFirst: false)
            _ = try parser.skipBlanks()
            line = parser.input.line
            value = try parser.record()
        } catch {
            // After an error in `fault` the parser can continue; after a thrown error it cannot.
            throw error == parser.fault ? error : error.ending
        }
        return try record(value, line: line)
    }

    /// Consumes the comma before an element, or the bracket after the last one.
    private func isArrayEnd(isFirst: Bool) throws(ImportError) -> Bool {
        let byte = try parser.skipBlanks()
        if byte == UInt8(ascii: "]") {
            parser.input.position += 1
            try ascend()
            let behind = try parser.skipBlanks()
            guard behind == 0 else { throw parser.unexpected(behind, "the end of the text after the \(path.isEmpty ? "array" : "object")") }
            return true
        }
        if isFirst { return false }
        guard byte == UInt8(ascii: ",") else { throw parser.unexpected(byte, "',' or ']'") }
        parser.input.position += 1
        return false
    }

    private func nextLine() throws(ImportError) -> ImportedRecord? {
        let value: ImportedValue
        let line: Int
        do throws(ImportError) {
            if try parser.skipBlanks() == 0 { return nil }
            line = parser.input.line
            value = try parser.record()
        } catch {
            if error.kind == .record, error != parser.fault { try skipLine() }
            throw error
        }
        return try record(value, line: line)
    }

    /// Moves to the next line after an error, unless the failing line begins with an opening brace: then the line
    /// before it was cut off.
    private func skipLine() throws(ImportError) {
        let isOpening = parser.input.position < parser.input.end && parser.input.offset == parser.input.lineStart
            && parser.input.bytes[parser.input.position] == UInt8(ascii: "{")
        if !isOpening { _ = try parser.input.nextLine() }
    }

    func record(_ value: ImportedValue, line: Int) throws(ImportError) -> ImportedRecord {
        guard case .object(let object) = value else {
            throw ImportError(.record, "expected an object, found \(value.kindName)", line: line)
        }
        return ImportedRecord(object: object, line: line)
    }
}

extension ImportError {
    /// Returns the error as one that ends the reader.
    var ending: ImportError {
        kind == .record ? ImportError(.text, message, line: line, column: column) : self
    }
}
