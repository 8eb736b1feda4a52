/// The identity of a file that pushes to a server: 128 random bits.
///
/// The order breaks ties between equal stamps; it means nothing else.
public struct ReplicaIdentity: Hashable, Comparable, Sendable {
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The identity in 16 bytes, big-endian; nil if there are more or fewer.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        for index in 0..<8 {
            words.0 = words.0 << 8 | UInt64(bytes[index])
            words.1 = words.1 << 8 | UInt64(bytes[index + 8])
        }
        self.init(high: words.0, low: words.1)
    }

    /// Software that writes to the server's tables by itself.
    public static let server = Self(high: 0, low: 0)

    static let byteCount = 16

    /// 16 bytes, big-endian.
    public var bytes: [UInt8] {
        [high, low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) } }
    }

    public static func < (one: Self, other: Self) -> Bool {
        one.high != other.high ? one.high < other.high : one.low < other.low
    }
}

extension ReplicaIdentity: CustomStringConvertible {
    /// 32 hexadecimal digits.
    public var description: String {
        [high, low].map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }.joined()
    }
}
