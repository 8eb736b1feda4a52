/// A value's sort code: two words whose order as unsigned numbers is that of the values of one type.
///
/// ```
/// bool, int, float, double    their ordered bits
/// date                        seconds · nanoseconds
/// uuid, objectId              their bytes
/// decimal                     where its first digit stands, with its sign, 15 bits; the digits as a number of 34, 113 bits
/// ```
struct SortCode: BitwiseCopyable {
    var high: UInt64
    var low: UInt64 = 0

    static let zero = SortCode(0 as UInt64)

    @inline(__always) init(_ high: UInt64, _ low: UInt64 = 0) { (self.high, self.low) = (high, low) }

    @inline(__always) init(_ number: Int64) { high = OrderedKey.orderedBits(number) }
    @inline(__always) init(_ number: Double) { high = OrderedKey.orderedBits(number) }
    @inline(__always) init(_ number: Float) { high = UInt64(OrderedKey.orderedBits(number)) }

    init(_ date: Timestamp) { self.init(OrderedKey.orderedBits(date.seconds), UInt64(UInt32(bitPattern: date.nanoseconds))) }

    /// Whether values of a type differ in the second word.
    static func isWide(_ type: PropertyType) -> Bool { type.width > 8 || type == .mixed }

    private static let digitBits: UInt64 = 113, places = Decimal128.largestExponent + Decimal128.digits - Decimal128.smallestExponent

    init(_ number: Decimal128) {
        let rank = number.rank
        // NaN, -infinity, negative numbers, zero, positive numbers, infinity.
        let zero = 2 + Self.places, place = rank.firstDigit - Decimal128.smallestExponent
        var digits = rank.digits, kind = zero
        switch rank.kind {
        case -3: kind = 0
        case -2: kind = 1
        case -1:
            kind = zero - 1 - place
            digits = (1 << UInt128(Self.digitBits)) - 1 - digits
        case 1: kind = zero + 1 + place
        case 2: kind = zero + 1 + Self.places
        default: break
        }
        high = UInt64(kind) << (Self.digitBits - 64) | UInt64(truncatingIfNeeded: digits >> 64)
        low = UInt64(truncatingIfNeeded: digits)
    }
}

/// The rank that precedes a value's code.
enum SortRank {
    static let null: UInt8 = 0
    /// Any value of a column of one type.
    static let value: UInt8 = 1
    /// Of mixed values, a string.
    static let string: UInt8 = 3
    /// There is no object at the end of the links.
    static let missing: UInt8 = 255
}

extension Value {
    /// Its position among the types of mixed values, and its code; strings and data are compared separately,
    /// collections of one kind are equal.
    ///
    /// Numbers of all types are compared as decimals: integers exactly, others by the digits that distinguish them from
    /// their neighbours.
    var sortCode: (rank: UInt8, code: SortCode) {
        switch self {
        case .null: (SortRank.null, SortCode.zero)
        case .bool(let flag): (1, SortCode(flag ? 1 : 0 as UInt64))
        case .int(let number): (2, SortCode(Decimal128(number)))
        case .float(let number): (2, SortCode(Self.decimal(Double(number))))
        case .double(let number): (2, SortCode(Self.decimal(number)))
        case .decimal(let number): (2, SortCode(number))
        case .string: (SortRank.string, SortCode.zero)
        case .data: (4, SortCode.zero)
        case .date(let date): (5, SortCode(date))
        case .objectId(let id): (6, SortCode(id.high, UInt64(id.low)))
        case .uuid(let id): (7, SortCode(id.high, id.low))
        case .link(let key): (8, SortCode(0, OrderedKey.orderedBits(key.rawValue)))
        case .object(let object): (8, SortCode(UInt64(object.classNumber), OrderedKey.orderedBits(object.key.rawValue)))
        case .list: (9, SortCode.zero)
        case .set: (10, SortCode.zero)
        case .map: (11, SortCode.zero)
        }
    }

    private static func decimal(_ number: Double) -> Decimal128 {
        // Between 2^53 and 2^63 the digits that distinguish a number from its neighbours are not its own.
        Int64(exactly: number).map { Decimal128($0) } ?? Decimal128(number)
    }
}
