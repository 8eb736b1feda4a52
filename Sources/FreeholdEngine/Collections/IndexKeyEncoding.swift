/// The bytes under which an ordered tree over one column files a value.
///
/// Null is the empty key and so comes first. Numbers, dates and ids are their order-preserving bytes. Text and
/// data are their own bytes, with one more zero in front where they are empty or begin with a zero, so that they
/// differ from null and keep their order; a prefix of a text is so the prefix of its key.
///
/// Safe throughout: text is read within the buffer given.
extension ByteBuffer {
    func setIndexKey(_ value: Value) {
        removeAll()
        switch value {
        // Nothing is filed under a collection.
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
        }
    }

    @inline(__always) func appendIndexText(_ text: UnsafeRawBufferPointer) {
        if text.isEmpty || text[0] == 0 { append(0 as UInt8) }
        append(text)
    }
}
