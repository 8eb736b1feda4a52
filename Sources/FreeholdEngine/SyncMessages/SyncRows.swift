/// The rows of an answer: in memory, or in the bytes of the message that has them, where each walk decodes them anew. So what a first
/// answer of millions of rows takes is its bytes.
public struct SyncRows: Sendable {
    private enum Storage: Sendable {
        case array([SyncRow])
        case encoded(Encoded)
    }

    /// Rows one behind the other in a message.
    fileprivate struct Encoded: Sendable {
        let message: [UInt8]
        let places: Range<Int>
        let count: Int
        let names: SyncNames
        let replicas: Int
    }

    private var storage: Storage

    public init(_ rows: [SyncRow]) { storage = .array(rows) }

    /// Rows that are decoded when they are walked.
    ///
    /// - Parameter places: the bytes of `count` rows, no more and no less.
    init(_ places: Range<Int>, of message: [UInt8], count: Int, names: SyncNames, replicas: Int) {
        storage = .encoded(Encoded(message: message, places: places, count: count, names: names, replicas: replicas))
    }

    public var count: Int {
        switch storage {
        case .array(let rows): rows.count
        case .encoded(let rows): rows.count
        }
    }

    /// Calls `body` with each row.
    ///
    /// - Throws: `.malformedInput` for bytes that no writer produces; what `body` throws.
    public func forEach(_ body: (SyncRow) throws(FreeholdError) -> Void) throws(FreeholdError) {
        switch storage {
        case .array(let rows): for row in rows { try body(row) }
        case .encoded(let rows): try rows.forEach(body)
        }
    }

    /// All rows in memory.
    public func decoded() throws(FreeholdError) -> [SyncRow] {
        if case .array(let rows) = storage { return rows }
        var rows: [SyncRow] = []
        rows.reserveCapacity(min(count, 1 << 16))
        try forEach { rows.append($0) }
        return rows
    }

    /// The rows in memory, to be changed; none if their message is damaged, which `forEach` and `decoded` report.
    var array: [SyncRow] {
        get { (try? decoded()) ?? [] }
        _modify {
            var rows = array
            storage = .array([])
            defer { storage = .array(rows) }
            yield &rows
        }
    }
}

extension SyncRows.Encoded {
    fileprivate func forEach(_ body: (SyncRow) throws(FreeholdError) -> Void) throws(FreeholdError) {
        // Safe: the decoder reads within the bytes, and no pointer outlives the call.
        let result = message.withUnsafeBytes { bytes in
            Result { () throws(FreeholdError) in
                var decoder = SyncDecoder(bytes: bytes, at: places)
                decoder.names = names
                decoder.replicaCount = replicas
                for _ in 0..<count { try body(try SyncRow(from: &decoder)) }
                guard decoder.isAtEnd else { throw decoder.damaged("the end of the rows", at: decoder.offset) }
            }
        }
        try result.get()
    }
}

extension SyncRows: Hashable {
    public static func == (one: SyncRows, other: SyncRows) -> Bool { one.count == other.count && one.array == other.array }
    public func hash(into hasher: inout Hasher) { hasher.combine(array) }
}
