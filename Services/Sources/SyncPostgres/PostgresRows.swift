import CPostgres
import FreeholdEngine

/// The rows of a statement's result, in binary.
public final class PostgresRows {
    private let result: OpaquePointer
    public let count: Int

    init(_ result: OpaquePointer) {
        self.result = result
        count = Int(PQntuples(result))
    }

    deinit { PQclear(result) }

    public func isNull(_ row: Int, _ column: Int) -> Bool { PQgetisnull(result, Int32(row), Int32(column)) != 0 }

    /// The bytes of a value; none of null.
    public func bytes(_ row: Int, _ column: Int) -> [UInt8] { Array(raw(row, column)) }

    public func text(_ row: Int, _ column: Int) -> String { String(decoding: raw(row, column), as: UTF8.self) }

    public func bool(_ row: Int, _ column: Int) -> Bool { raw(row, column).first == 1 }

    /// An integer or a transaction's number, of 2, 4 or 8 bytes.
    public func int(_ row: Int, _ column: Int) -> Int64 { Self.int(raw(row, column)) }

    public func transaction(_ row: Int, _ column: Int) -> UInt64 { UInt64(bitPattern: int(row, column)) }

    /// - Throws: `.corrupt` for what is no array of one dimension.
    public func ints(_ row: Int, _ column: Int) throws(FreeholdError) -> [Int64] {
        try elements(row, column).map { $0.map { Self.int($0[...]) } ?? 0 }
    }

    /// - Throws: `.corrupt` for what is no array of one dimension.
    public func byteArrays(_ row: Int, _ column: Int) throws(FreeholdError) -> [[UInt8]?] { try elements(row, column) }

    private func raw(_ row: Int, _ column: Int) -> UnsafeBufferPointer<UInt8> {
        guard let start = PQgetvalue(result, Int32(row), Int32(column)) else { return UnsafeBufferPointer(start: nil, count: 0) }
        let count = Int(PQgetlength(result, Int32(row), Int32(column)))
        // Safe: bytes of the result, which lives as long as this object; no caller keeps them.
        return UnsafeRawBufferPointer(start: start, count: count).bindMemory(to: UInt8.self)
    }

    private static func int(_ bytes: some Collection<UInt8>) -> Int64 {
        let isNegative = (bytes.first ?? 0) >= 0x80
        return Int64(bitPattern: bytes.prefix(8).reduce(isNegative ? .max : 0) { $0 << 8 | UInt64($1) })
    }

    private func elements(_ row: Int, _ column: Int) throws(FreeholdError) -> [[UInt8]?] {
        let bytes = raw(row, column)
        if bytes.isEmpty { return [] }
        let damaged = FreeholdError(.corrupt, "PostgreSQL gives no array of one dimension in column \(column); see its log")
        guard bytes.count >= 12 else { throw damaged }
        if Self.int(bytes[0..<4]) == 0 { return [] }
        guard Self.int(bytes[0..<4]) == 1, bytes.count >= 20 else { throw damaged }
        var made: [[UInt8]?] = [], at = 20
        for _ in 0..<max(0, Self.int(bytes[12..<16])) {
            guard bytes.count - at >= 4 else { throw damaged }
            let length = Int(Self.int(bytes[at..<at + 4]))
            at += 4
            guard length <= bytes.count - at else { throw damaged }
            made.append(length < 0 ? nil : Array(bytes[at..<at + length]))
            at += max(length, 0)
        }
        return made
    }
}
