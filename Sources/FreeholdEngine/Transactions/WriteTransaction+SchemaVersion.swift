/// The number by which programs count the versions of their classes. The engine only keeps it, with the schema.
extension WriteTransaction {
    /// The number, as this transaction sees it; nil if nobody has set one.
    public var schemaVersion: UInt64? { schema.version }

    /// Sets the number. It goes into the file with the transaction's commit, and not without it.
    public func setSchemaVersion(_ version: UInt64?) throws(FreeholdError) {
        try requireOpen()
        if version != schema.version { replaceSchema(by: schema.versioned(version)) }
    }
}
