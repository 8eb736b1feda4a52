/// An object's position by its value of one property, as one number: null first, then NaN, then the values.
///
/// ```
/// bits 120…127  0 null, 1 a value
/// bits   0…119  the ordered bits of a number; of a date its seconds and nanoseconds; of a text its first 14 bytes, and 0…14 how many it
///               has, or 15 for more
/// ```
/// Reversed for a descending order.
typealias TopWord = UInt128

extension TopWord {
    static let null: TopWord = 0

    @inline(__always) private static func value(_ bits: TopWord) -> TopWord { 1 << 120 | bits }
    @inline(__always) init(number: Int64) { self = Self.value(TopWord(OrderedKey.orderedBits(number))) }
    @inline(__always) init(real: Double) { self = Self.value(TopWord(OrderedKey.orderedBits(real))) }
    @inline(__always) init(seconds: Int64, nanoseconds: Int32) {
        self = Self.value(TopWord(OrderedKey.orderedBits(seconds)) << 32 | TopWord(UInt32(bitPattern: nanoseconds)))
    }

    static let textBytes = 14

    /// Safe: reads bytes of the text.
    init(text: UnsafeRawBufferPointer) {
        var bits: TopWord = 0
        for place in 0..<Self.textBytes { bits = bits << 8 | TopWord(place < text.count ? text[place] : 0) }
        self = Self.value(bits << 8 | TopWord(Swift.min(text.count, Self.textBytes + 1)))
    }

    /// For a text's word: whether longer texts have the same word.
    var isCutText: Bool { self & 0xFF > TopWord(Self.textBytes) }

    /// For a text's word: its first bytes.
    var textBytes: [UInt8] { (0..<Self.textBytes).map { UInt8(truncatingIfNeeded: self >> TopWord(8 * (Self.textBytes - $0))) } }

    var isNull: Bool { self < 1 << 120 }
    /// The lower 64 bits of a number's word.
    var bits: UInt64 { UInt64(truncatingIfNeeded: self) }
}
