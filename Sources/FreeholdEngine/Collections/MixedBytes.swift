/// A mixed value as the bytes of a text leaf or of a row's text.
///
/// ```
/// type u8 (`PropertyType`'s number) · value:
/// bool 1 · float 4 · int, double 8 · date 12 (seconds, nanoseconds) · uuid, decimal 16 · objectId 12 (as in a row's slots)
/// string, data: its bytes · link: class number u32, key i64
/// or 128 + the number of a collection's kind · varint elements · for each: [a map's key: varint bytes, UTF-8] · varint bytes, mixed value
/// ```
/// Null has no bytes: it is the column's null bit, or no bytes in a collection. A map's keys ascend.
///
/// Safe throughout: the count of bytes is compared with the type's before they are read.
enum MixedBytes {
    /// Maximum nesting of collections.
    static let maximumDepth = 100
    /// A collection is preceded by this byte and its kind.
    static let collectionMark: UInt8 = 0x80

    /// Whether a value with these first bytes is a link, or may contain one.
    static func mayLink(_ first: UInt8) -> Bool { first == PropertyType.link.rawValue || first & collectionMark != 0 }

    /// Decodes a value; nil if the bytes are invalid.
    ///
    /// - Parameter depth: how many levels of collections it may contain.
    static func decode(_ bytes: UnsafeRawBufferPointer, depth: Int = maximumDepth) -> Value? {
        guard let first = bytes.first else { return nil }
        let rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
        if first & collectionMark != 0 {
            guard depth > 0, let kind = CollectionKind(rawValue: first & ~collectionMark), kind != .set else { return nil }
            return collection(kind, rest, depth: depth - 1)
        }
        guard let type = PropertyType(rawValue: first) else { return nil }
        switch type {
        case .string: return .string(String(decoding: rest, as: UTF8.self))
        case .data: return .data(Array(rest))
        case .mixed: return nil
        default: break
        }
        guard let start = rest.baseAddress, rest.count == length(type) else { return nil }
        switch type {
        case .bool where rest[0] > 1: return nil
        case .link: return .object(ObjectReference(classNumber: Int(start.little(0, as: UInt32.self)), key: ObjectKey(start.little(4))))
        default: return Value(ValueWords(at: start, width: type.width), of: type)
        }
    }

    private static func collection(_ kind: CollectionKind, _ bytes: UnsafeRawBufferPointer, depth: Int) -> Value? {
        var offset = 0
        func part() -> UnsafeRawBufferPointer? {
            guard let length = Varint.decode(bytes, &offset), length <= bytes.count - offset else { return nil }
            defer { offset += Int(length) }
            return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + Int(length)])
        }
        guard let count = Varint.decode(bytes, &offset), count <= bytes.count else { return nil }
        var values: [Value] = [], entries: TextMap<Value> = [:], last: UnsafeRawBufferPointer?
        for _ in 0..<count {
            var name: UnsafeRawBufferPointer?
            if kind == .map {
                guard let key = part(), last.map({ $0.lexicographicallyPrecedes(key) }) ?? true else { return nil }
                (name, last) = (key, key)
            }
            guard let element = part(), let value = element.isEmpty ? .null : decode(element, depth: depth) else { return nil }
            if let name { entries[String(decoding: name, as: UTF8.self)] = value } else { values.append(value) }
        }
        guard offset == bytes.count, kind == .list || entries.count == count else { return nil }
        return kind == .list ? .list(values) : .map(entries)
    }

    /// Number of bytes of a value.
    static func count(_ value: Value) -> Int {
        switch value {
        case .null, .set: 0
        case .string(let text): 1 + text.utf8.count
        case .data(let bytes): 1 + bytes.count
        case .list(let values): values.reduce(1 + Varint.length(UInt64(values.count))) { $0 + part(count($1)) }
        case .map(let entries):
            entries.reduce(1 + Varint.length(UInt64(entries.count))) { $0 + part($1.key.utf8.count) + part(count($1.value)) }
        default: 1 + (value.type.map(length) ?? 0)
        }
    }

    private static func part(_ count: Int) -> Int { Varint.length(UInt64(count)) + count }

    /// A link has the number of its class in front.
    private static func length(_ type: PropertyType) -> Int { type == .link ? 12 : type.width }
}

/// Safe throughout: texts are appended from memory that is held meanwhile.
extension ByteBuffer {
    /// Appends a value other than null.
    func append(mixed value: Value) {
        guard let type = value.type else { return appendCollection(value) }
        append(type.rawValue)
        switch value {
        case .string(var text): text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
        case .data(let bytes): bytes.withUnsafeBytes { append($0) }
        case .object(let reference):
            append(little: UInt32(truncatingIfNeeded: reference.classNumber))
            append(little: reference.key.rawValue)
        case .link: break
        default: if let words = value.words { append(words, width: type.width) }
        }
    }

    private func appendCollection(_ value: Value) {
        guard let kind = value.collectionKind else { return }
        append(MixedBytes.collectionMark | kind.rawValue)
        append(varint: UInt64(value.elementCount))
        switch value {
        case .list(let values): for value in values { appendPart(value) }
        case .map(let entries):
            for (key, value) in entries.sortedByKey {
                append(varint: UInt64(key.utf8.count))
                var key = key
                key.withUTF8 { append(UnsafeRawBufferPointer($0)) }
                appendPart(value)
            }
        default: break
        }
    }

    private func appendPart(_ value: Value) {
        append(varint: UInt64(MixedBytes.count(value)))
        append(mixed: value)
    }
}

extension Value {
    /// Converts a mixed value to the data stored in its leaf.
    mutating func becomeMixedBytes() {
        if self != .null { self = .data(mixedBytes) }
    }

    /// The bytes of a mixed value other than null.
    var mixedBytes: [UInt8] {
        let bytes = ByteBuffer(capacity: 64)
        bytes.append(mixed: self)
        return bytes.array
    }
}
