/// Embedded objects that another device has made.
extension SyncDeclarations {
    /// Makes an object of an embedded class, with what a new object has. Nothing links to it yet: the caller's next change has to.
    ///
    /// - Parameter number: the class, or one that extends it.
    func embed(_ number: Int) throws(FreeholdError) -> Int64 {
        let writer = try transaction.writer(transaction.schema.table(of: number))
        return try transaction.makeEmbedded([], writer, UInt32(number))
    }
}
