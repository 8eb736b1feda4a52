import Foundation
import FreeholdEngine
import Synchronization

/// A unique id of 12 bytes: 4 of the time in seconds, 5 random, 3 of a counter.
///
/// ```swift
/// let id = ObjectId.generate()
/// print(id.stringValue, id.timestamp)
/// let known = try ObjectId(string: "507f1f77bcf86cd799439011")
/// ```
public struct ObjectId: Hashable, Comparable, Sendable, CustomStringConvertible {
    let bytes: ObjectIdentifier12

    init(_ bytes: ObjectIdentifier12) { self.bytes = bytes }

    /// The id with all bytes zero.
    public init() { bytes = ObjectIdentifier12(high: 0, low: 0) }

    /// Parses 24 hexadecimal digits; throws `RealmError` `.invalidInput` for any other string.
    public init(string: String) throws {
        guard let bytes = Self.parse(string) else {
            throw RealmError(.invalidInput, "'\(string)' is not an ObjectId, which has 24 hexadecimal digits")
        }
        self.bytes = bytes
    }

    /// Parses 24 hexadecimal digits of a literal; any other string stops the program.
    public init(_ string: StaticString) {
        guard let bytes = Self.parse("\(string)") else { preconditionFailure("'\(string)' is not an ObjectId, which has 24 hexadecimal digits") }
        self.bytes = bytes
    }

    /// Creates an id with a given time, machine (its low 3 bytes) and process (its low 2 bytes).
    public init(timestamp: Date, machineId: Int, processId: Int) {
        let seconds = UInt64(UInt32(truncatingIfNeeded: Int64(timestamp.timeIntervalSince1970)))
        let machine = UInt64(UInt32(truncatingIfNeeded: machineId) & 0xFF_FFFF), process = UInt64(UInt16(truncatingIfNeeded: processId))
        let count = Self.nextCount()
        bytes = ObjectIdentifier12(high: seconds << 32 | machine << 8 | process >> 8, low: UInt32(process & 0xFF) << 24 | count & 0xFF_FFFF)
    }

    /// Generates a new unique id.
    public static func generate() -> ObjectId {
        let seconds = UInt64(UInt32(truncatingIfNeeded: Int64(Date().timeIntervalSince1970)))
        let chance = processChance, count = nextCount()
        return ObjectId(ObjectIdentifier12(high: seconds << 32 | chance >> 8, low: UInt32(chance & 0xFF) << 24 | count & 0xFF_FFFF))
    }

    /// Five random bytes that distinguish this process from others.
    private static let processChance = UInt64.random(in: 0..<1 << 40)
    private static let count = Atomic<UInt32>(UInt32.random(in: 0...0xFF_FFFF))
    // Safe: the counter wraps within its three bytes.
    private static func nextCount() -> UInt32 { count.wrappingAdd(1, ordering: .relaxed).newValue }

    /// The time of creation, to the second.
    public var timestamp: Date { Date(timeIntervalSince1970: Double(bytes.high >> 32)) }

    /// The id as 24 hexadecimal digits.
    public var stringValue: String {
        func digits(_ number: UInt64, _ count: Int) -> String {
            let text = String(number, radix: 16)
            return String(repeating: "0", count: count - text.count) + text
        }
        return digits(bytes.high, 16) + digits(UInt64(bytes.low), 8)
    }

    public var description: String { stringValue }

    public static func < (left: ObjectId, right: ObjectId) -> Bool {
        (left.bytes.high, left.bytes.low) < (right.bytes.high, right.bytes.low)
    }

    private static func parse(_ text: String) -> ObjectIdentifier12? {
        guard text.utf8.count == 24, text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0 | 0x20 }),
              let high = UInt64(text.prefix(16), radix: 16), let low = UInt32(text.suffix(8), radix: 16) else { return nil }
        return ObjectIdentifier12(high: high, low: low)
    }
}

extension ObjectId: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer(), text = try container.decode(String.self)
        guard let bytes = Self.parse(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is not an ObjectId, which has 24 hexadecimal digits")
        }
        self.bytes = bytes
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(stringValue)
    }
}
