/// The bytes of a schema as they are written.
struct SchemaWriter {
    var bytes: [UInt8] = []

    mutating func put(_ number: UInt32) {
        for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: number >> UInt32(shift))) }
    }

    mutating func put(_ text: String) {
        put(UInt32(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    /// The number of bytes, and these.
    mutating func put(bytes more: [UInt8]) {
        put(UInt32(more.count))
        bytes += more
    }

    /// A byte, the first flag lowest.
    mutating func put(flags: [Bool]) {
        bytes.append(flags.enumerated().reduce(0) { $0 | ($1.element ? 1 << UInt8($1.offset) : 0) })
    }

    mutating func put(places: [Int]) {
        put(UInt32(places.count))
        for place in places { put(UInt32(place)) }
    }
}

/// The bytes of a schema as they are read; every number and length is checked against the bytes that are left.
struct SchemaReader {
    let bytes: [UInt8]
    var offset = 0

    static let damaged = FreeholdError(.corrupt, "the schema is damaged; restore a backup or run `freehold salvage`")

    mutating func byte() throws(FreeholdError) -> UInt8 {
        guard offset < bytes.count else { throw Self.damaged }
        offset += 1
        return bytes[offset - 1]
    }

    mutating func integer() throws(FreeholdError) -> UInt32 {
        guard offset + 4 <= bytes.count else { throw Self.damaged }
        offset += 4
        return (1...4).reduce(0) { $0 << 8 | UInt32(bytes[offset - $1]) }
    }

    mutating func text() throws(FreeholdError) -> String { String(decoding: try counted(), as: UTF8.self) }

    mutating func flags(below limit: UInt8) throws(FreeholdError) -> UInt8 {
        let flags = try byte()
        guard flags < limit else { throw Self.damaged }
        return flags
    }

    var isAtEnd: Bool { offset == bytes.count }

    /// As many bytes as the number before them says.
    mutating func counted() throws(FreeholdError) -> [UInt8] {
        let length = Int(try integer())
        guard length <= bytes.count - offset else { throw Self.damaged }
        defer { offset += length }
        return Array(bytes[offset..<offset + length])
    }

    mutating func places() throws(FreeholdError) -> [Int] {
        var places: [Int] = []
        for _ in 0..<(try integer()) { places.append(Int(try integer())) }
        return places
    }
}
