/// A short collection as bytes in its owner's leaf.
///
/// ```
/// varint elements · for each: [a map's key: varint bytes, UTF-8] · [0 or 1 where null is possible: 1 for a value] · value
/// value: bool 1 byte · int, link a zigzag varint · float 4, double 8 bytes · string, data varint and bytes · date its seconds
///        as an int, its nanoseconds a varint · uuid 16, objectId 12 bytes · mixed varint and its bytes · collection varint and its bytes
/// ```
/// Little-endian. A set's elements and a map's keys ascend.
enum InlineCollection {
    /// Encodes a short collection; nil if it must become a tree. An empty one has no bytes.
    static func encode(_ collection: Value, _ shape: CollectionShape, within limit: Int = CollectionCell.inlineLimit) -> [UInt8]? {
        if collection.elementCount > limit { return nil }
        let buffer = ByteBuffer(capacity: 256)
        guard append(collection, shape, to: buffer, limit) else { return nil }
        return buffer.array
    }

    private static func append(_ collection: Value, _ shape: CollectionShape, to buffer: ByteBuffer, _ limit: Int) -> Bool {
        let count = collection.elementCount
        if count == 0 { return true }
        if count > limit { return false }
        buffer.append(varint: UInt64(count))
        switch collection {
        case .list(let values), .set(let values):
            for value in values {
                guard append(element: value, shape, to: buffer, limit) else { return false }
            }
        case .map(let entries):
            for (key, value) in entries.sortedByKey {
                guard key.utf8.count <= limit else { return false }
                append(text: key, to: buffer)
                guard append(element: value, shape, to: buffer, limit) else { return false }
            }
        default: preconditionFailure("a collection")
        }
        return buffer.count <= limit
    }

    /// Safe (here and below): bytes are copied into the buffer before the call returns.
    private static func append(element value: Value, _ shape: CollectionShape, to buffer: ByteBuffer, _ limit: Int) -> Bool {
        if let inner = shape.inner {
            guard let bytes = encode(value, inner, within: limit) else { return false }
            buffer.append(varint: UInt64(bytes.count))
            bytes.withUnsafeBytes { buffer.append($0) }
            return buffer.count <= limit
        }
        if shape.isNullable { buffer.append(value == .null ? 0 : 1 as UInt8) }
        guard value.byteCount <= limit else { return false }
        if shape.type == .mixed {
            if value != .null { buffer.append(varint: UInt64(MixedBytes.count(value))) }
            buffer.append(mixed: value)
        } else {
            append(plain: value, to: buffer)
        }
        return buffer.count <= limit
    }

    /// Safe: as above.
    private static func append(text: String, to buffer: ByteBuffer) {
        buffer.append(varint: UInt64(text.utf8.count))
        var text = text
        text.withUTF8 { buffer.append(UnsafeRawBufferPointer($0)) }
    }

    /// Safe: as above.
    private static func append(plain value: Value, to buffer: ByteBuffer) {
        switch value {
        case .null: break
        case .bool(let flag): buffer.append(flag ? 1 : 0 as UInt8)
        case .int(let number): buffer.append(varint: Varint.zigzag(number))
        case .link(let key): buffer.append(varint: Varint.zigzag(key.rawValue))
        case .string(let text): append(text: text, to: buffer)
        case .data(let bytes):
            buffer.append(varint: UInt64(bytes.count))
            bytes.withUnsafeBytes { buffer.append($0) }
        case .date(let date):
            buffer.append(varint: Varint.zigzag(date.seconds))
            buffer.append(varint: UInt64(UInt32(bitPattern: date.nanoseconds)))
        default:
            guard let type = value.type, let words = value.words else { preconditionFailure("a single value of one type") }
            buffer.append(words, width: type.width)
        }
    }

    /// How many elements a collection has.
    static func count(_ bytes: UnsafeRawBufferPointer) throws(FreeholdError) -> Int {
        if bytes.isEmpty { return 0 }
        var reader = InlineReader(bytes: bytes)
        return try reader.count()
    }

    /// Decodes a collection.
    static func decode(_ bytes: UnsafeRawBufferPointer, _ shape: CollectionShape) throws(FreeholdError) -> Value {
        if bytes.isEmpty { return shape.empty }
        var reader = InlineReader(bytes: bytes)
        let value = try reader.collection(shape)
        guard reader.offset == bytes.count else { throw InlineReader.damaged }
        return value
    }
}

/// Safe throughout: every read is compared with the bytes there are.
private struct InlineReader {
    let bytes: UnsafeRawBufferPointer
    var offset = 0

    static let damaged = ListTree.damaged("a short collection has the wrong length")

    init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func count() throws(FreeholdError) -> Int { Int(try number(below: UInt64(bytes.count) + 1)) }

    mutating func collection(_ shape: CollectionShape) throws(FreeholdError) -> Value {
        let count = try count()
        var values: [Value] = [], entries: TextMap<Value> = [:]
        for _ in 0..<count {
            if shape.kind == .map {
                let key = String(decoding: try text(), as: UTF8.self)
                entries[key] = try element(shape)
            } else {
                values.append(try element(shape))
            }
        }
        return shape.kind == .map ? .map(entries) : shape.kind == .set ? .set(values) : .list(values)
    }

    private mutating func element(_ shape: CollectionShape) throws(FreeholdError) -> Value {
        if let inner = shape.inner { return try InlineCollection.decode(try text(), inner) }
        if shape.isNullable, try number(below: 2) == 0 { return .null }
        switch shape.type {
        case .bool: return .bool(try number(below: 2) != 0)
        case .int: return .int(Varint.unzigzag(try number()))
        case .link: return .link(ObjectKey(Varint.unzigzag(try number())))
        case .string: return .string(String(decoding: try text(), as: UTF8.self))
        case .data: return .data(Array(try text()))
        case .date:
            let seconds = Varint.unzigzag(try number())
            return .date(Timestamp(seconds: seconds, nanoseconds: Int32(bitPattern: UInt32(try number(below: 1 << 32)))))
        case .mixed:
            guard let value = MixedBytes.decode(try text()) else { throw Self.damaged }
            return value
        default: return Value(try words(shape.type.width), of: shape.type)
        }
    }

    private mutating func number(below limit: UInt64? = nil) throws(FreeholdError) -> UInt64 {
        guard let number = Varint.decode(bytes, &offset), limit.map({ number < $0 }) ?? true else { throw Self.damaged }
        return number
    }

    private mutating func words(_ width: Int) throws(FreeholdError) -> ValueWords {
        guard let start = bytes.baseAddress, bytes.count - offset >= width else { throw Self.damaged }
        defer { offset += width }
        return ValueWords(at: start + offset, width: width)
    }

    private mutating func text() throws(FreeholdError) -> UnsafeRawBufferPointer {
        let length = Int(try number(below: UInt64(bytes.count - offset) + 1))
        guard length <= bytes.count - offset else { throw Self.damaged }
        defer { offset += length }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length])
    }
}

extension CollectionShape {
    /// An empty collection of this kind.
    var empty: Value {
        switch kind {
        case .list: .list([])
        case .set: .set([])
        case .map: .map([:])
        }
    }
}
