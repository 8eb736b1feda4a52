import Synchronization

/// A cache of schemas by their classes.
extension ModelSchema {
    private static let known = PerProcess<[[ObjectIdentifier]: ModelSchema]> { [:] }

    /// The schema of these classes; the same instance each time.
    static func of(_ types: [ObjectBase.Type]) throws -> ModelSchema {
        let key = types.map { ObjectIdentifier($0) }
        if let schema = known.withLock({ $0[key] }) { return schema }
        let schema = try ModelSchema(types)
        return known.withLock { known in
            if let first = known[key] { return first }
            known[key] = schema
            return schema
        }
    }
}
