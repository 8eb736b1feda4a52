extension WriteTransaction {
    /// Sets a string or data property of an object to a value that was streamed before, without writing it again.
    ///
    /// The writer can go on being used for another attempt until a transaction that set it is committed; then it is used up. The
    /// bytes of a string are not looked at: they should be UTF-8.
    /// - Throws: `.noSuchObject`; `.typeMismatch` for other types; `.valueTooLarge` for an indexed property; `.invalidArgument`
    ///   for a value that is not finished, was used before, or is another database's; `.leaseLost`.
    public func set(_ key: ObjectKey, in table: Table, _ column: Column, to value: LargeValueWriter) throws(FreeholdError) {
        let writer = try own(table)
        let index = try writer.state.index(of: column)
        try require(key, of: table, writer, has: index)
        try value.requireFinished(on: core)
        if value.isShort {
            try writer.parts.requireBytes(index)
            let bytes = value.bytes
            return try writer.set(key.rawValue, index, to: column.type == .data ? .data(bytes) : .string(String(decoding: bytes, as: UTF8.self)))
        }
        guard !pending.attached.contains(where: { $0.source === value }) else {
            throw FreeholdError(.invalidArgument, "this long value already belongs to another property in this transaction; write it "
                + "once for each", path: core.path)
        }
        try writer.parts.set(key.rawValue, index, length: value.byteCount) {
            pending.attach(value.chunks, length: value.byteCount, table: writer.number, runs: value.runs, from: value)
        }
    }

    /// Throws if a value was cancelled since it was set, or its pages were taken away.
    func requireAttachedValues() throws(FreeholdError) {
        for value in pending.attached { try (value.source as? LargeValueWriter)?.requireFinished(on: core) }
    }

    /// Marks the values that the commit has taken over as used up.
    func noteTakenValues() {
        guard pending.hasAttached, let sources = writing.commitWriter?.releaseAttached() else { return }
        for source in sources { (source as? LargeValueWriter)?.noteTaken() }
    }
}
