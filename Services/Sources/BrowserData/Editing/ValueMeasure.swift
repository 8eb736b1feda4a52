import FreeholdEngine

/// The memory that values take, roughly.
enum ValueMeasure {
    static func bytes(of value: Value) -> Int {
        switch value {
        case .string(let text): 32 + text.utf8.count
        case .data(let bytes): 32 + bytes.count
        case .list(let values), .set(let values): values.reduce(32) { $0 + bytes(of: $1) }
        case .map(let entries): entries.reduce(64) { $0 + 48 + $1.key.utf8.count + bytes(of: $1.value) }
        default: 32
        }
    }

    /// The memory that a property's value would take; of a long text or collection without reading it.
    static func bytes(of row: Row, _ column: Column, _ property: PropertySchema) throws -> Int {
        if let kind = property.collections.first {
            let view = try CollectionView(row, column, kind)
            if property.collections.count == 1, property.type != .string, property.type != .data,
                property.type != .mixed { return 32 + 32 * view.count }
            if view.count > 4096 { return 32 + 64 * view.count + (try sample(view)) }
            return bytes(of: try row.value(column))
        }
        switch property.type {
        case .string, .data: return 32 + (try row.byteCount(column))
        case .mixed: return bytes(of: try row.value(column))
        default: return 32
        }
    }

    /// A guess at the bytes of a long collection, from its first elements.
    private static func sample(_ view: CollectionView) throws -> Int {
        let first = try view.values(in: 0..<256).reduce(0) { $0 + bytes(of: $1) }
        return first / 256 * view.count
    }
}

extension CollectionView {
    /// The collection in a property whose outermost collection is of this kind.
    init(_ row: Row, _ column: Column, _ kind: CollectionKind) throws(FreeholdError) {
        switch kind {
        case .list: self = .list(try row.list(column))
        case .set: self = .set(try row.set(column))
        case .map: self = .map(try row.map(column))
        }
    }
}
