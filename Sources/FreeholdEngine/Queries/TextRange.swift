/// A range of strings or data in byte order.
struct TextRange {
    private var low: (bytes: [UInt8], isExcluded: Bool)?
    private var high: (bytes: [UInt8], isExcluded: Bool)?

    /// Nil if the relation is not an ordering, or the constants are not strings or data.
    init?(_ relation: QueryComparison.Relation, _ constants: [Value]) {
        guard let first = constants.first?.bytes else { return nil }
        switch relation {
        case .less: high = (first, true)
        case .lessOrEqual: high = (first, false)
        case .greater: low = (first, true)
        case .greaterOrEqual: low = (first, false)
        case .between:
            guard constants.count == 2, let second = constants[1].bytes else { return nil }
            (low, high) = ((first, false), (second, false))
        default: return nil
        }
    }

    func contains(_ text: UnsafeRawBufferPointer) -> Bool {
        if let low {
            let isBelow = text.lexicographicallyPrecedes(low.bytes), isEqual = low.isExcluded && text.elementsEqual(low.bytes)
            if isBelow || isEqual { return false }
        }
        guard let high else { return true }
        return high.isExcluded ? text.lexicographicallyPrecedes(high.bytes) : !high.bytes.lexicographicallyPrecedes(text)
    }

    /// Calls `body` with the bounds in the form that leaves take.
    ///
    /// Safe: the bytes are held while `body` reads them.
    func withBounds(_ body: (TextLeaf.Bound?, TextLeaf.Bound?) -> Void) {
        let ends = (low?.bytes ?? [], high?.bytes ?? [])
        ends.0.withUnsafeBytes { first in
            ends.1.withUnsafeBytes { last in
                body(low.map { TextLeaf.Bound(bytes: first, isExcluded: $0.isExcluded) }, high.map { TextLeaf.Bound(bytes: last, isExcluded: $0.isExcluded) })
            }
        }
    }

    /// The range for an index lookup of the same values.
    func values(of type: PropertyType) -> ValueRange? {
        func value(_ bytes: [UInt8]) -> Value { type == .data ? .data(bytes) : .string(String(decoding: bytes, as: UTF8.self)) }
        // Null, which comes first, is in no such range.
        let from: ValueRange.Bound = low.map { $0.isExcluded ? .excluding(value($0.bytes)) : .including(value($0.bytes)) } ?? .excluding(.null)
        return ValueRange(from: from, to: high.map { $0.isExcluded ? .excluding(value($0.bytes)) : .including(value($0.bytes)) })
    }
}
