import FreeholdEngine

/// Reads rows of CSV or TSV; the first row names the columns.
public final class DelimitedReader: RecordReader {
    private var parser: DelimitedParser
    private var shape: RecordShape?
    private var hasEnded = false

    /// Creates a reader at the input's first byte.
    /// - Parameter delimiter: the field separator: a comma, a tab, or any other byte except quote and newline.
    public init(_ input: consuming ByteInput, delimiter: UInt8) {
        parser = DelimitedParser(input, delimiter: delimiter)
    }

    public var bytesRead: Int { parser.input.bytesRead }

    public func next() throws(ImportError) -> ImportedRecord? {
        if hasEnded { return nil }
        do throws(ImportError) {
            if let shape { return try nextRow(shape) }
            return try nextRow(try readHeader())
        } catch {
            hasEnded = error.kind != .record
            throw error
        }
    }

    private func nextRow(_ shape: RecordShape) throws(ImportError) -> ImportedRecord? {
        let columns = shape.names.count
        // In a text of one column an empty line is a row: null.
        while try parser.hasMore(), columns != 1, try parser.skipEmptyLine() {}
        guard try parser.hasMore() else {
            hasEnded = true
            return nil
        }
        let line = parser.input.line
        let row = try parser.row(limit: columns)
        if let fault = parser.fault { throw fault }
        guard row.count == columns else {
            let message = "the row has \(row.count) \(row.count == 1 ? "field" : "fields"), the header has \(columns)"
            throw ImportError(.record, message, line: line)
        }
        return ImportedRecord(object: ImportedObject(shape: shape, values: row.values), line: line)
    }

    private func readHeader() throws(ImportError) -> RecordShape {
        try parser.input.skipByteOrderMark()
        while try parser.hasMore(), try parser.skipEmptyLine() {}
        guard try parser.hasMore() else {
            throw ImportError(.text, "the text is empty; its first row must name the columns")
        }
        let line = parser.input.line
        let row = try parser.row(limit: 1 << 16)
        if let fault = parser.fault { throw ImportError(.text, fault.message, line: fault.line) }
        guard row.count == row.values.count else {
            throw ImportError(.text, "more than \(row.values.count) columns", line: line)
        }
        let shape = RecordShape(try names(row.values, line: line))
        self.shape = shape
        return shape
    }

    private func names(_ values: [ImportedValue], line: Int) throws(ImportError) -> [String] {
        var names: [String] = []
        var seen: Set<ExactText> = []
        for value in values {
            guard case .text(let name) = value, !name.isEmpty else {
                throw ImportError(.text, "column \(names.count + 1) has no name; the first row names the columns", line: line)
            }
            guard seen.insert(name).inserted else {
                throw ImportError(.text, "two columns are named '\(name)'", line: line)
            }
            names.append(name)
        }
        return names
    }
}
