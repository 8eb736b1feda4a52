/// The bytes of a value of fixed width, as two words: the first 8 bytes and up to 8 more.
///
/// A row of the tail and a mixed value store the type's `width` bytes of them, little-endian; a leaf of fixed rows stores them
/// big-endian, in the order of the value's text.
///
/// ```
/// bool 1 · int, float, double, link: the bits · date: seconds, nanoseconds · uuid, decimal: both words · objectId: 8 bytes, 4 bytes
/// ```
///
/// Safe throughout: callers pass memory of at least `width` bytes.
struct ValueWords: Equatable {
    var high: UInt64
    var low: UInt64

    @inline(__always) init(_ high: UInt64, _ low: UInt64 = 0) { (self.high, self.low) = (high, low) }

    /// Reads the first `width` bytes: 1, 4, 8, 12 or 16.
    @inline(__always)
    init(at start: UnsafeRawPointer, width: Int) {
        switch width {
        case 1: self.init(UInt64(start.load(as: UInt8.self)))
        case 4: self.init(UInt64(start.little(0, as: UInt32.self)))
        case 8: self.init(start.little(0))
        case 12: self.init(start.little(0), UInt64(start.little(8, as: UInt32.self)))
        default: self.init(start.little(0), start.little(8))
        }
    }

    /// Writes the first `width` bytes: 1, 4, 8, 12 or 16.
    @inline(__always)
    func store(to start: UnsafeMutableRawPointer, width: Int) {
        switch width {
        case 1: start.storeBytes(of: UInt8(truncatingIfNeeded: high), as: UInt8.self)
        case 4: start.setLittle(0, UInt32(truncatingIfNeeded: high))
        case 8: start.setLittle(0, high)
        case 12:
            start.setLittle(0, high)
            start.setLittle(8, UInt32(truncatingIfNeeded: low))
        default:
            start.setLittle(0, high)
            start.setLittle(8, low)
        }
    }
}

extension ByteBuffer {
    /// Appends the first `width` bytes.
    func append(_ words: ValueWords, width: Int) {
        switch width {
        case 1: append(UInt8(truncatingIfNeeded: words.high))
        case 4: append(little: UInt32(truncatingIfNeeded: words.high))
        default:
            append(little: words.high)
            if width == 12 { append(little: UInt32(truncatingIfNeeded: words.low)) }
            if width == 16 { append(little: words.low) }
        }
    }
}

extension Value {
    /// The value's words; nil for null, strings, data, collections, and links in mixed values.
    @inline(__always)
    var words: ValueWords? {
        switch self {
        case .bool(let flag): ValueWords(flag ? 1 : 0)
        case .int(let number): ValueWords(UInt64(bitPattern: number))
        case .float(let number): ValueWords(UInt64(number.bitPattern))
        case .double(let number): ValueWords(number.bitPattern)
        case .date(let date): ValueWords(UInt64(bitPattern: date.seconds), UInt64(UInt32(bitPattern: date.nanoseconds)))
        case .uuid(let id): ValueWords(id.high, id.low)
        case .objectId(let id): ValueWords(id.high, UInt64(id.low))
        case .link(let key): ValueWords(UInt64(bitPattern: key.rawValue))
        case .decimal(let number): ValueWords(number.high, number.low)
        case .null, .string, .data, .list, .set, .map, .object: nil
        }
    }

    /// The value that has these words; null for types without words.
    @inline(__always)
    init(_ words: ValueWords, of type: PropertyType) {
        self = switch type {
        case .bool: .bool(words.high != 0)
        case .int: .int(Int64(bitPattern: words.high))
        case .float: .float(Float(bitPattern: UInt32(truncatingIfNeeded: words.high)))
        case .double: .double(Double(bitPattern: words.high))
        case .date:
            .date(Timestamp(seconds: Int64(bitPattern: words.high), nanoseconds: Int32(truncatingIfNeeded: words.low)))
        case .uuid: .uuid(UniqueIdentifier(high: words.high, low: words.low))
        case .objectId: .objectId(ObjectIdentifier12(high: words.high, low: UInt32(truncatingIfNeeded: words.low)))
        case .link: .link(ObjectKey(Int64(bitPattern: words.high)))
        case .decimal: .decimal(Decimal128(high: words.high, low: words.low))
        case .string, .data, .mixed: .null
        }
    }
}

extension PropertyType {
    /// The value of a required property before it is set; null for links and mixed values, which have none.
    var zero: Value {
        switch self {
        case .string: .string("")
        case .data: .data([])
        case .link, .mixed: .null
        case .decimal: .decimal(.zero)
        default: Value(ValueWords(0), of: self)
        }
    }
}
