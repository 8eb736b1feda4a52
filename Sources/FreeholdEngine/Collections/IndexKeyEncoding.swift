/// The index key of a value in an ordered tree over one column.
///
/// Null is the empty key and so comes first. Numbers, dates and ids are their order-preserving bytes. Strings and data
/// are their own bytes, preceded by a zero if they are empty or begin with a zero, so that they differ from null and
/// keep their order; a prefix of a string is thus the prefix of its key. A mixed value is preceded by the number of its
/// type, so values are ordered by type, then by value. A link in it is its class's number, then its key. Of a
/// collection in it only the kind is indexed, after all other values, and after those each link that it contains
/// (`setNestedKey`).
///
/// Safe throughout: text is read within the buffer given.
extension ByteBuffer {
    func setIndexKey(_ value: Value, of type: PropertyType) {
        removeAll()
        if type == .mixed {
            if let tag = value.type { append(tag.rawValue) } else if let kind = value.collectionKind { append(Self.collectionTag | kind.rawValue) }
        }
        appendIndexKey(value)
    }

    private static let collectionTag: UInt8 = 0x80
    /// No value of a mixed property has this key or a later one.
    static let nestedTag: UInt8 = 0xF0

    /// The key of a link in a collection in a mixed property.
    func setNestedKey(_ object: ObjectReference) {
        removeAll()
        append(Self.nestedTag)
        appendIndexKey(.object(object))
    }

    private func appendIndexKey(_ value: Value) {
        switch value {
        // Collections are not indexed.
        case .null, .list, .set, .map: break
        case .bool(let flag): append(flag ? 2 : 1 as UInt8)
        case .int(let number): append(big: OrderedKey.orderedBits(number))
        case .link(let key): append(big: OrderedKey.orderedBits(key.rawValue))
        case .float(let number): append(big: OrderedKey.orderedBits(number))
        case .double(let number): append(big: OrderedKey.orderedBits(number))
        case .string(var text): text.withUTF8 { appendIndexText(UnsafeRawBufferPointer($0)) }
        case .data(let bytes): bytes.withUnsafeBytes { appendIndexText($0) }
        case .date(let date):
            append(big: OrderedKey.orderedBits(date.seconds))
            append(big: UInt32(bitPattern: date.nanoseconds))
        case .uuid(let id):
            append(big: id.high)
            append(big: id.low)
        case .objectId(let id):
            append(big: id.high)
            append(big: id.low)
        case .decimal(let number): appendOrdered(number)
        case .object(let reference):
            append(big: UInt32(truncatingIfNeeded: reference.classNumber))
            append(big: OrderedKey.orderedBits(reference.key.rawValue))
        }
    }

    /// Appends a value to a compound key: as an ordered key, so that no value of its type is a prefix of another.
    func appendKey(_ value: Value, of type: PropertyType) {
        if type == .mixed, let tag = value.type {
            append(OrderedKey.value)
            append(tag.rawValue)
        }
        switch value {
        case .null, .list, .set, .map: appendKeyNull()
        case .bool(let flag): appendKey(flag)
        case .int(let number): appendKey(number)
        case .link(let key): appendKey(key.rawValue)
        case .float(let number): appendKey(number)
        case .double(let number): appendKey(number)
        case .string(var text): text.withUTF8 { appendKey(text: UnsafeRawBufferPointer($0)) }
        case .data(let bytes): bytes.withUnsafeBytes { appendKey(text: $0) }
        case .date(let date): appendKey(seconds: date.seconds, nanoseconds: date.nanoseconds)
        case .uuid(let id): appendKey(high: id.high, low: id.low)
        case .objectId(let id): appendKey(high: id.high, low: id.low)
        case .decimal(let number):
            append(OrderedKey.value)
            appendOrdered(number)
        case .object(let reference):
            append(OrderedKey.value)
            append(big: UInt32(truncatingIfNeeded: reference.classNumber))
            append(big: OrderedKey.orderedBits(reference.key.rawValue))
        }
    }

    @inline(__always) func appendIndexText(_ text: UnsafeRawBufferPointer) {
        if text.isEmpty || text[0] == 0 { append(0 as UInt8) }
        append(text)
    }
}
