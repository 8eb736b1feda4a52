import FreeholdEngine

/// Reads values that are given one by one: transformable ones, those of external storage, and those of mixed kinds.
struct SingleValues {
    /// Whether the values say where they are.
    let isExternal: Bool
    let external: ExternalData

    /// A value; null if the file that should have it is missing.
    func value(_ cell: SQLiteCell, _ reading: AttributeReading) throws(SourceError) -> SourceValue {
        switch cell {
        case .null: return .value(.null)
        case .int(let number): return .value(.int(number))
        case .real(let number): return .value(.double(number))
        case .text(let bytes):
            if let text = String(validating: bytes, as: UTF8.self) { return .value(.string(text)) }
            return .value(.data(bytes))
        case .blob(let bytes): return try isExternal ? referred(bytes, reading) : Self.content(bytes, reading)
        case .long(let value):
            guard isExternal, !value.isText, try value.firstByte() == 1 else { return .long(value) }
            return .long(SourceBytes(isText: false, count: value.count - 1, reader: BytesAfterFirst(value.reader)))
        }
    }

    private func referred(_ bytes: [UInt8], _ reading: AttributeReading) throws(SourceError) -> SourceValue {
        // Safe: the buffer is that of the array, and is not kept.
        switch bytes.withUnsafeBytes({ ExternalData.form($0) }) {
        case .other: return Self.content(bytes, reading)
        case .inline: return Self.content(Array(bytes.dropFirst()), reading)
        case .file(let name):
            guard let file = try external.bytes(name) else { return .value(.null) }
            if file.count > SourceLimits.shortBytes { return .long(file) }
            return Self.content(try file.all(), reading)
        }
    }

    private static func content(_ bytes: [UInt8], _ reading: AttributeReading) -> SourceValue {
        if reading == .archive, let value = PlainValue.read(bytes) { return .value(value) }
        return .value(.data(bytes))
    }
}

/// The bytes of a long value after the first.
private final class BytesAfterFirst: SourceBytesReader {
    private let reader: any SourceBytesReader

    init(_ reader: any SourceBytesReader) { self.reader = reader }

    func forEachPart(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        var isFirst = true
        try reader.forEachPart { part in
            try body(isFirst ? UnsafeRawBufferPointer(rebasing: part.dropFirst()) : part)
            if !part.isEmpty { isFirst = false }
        }
    }
}

extension SourceBytes {
    /// All bytes; at most as many as there were when it was opened.
    func all() throws(SourceError) -> [UInt8] {
        var all: [UInt8] = []
        do {
            try reader.forEachPart { all.append(contentsOf: $0) }
        } catch {
            throw error as? SourceError ?? SourceError(.damaged, "\(error)")
        }
        return all
    }
}

extension SourceValue {
    /// About how many bytes it takes in memory.
    var approximateBytes: Int {
        switch self {
        case .value(let value): value.approximateBytes
        case .long: SourceLimits.shortBytes
        default: 64
        }
    }
}

extension Value {
    /// About how many bytes it takes in memory.
    fileprivate var approximateBytes: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .data(let bytes): bytes.count
        case .list(let values): values.reduce(64) { $0 + 32 + $1.approximateBytes }
        case .map(let entries): entries.values.reduce(64) { $0 + 64 + $1.approximateBytes }
        default: 32
        }
    }
}
