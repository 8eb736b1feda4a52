/// An array in the file: the unit of everything in it.
///
/// ```
///   byte 0         3    4                                       5      8
///        capacity, -    0x80 inner node of a B+ tree             count   elements …
///        unused         0x40 elements are references             (big
///                       0x20 context: what it means depends      endian)
///                       0x18 form: 0 bits, 1 bytes, 2 count is bytes
///                       0x07 width: 0, 1, 2, 4, 8, 16, 32, 64
/// ```
/// 1. A node's elements lie within the file: `RealmPages.node` checks it before anything reads them.
/// 2. A reference is a multiple of 8; an odd element of a node with references is a number instead, shifted by one.
struct RealmNode {
    /// The form in which the elements lie.
    enum Form: UInt8 {
        /// Integers of `width` bits: below 8 without a sign, from 8 with one.
        case bits = 0
        /// Elements of `width` bytes.
        case bytes = 1
        /// `count` bytes.
        case plain = 2
    }

    static let headerBytes = 8

    /// Where it begins in the file.
    let reference: Int
    let flags: UInt8
    let form: Form
    let width: Int
    let count: Int
    let elements: RealmSpan

    var isInner: Bool { flags & 0x80 != 0 }
    var hasReferences: Bool { flags & 0x40 != 0 }
    var isContext: Bool { flags & 0x20 != 0 }

    /// An integer; the place is within the node.
    @inline(__always)
    func integer(_ place: Int) -> Int64 {
        precondition(place >= 0 && place < count && form == .bits, "a read beyond a node")
        switch width {
        case 0: return 0
        case 1: return Int64(elements.load(place >> 3, as: UInt8.self) >> UInt8(place & 7) & 1)
        case 2: return Int64(elements.load(place >> 2, as: UInt8.self) >> UInt8((place & 3) * 2) & 3)
        case 4: return Int64(elements.load(place >> 1, as: UInt8.self) >> UInt8((place & 1) * 4) & 15)
        case 8: return Int64(elements.load(place, as: Int8.self))
        case 16: return Int64(elements.load(place * 2, as: Int16.self))
        case 32: return Int64(elements.load(place * 4, as: Int32.self))
        default: return elements.load(place * 8, as: Int64.self)
        }
    }

    /// An integer without a sign, as keys of clusters are stored; the place is within the node.
    func unsigned(_ place: Int) -> UInt64 {
        let number = integer(place)
        switch width {
        case 8: return UInt64(UInt8(truncatingIfNeeded: number))
        case 16: return UInt64(UInt16(truncatingIfNeeded: number))
        case 32: return UInt64(UInt32(truncatingIfNeeded: number))
        default: return UInt64(bitPattern: number)
        }
    }

    /// The element at a place, or an error if there is none.
    func required(_ place: Int) throws(SourceError) -> Int64 {
        guard place >= 0, place < count else { throw .damaged("element \(place) of \(count) is missing", reference) }
        return integer(place)
    }

    /// Appends the integers in a range that is within the node.
    func append(_ range: Range<Int>, to numbers: inout [Int64]) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count && form == .bits, "a read beyond a node")
        switch width {
        case 0: numbers.append(contentsOf: repeatElement(0, count: range.count))
        case 8: append(range, as: Int8.self, to: &numbers)
        case 16: append(range, as: Int16.self, to: &numbers)
        case 32: append(range, as: Int32.self, to: &numbers)
        case 64: append(range, as: Int64.self, to: &numbers)
        default: for place in range { numbers.append(integer(place)) }
        }
    }

    /// Safe: the elements in the range lie within the span.
    @inline(__always)
    private func append<Number: FixedWidthInteger>(_ range: Range<Int>, as type: Number.Type, to numbers: inout [Int64]) {
        elements.withBytes { bytes in
            for place in range {
                let number = bytes.loadUnaligned(fromByteOffset: place * MemoryLayout<Number>.size, as: type)
                numbers.append(Int64(Number(littleEndian: number)))
            }
        }
    }
}

extension RealmPages {
    /// The node at a reference.
    /// - Throws: `.damaged` if the reference cannot be one, or the node is not all in the file.
    func node(_ reference: Int64) throws(SourceError) -> RealmNode {
        let header = try header(reference), place = Int(reference)
        guard let form = RealmNode.Form(rawValue: header.flags >> 3 & 3) else {
            throw .damaged("a node has a form that these versions of the format do not have", place)
        }
        let width = (1 << Int(header.flags & 7)) >> 1
        let bytes = switch form {
        case .bits: (header.count * width + 7) / 8
        case .bytes: header.count * width
        case .plain: header.count
        }
        let elements = try span(at: place + RealmNode.headerBytes, count: bytes)
        return RealmNode(reference: place, flags: header.flags, form: form, width: width, count: header.count, elements: elements)
    }

    /// The node at a reference, which holds integers or references.
    func integers(_ reference: Int64) throws(SourceError) -> RealmNode {
        let node = try node(reference)
        guard node.form == .bits else { throw .damaged("an array of integers has another form", node.reference) }
        return node
    }

    /// The node at a reference, which holds references.
    func references(_ reference: Int64) throws(SourceError) -> RealmNode {
        let node = try integers(reference)
        guard node.hasReferences else { throw .damaged("an array of references has none", node.reference) }
        return node
    }

    /// The flags and the count of the node at a reference.
    func header(_ reference: Int64) throws(SourceError) -> (flags: UInt8, count: Int) {
        guard reference >= Int64(RealmHeader.bytes), reference & 7 == 0, reference <= Int64(count) else {
            throw .damaged("a reference leads out of the file, which is damaged or cut off", Int(truncatingIfNeeded: max(reference, 0)))
        }
        let bytes = try span(at: Int(reference), count: RealmNode.headerBytes)
        let count = Int(bytes.load(5, as: UInt8.self)) << 16 | Int(bytes.load(6, as: UInt8.self)) << 8 | Int(bytes.load(7, as: UInt8.self))
        return (bytes.load(4, as: UInt8.self), count)
    }
}
