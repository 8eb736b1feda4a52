extension Table {
    /// Calls `body` with every object in ascending key order, until it returns false.
    public func forEach(_ body: (Row) throws -> Bool) throws {
        try forEach(from: ObjectKey(.min), body)
    }

    /// Calls `body` with every object whose key is at least `key`, in ascending key order, until it returns false.
    ///
    /// - Parameter keepingBytes: whether what `Row.withBytes` gives is used after its call has returned, as long as the
    ///   snapshot stays at its version. Everything read of an encrypted file stays decrypted in memory then.
    public func forEach(from key: ObjectKey, keepingBytes: Bool = false, _ body: (Row) throws -> Bool) throws {
        if let scope { return try forEach(in: scope, from: key, keepingBytes: keepingBytes, body) }
        var pass = BlockPass(self, keepingBytes: keepingBytes)
        defer { pass.end() }
        var walk = try RowWalk(state, from: key.rawValue)
        while let row = try walk.next() {
            guard try body(row) else { return }
            if pass.isFull, row.key.rawValue < .max, pass.rest() {
                walk = try RowWalk(pass.state, from: row.key.rawValue + 1)
            }
        }
        try state.access.requireIntactMapping()
    }

    /// The keys in ascending order: at most `limit` of them, after skipping `offset`.
    public func keys(limit: Int = .max, offset: Int = 0) throws(FreeholdError) -> [ObjectKey] {
        var keys: [ObjectKey] = []
        var skip = offset
        do {
            try forEach { row in
                if keys.count >= limit { return false }
                if skip > 0 { skip -= 1 } else { keys.append(row.key) }
                return true
            }
        } catch let error as FreeholdError {
            throw error
        } catch {
            preconditionFailure("the body above throws nothing of its own")
        }
        return keys
    }
}
