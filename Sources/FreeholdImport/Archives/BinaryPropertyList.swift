import FreeholdEngine

/// A property list in Apple's binary format, `bplist00`: objects that refer to one another by their index.
///
/// ```
/// "bplist00" | objects … | table: one offset an object | trailer of 32 bytes: sizes, count, root, offset of the table
/// ```
///
/// Objects are read when they are asked for, and kept. An object that is read takes its bytes from a budget of the list's
/// size: the objects of a sound list do not overlap, so a list whose arrays all claim the same bytes ends in an error.
final class BinaryPropertyList {
    /// One object; containers hold indexes of objects.
    enum Object {
        case null
        case bool(Bool)
        case int(Int64)
        /// An unsigned number beyond 64 signed bits.
        case longInt(UInt64)
        case real(Double)
        /// Seconds since 2001-01-01 00:00 UTC.
        case date(Double)
        case data([UInt8])
        case string(String)
        /// A reference of a keyed archive.
        case reference(Int)
        case array([Int])
        case dictionary(keys: [Int], values: [Int])
    }

    /// Number of objects.
    let count: Int
    /// Index of the outermost object.
    let root: Int

    let bytes: [UInt8]
    let referenceSize: Int
    private let offsetSize: Int
    private let tableStart: Int
    private var kept: [Object?]
    private var budget: Int

    /// - Throws: `.notThisFormat` without the format's first bytes, `.damaged` if the trailer is impossible.
    init(_ bytes: [UInt8]) throws(SourceError) {
        guard Self.isBinaryPropertyList(bytes) else { throw SourceError(.notThisFormat, "not a binary property list") }
        guard bytes.count >= 8 + 1 + 32 else { throw Self.damaged("is cut off", at: bytes.count) }
        let trailer = bytes.count - 32
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        let numbers = [8, 16, 24].map { Self.number(bytes[trailer + $0..<trailer + $0 + 8]) }
        guard 1...8 ~= offsetSize, 1...8 ~= referenceSize, let count = Int(exactly: numbers[0]), let root = Int(exactly: numbers[1]),
            let table = Int(exactly: numbers[2]), table >= 8, table <= trailer, count > 0, count <= (trailer - table) / offsetSize,
            root < count
        else { throw Self.damaged("has an impossible trailer", at: trailer) }
        self.bytes = bytes
        (self.count, self.root, tableStart) = (count, root, table)
        kept = Array(repeating: nil, count: count)
        budget = table
    }

    /// Whether bytes begin as a binary property list does.
    static func isBinaryPropertyList(_ bytes: [UInt8]) -> Bool { bytes.starts(with: "bplist0".utf8) }

    /// The object with an index.
    func object(_ index: Int) throws(SourceError) -> Object {
        guard index >= 0, index < count else { throw Self.damaged("refers to object \(index) of \(count)", at: tableStart) }
        if let object = kept[index] { return object }
        let place = tableStart + index * offsetSize
        guard let start = Int(exactly: Self.number(bytes[place..<place + offsetSize])), start >= 8, start < tableStart else {
            throw Self.damaged("has an object outside its bytes", at: place)
        }
        var reader = ObjectReader(list: self, at: start, end: tableStart)
        let object = try reader.read()
        budget -= reader.position - start
        if budget < 0 { throw Self.damaged("has objects that overlap", at: start) }
        kept[index] = object
        return object
    }

    /// A number, the highest byte first.
    static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    static func damaged(_ what: String, at position: Int) -> SourceError {
        SourceError(.damaged, "a binary property list \(what) (its byte \(position))")
    }
}

/// Reads one object.
private struct ObjectReader {
    let list: BinaryPropertyList
    var position: Int
    let end: Int

    init(list: BinaryPropertyList, at position: Int, end: Int) {
        (self.list, self.position, self.end) = (list, position, end)
    }

