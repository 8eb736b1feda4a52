/// What a kind of derived index supplies to the mechanism. The kind says what a document files; the mechanism finds the
/// documents that differ, keeps the state, and compares the entries with the objects.
protocol DerivedKind: Sendable {
    /// The kind's number in the schema.
    static var number: UInt8 { get }

    /// The numbers that the entries of this program depend on.
    var versions: DerivedVersions { get }

    /// Whether this machine has what documents are analysed by. Without it nothing is compared or filed: an index is left without
    /// entries, to be built by a program on another machine.
    var canAnalyse: Bool { get }

    /// The reason why an index of this kind cannot be declared so, or nil.
    func complaint(about index: StoredDerived, fields: [StoredProperty]) -> String?

    /// Begins a change of an index: in memory, so that it needs no lock until it is written.
    func change(of index: StoredDerived) -> any DerivedChange

    /// Calls `body` with the bytes of each entry that a document files; the bytes are borrowed.
    func forEachEntry(of document: DerivedDocument, in index: StoredDerived,
                      _ body: (UnsafeRawBufferPointer) throws(FreeholdError) -> Void) throws(FreeholdError)

    /// Calls `body` with each entry of an index, in any order.
    func forEachEntry(_ contents: DerivedContents, in access: BlockAccess,
                      _ body: (UnsafeRawBufferPointer, Int64) throws(FreeholdError) -> Void) throws(FreeholdError)

    /// The faults of an index that its blocks alone show.
    func faults(_ contents: DerivedContents, of index: StoredDerived, in access: BlockAccess) -> [String]

    /// The counts that the index keeps of its documents.
    func counts(_ contents: DerivedContents) -> [UInt64]

    /// Adds a document to such counts, which may be empty at first.
    func count(_ document: DerivedDocument, in index: StoredDerived, _ counts: inout [UInt64]) throws(FreeholdError)
}

extension DerivedKind {
    var canAnalyse: Bool { true }
}

/// The changes that one commit makes to a derived index.
protocol DerivedChange: AnyObject {
    /// The bytes of entries taken so far.
    var bytes: Int { get }

    /// Replaces an object's document; nil for none. A later call for the same key gets the document that an earlier one
    /// gave, as the old one.
    func replace(_ key: Int64, _ old: DerivedDocument?, by new: DerivedDocument?) throws(FreeholdError)

    /// Writes the changes, once; returns what the root has then, or nil if nothing has changed.
    ///
    /// - Parameter contents: what the root has; nil for an index without entries.
    func write(onto contents: DerivedContents?, table: UInt32, in pending: PendingBlocks) throws(FreeholdError) -> DerivedContents?
}
