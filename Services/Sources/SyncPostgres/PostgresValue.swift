/// A parameter of a statement, in the binary form of its type.
public enum PostgresValue: Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case text(String)
    case bytes([UInt8])
    /// A transaction's number (`xid8`).
    case transaction(UInt64)
    case ints([Int64])
    case transactions([UInt64])
    case byteArrays([[UInt8]?])
    /// An array of values in the binary form of a type, by its number and that of its arrays.
    case images(element: UInt32, array: UInt32, [[UInt8]?])

    /// The number of the type in `pg_type`.
    var type: UInt32 {
        switch self {
        case .null: 0
        case .bool: 16
        case .int: 20
        case .text: 25
        case .bytes: 17
        case .transaction: 5069
        case .ints: 1016
        case .transactions: 271
        case .byteArrays: 1001
        case .images(_, let array, _): array
        }
    }

    /// Nil for null.
    var binary: [UInt8]? {
        switch self {
        case .null: nil
        case .bool(let truth): [truth ? 1 : 0]
        case .int(let number): Self.big(UInt64(bitPattern: number))
        case .text(let text): Array(text.utf8)
        case .bytes(let bytes): bytes
        case .transaction(let number): Self.big(number)
        case .ints(let numbers): Self.array(of: 20, numbers.map { Self.big(UInt64(bitPattern: $0)) })
        case .transactions(let numbers): Self.array(of: 5069, numbers.map { Self.big($0) })
        case .byteArrays(let list): Self.array(of: 17, list)
        case .images(let element, _, let list): Self.array(of: element, list)
        }
    }

    /// One dimension from 1 on: how many there are, whether one is null, the type, the length, the first index; each behind its length.
    private static func array(of type: UInt32, _ elements: [[UInt8]?]) -> [UInt8] {
        let hasNull = elements.contains { $0 == nil }
        var made = big(UInt32(elements.isEmpty ? 0 : 1)) + big(UInt32(hasNull ? 1 : 0)) + big(type)
        if elements.isEmpty { return made }
        made += big(UInt32(elements.count)) + big(UInt32(1))
        for element in elements {
            made += big(UInt32(bitPattern: element.map { Int32($0.count) } ?? -1))
            made += element ?? []
        }
        return made
    }

    /// The bytes of a number, the highest first.
    static func big<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        (0..<Number.bitWidth / 8).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