    mutating func read() throws(SourceError) -> BinaryPropertyList.Object {
        let marker = try byte()
        let low = Int(marker & 15)
        switch marker >> 4 {
        case 0: return try single(marker)
        case 1: return try integer(1 << low)
        case 2: return .real(try real(1 << low))
        case 3 where low == 3: return .date(try real(8))
        case 4: return .data(Array(try take(try length(low))))
        case 5: return try string(try take(try length(low)), wide: false)
        case 6: return try string(try take(try length(low), size: 2), wide: true)
        case 7: return try string(try take(try length(low)), wide: false)
        case 8:
            guard let number = Int(exactly: BinaryPropertyList.number(try take(low + 1))) else {
                throw damaged("has a reference beyond any object")
            }
            return .reference(number)
        case 10, 11, 12: return .array(try references(try length(low)))
        case 13:
            let count = try length(low)
            return .dictionary(keys: try references(count), values: try references(count))
        default: throw damaged("has an object of unknown kind \(marker)")
        }
    }

    private func single(_ marker: UInt8) throws(SourceError) -> BinaryPropertyList.Object {
        switch marker {
        case 0: return .null
        case 8: return .bool(false)
        case 9: return .bool(true)
        default: throw damaged("has an object of unknown kind \(marker)")
        }
    }

    /// Integers of 1, 2 and 4 bytes are unsigned, those of 8 signed, those of 16 have the number in their last 8 bytes.
    private mutating func integer(_ size: Int) throws(SourceError) -> BinaryPropertyList.Object {
        guard size <= 16 else { throw damaged("has an integer of \(size) bytes") }
        let all = try take(size)
        let number = BinaryPropertyList.number(all.suffix(8))
        if size < 16 || number <= UInt64(Int64.max) { return .int(Int64(bitPattern: number)) }
        switch BinaryPropertyList.number(all.prefix(8)) {
        case 0: return .longInt(number)
        case .max: return .int(Int64(bitPattern: number))
        default: throw damaged("has an integer beyond 64 bits")
        }
    }

    private mutating func real(_ size: Int) throws(SourceError) -> Double {
        switch size {
        case 4: return Double(Float(bitPattern: UInt32(BinaryPropertyList.number(try take(4)))))
        case 8: return Double(bitPattern: BinaryPropertyList.number(try take(8)))
        default: throw damaged("has a number of \(size) bytes")
        }
    }

    private func string(_ bytes: ArraySlice<UInt8>, wide: Bool) throws(SourceError) -> BinaryPropertyList.Object {
        if !wide {
            guard let text = String(validating: bytes, as: UTF8.self) else { throw damaged("has a string that is not UTF-8") }
            return .string(text)
        }
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        for place in stride(from: bytes.startIndex, to: bytes.endIndex, by: 2) {
            units.append(UInt16(bytes[place]) << 8 | UInt16(bytes[place + 1]))
        }
        return .string(String(decoding: units, as: UTF16.self))
    }

    /// The length after a marker: its lower half, or if that is 15 an integer that follows.
    private mutating func length(_ low: Int) throws(SourceError) -> Int {
        if low < 15 { return low }
        let marker = try byte()
        guard marker >> 4 == 1, marker & 15 <= 3, let count = Int(exactly: BinaryPropertyList.number(try take(1 << Int(marker & 15))))
        else {
            throw damaged("has an impossible length")
        }
        return count
    }

    private mutating func references(_ count: Int) throws(SourceError) -> [Int] {
        let size = list.referenceSize
        let all = try take(count, size: size)
        var references: [Int] = []
        references.reserveCapacity(count)
        for place in stride(from: all.startIndex, to: all.endIndex, by: size) {
            guard let reference = Int(exactly: BinaryPropertyList.number(all[place..<place + size])), reference < list.count else {
                throw damaged("refers to an object that it does not have")
            }
            references.append(reference)
        }
        return references
    }

    private mutating func byte() throws(SourceError) -> UInt8 {
        let one = try take(1)
        return one[one.startIndex]
    }

    /// The next `count` elements of `size` bytes.
    private mutating func take(_ count: Int, size: Int = 1) throws(SourceError) -> ArraySlice<UInt8> {
        guard count <= (end - position) / size else { throw damaged("has an object that is cut off") }
        defer { position += count * size }
        return list.bytes[position..<position + count * size]
    }

    private func damaged(_ what: String) -> SourceError { BinaryPropertyList.damaged(what, at: position) }
}
