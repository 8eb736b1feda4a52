/// A range of a record, kept beyond the row it was read from.
struct SQLiteRecordPart {
    enum Content {
        case bytes([UInt8])
        case chain(SQLiteOverflow)
    }

    private let content: Content
    let range: Range<Int>

    private static let step = 64 << 10

    init(_ content: Content, _ range: Range<Int>) {
        self.content = content
        self.range = range
    }

    /// Calls `body` with one part of the bytes after another, of an even number of bytes but for the last.
    func forEachPart(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        switch content {
        case .bytes(let bytes):
            // Safe: the buffer is that of the array, which lives until the call ends.
            try bytes.withUnsafeBytes { try body($0) }
        case .chain(let chain):
            var chain = chain.separate()
            let buffer = SQLitePageBuffer(count: Self.step)
            var at = range.lowerBound
            while at < range.upperBound {
                let part = UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[..<min(Self.step, range.upperBound - at)])
                try chain.read(from: at, into: part)
                try body(UnsafeRawBufferPointer(part))
                at += part.count
            }
        }
    }
}

/// A long string or blob, read from the file when it is needed.
///
/// Safe: a part is immutable, and every reading has a buffer of its own.
final class SQLiteLongValue: SourceBytesReader, @unchecked Sendable {
    private let part: SQLiteRecordPart
    /// The encoding that becomes UTF-8; nil: the bytes are given as they are.
    private let encoding: SQLiteEncoding?

    private init(_ part: SQLiteRecordPart, _ encoding: SQLiteEncoding?) {
        self.part = part
        self.encoding = encoding
    }

    /// A blob.
    static func bytes(_ part: SQLiteRecordPart) -> SourceBytes {
        SourceBytes(isText: false, count: part.range.count, reader: SQLiteLongValue(part, nil))
    }

    /// A string in UTF-8; if it is not valid, its bytes.
    static func text(_ part: SQLiteRecordPart, _ encoding: SQLiteEncoding) throws(SourceError) -> SourceBytes {
        let reader = SQLiteLongValue(part, encoding == .utf8 ? nil : encoding)
        var check = SQLiteTextCheck(), count = 0
        do {
            try reader.forEachPart { part in
                check.add(part)
                count += part.count
            }
        } catch {
            throw error as? SourceError ?? SourceError(.damaged, "\(error)")
        }
        return SourceBytes(isText: check.isValidAtEnd, count: count, reader: reader)
    }

    func forEachPart(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        guard let encoding else { return try part.forEachPart(body) }
        var converter = SQLiteText.Converter(encoding)
        var text: [UInt8] = []
        try part.forEachPart { bytes in
            text.removeAll(keepingCapacity: true)
            converter.append(bytes, to: &text)
            // Safe: the buffer is that of the array, which lives until the call ends.
            try text.withUnsafeBytes { try body($0) }
        }
        text.removeAll(keepingCapacity: true)
        converter.finish(&text)
        if !text.isEmpty { try text.withUnsafeBytes { try body($0) } }
    }
}
