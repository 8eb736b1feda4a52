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
        var made: [UInt8] = []
        return append(to: &made) ? made : nil
    }

    /// Appends the binary form; false for null, which has none.
    private func append(to bytes: inout [UInt8]) -> Bool {
        switch self {
        case .null: return false
        case .bool(let truth): bytes.append(truth ? 1 : 0)
        case .int(let number): bytes.append(big: number)
        case .text(let text): bytes.append(contentsOf: text.utf8)
        case .bytes(let own): bytes.append(contentsOf: own)
        case .transaction(let number): bytes.append(big: number)
        case .ints(let numbers): Self.append(numbers, of: 20, to: &bytes)
        case .transactions(let numbers): Self.append(numbers, of: 5069, to: &bytes)
        case .byteArrays(let list): Self.append(list, of: 17, to: &bytes)
        case .images(let element, _, let list): Self.append(list, of: element, to: &bytes)
        }
        return true
    }

    /// Appends the binary form behind its length, as elements of arrays and fields of rows are.
    func appendField(to bytes: inout [UInt8]) {
        let place = bytes.count
        bytes.append(big: Int32(-1))
        guard append(to: &bytes) else { return }
        withUnsafeBytes(of: Int32(bytes.count - place - 4).bigEndian) { length in
            for (offset, byte) in length.enumerated() { bytes[place + offset] = byte }
        }
    }

    private static func append<Number: FixedWidthInteger>(_ numbers: [Number], of type: UInt32, to bytes: inout [UInt8]) {
        appendHead(type, numbers.count, hasNull: false, to: &bytes)
        for number in numbers {
            bytes.append(big: Int32(MemoryLayout<Number>.size))
            bytes.append(big: number)
        }
    }

    private static func append(_ elements: [[UInt8]?], of type: UInt32, to bytes: inout [UInt8]) {
        appendHead(type, elements.count, hasNull: elements.contains { $0 == nil }, to: &bytes)
        for element in elements {
            bytes.append(big: element.map { Int32($0.count) } ?? -1)
            if let element { bytes.append(contentsOf: element) }
        }
    }

    /// One dimension from 1 on: how many there are, whether one is null, the type, the length, the first index.
    private static func appendHead(_ type: UInt32, _ count: Int, hasNull: Bool, to bytes: inout [UInt8]) {
        for number in [count == 0 ? 0 : 1, hasNull ? 1 : 0, type] { bytes.append(big: number) }
        if count > 0 { for number in [UInt32(count), 1] { bytes.append(big: number) } }
    }

    /// The bytes of a number, the highest first.
    static func big<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        var made: [UInt8] = []
        made.append(big: number)
        return made
    }
}

extension [UInt8] {
    /// Appends the bytes of a number, the highest first.
    mutating func append<Number: FixedWidthInteger>(big number: Number) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }
}
