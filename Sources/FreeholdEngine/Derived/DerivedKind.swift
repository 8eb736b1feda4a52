/// What a kind of derived index supplies to the mechanism. The kind says what a document files; the mechanism finds the
/// documents that differ, keeps the state, and compares the entries with the objects.
protocol DerivedKind: Sendable {
    /// The kind's number in the schema.
    static var number: UInt8 { get }

    /// The numbers that the entries of this program depend on.
    var versions: DerivedVersions { get }

    /// Whether this program can compute entries: not without a library that the kind needs.
    var canFile: Bool { get }

    /// What this program does with an index, by its root.
    func handling(of root: DerivedRoot) -> DerivedHandling

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

/// What a program does with an index by the numbers in its root.
enum DerivedHandling: Sendable {
    /// The entries are as this program makes them: it reads and keeps them.
    case own
    /// An older program made them, or one with an older tool: this one builds the index anew.
    case rebuilt
    /// A program with another tool made them: this one can neither read nor keep them. A commit that would have to change them
    /// empties the index instead, and leaves building it to a program with the tool that it had, or a newer one.
    case emptied
    /// A newer program made them: this one must not change the class.
    case refused
}

extension DerivedKind {
    var canFile: Bool { true }

    func handling(of root: DerivedRoot) -> DerivedHandling {
        root.versions == versions ? .own : root.versions.isOlder(than: versions) ? .rebuilt : .refused
    }

    /// The root of an index that has no entry, though its class has objects. It is "being built", at the lowest position.
    ///
    /// - Parameter root: the root before, whose tool the new one keeps; nil if there was none.
    func emptied(_ root: DerivedRoot?) -> DerivedRoot {
        let own = versions
        var empty = DerivedRoot(kind: Self.number, versions: DerivedVersions(algorithm: own.algorithm, tables: own.tables,
                                                                             tool: root?.versions.tool ?? own.tool))
        empty.state = .building
        empty.position = .min
        return empty
    }
}

extension DerivedRoot {
    /// Whether the index has no entry, though its class has objects: a program without its tool has changed the class.
    var isEmptied: Bool { state == .building && position == .min }
}
