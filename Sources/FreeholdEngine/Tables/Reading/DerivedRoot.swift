/// The numbers that the entries of a derived index depend on, beside the documents and the options: a program changes
/// only an index whose numbers are its own.
struct DerivedVersions: Equatable, Sendable {
    /// The version of the kind's algorithm.
    let algorithm: UInt16
    /// The version of its tables: for Unicode 15.0.0, 15 · 65536.
    let tables: UInt32
    /// The fingerprint of a tool outside of Freehold that it uses; 0 for none.
    let tool: UInt64

    /// Whether an index of these numbers is to be built anew by a program of the others: no number is above. Two releases side by
    /// side never rebuild each other's index in turns. Tools have no order: one machine may get another version of a library, and
    /// the class must stay writable.
    func isOlder(than own: DerivedVersions) -> Bool {
        self != own && algorithm <= own.algorithm && tables <= own.tables
    }
}

extension DerivedVersions: CustomStringConvertible {
    var description: String {
        let tool = tool == 0 ? "" : ", tool \(String(tool, radix: 16))"
        return "version \(algorithm), tables \(tables >> 16).\(tables & 0xFFFF)\(tool)"
    }
}

/// What a kind keeps in the derived root: references to its trees, and bytes of its own.
struct DerivedContents {
    var references: [BlockReference] = []
    var bytes: [UInt8] = []
}

/// The state of one derived index, as its block has it.
///
/// ```
/// kind derivedRoot, variant = kind of the index, table = the class; references: of the kind
/// body: 0 kind u8 · 1 state u8 · 2 algorithm u16 · 4 tables u32 · 8 tool u64 · 16 position i64 · 24… kind
/// ```
/// Safe throughout: `complaint` has found the body long enough on first touch; a new block has the length of its
/// contents.
struct DerivedRoot {
    enum State: UInt8 {
        /// The index covers exactly the sealed objects of its class.
        case complete = 0
        /// It covers the sealed objects with keys below the position.
        case building = 1
    }

    let kind: UInt8
    var state = State.complete
    var versions: DerivedVersions
    /// While the index is being built, the objects with keys below are covered; 0 when it is complete.
    var position: Int64 = 0
    var contents = DerivedContents()

    static let stateOffset = 1, algorithmOffset = 2, tablesOffset = 4, toolOffset = 8, positionOffset = 16, headBytes = 24

    /// The key from which on sealed objects are not covered; nil if all of them are.
    var limit: Int64? { state == .complete ? nil : position }

    init(kind: UInt8, versions: DerivedVersions) {
        self.kind = kind
        self.versions = versions
    }

    /// Reads the block.
    init(_ reference: BlockReference, in access: BlockAccess) throws(FreeholdError) {
        let view = try access.view(reference), body = view.body
        guard view.kind == .derivedRoot, let state = State(rawValue: body.load(fromByteOffset: Self.stateOffset, as: UInt8.self)) else {
            throw FreeholdError(.corrupt, "the block at byte \(reference.byteOffset) should be the root of a derived index",
                                path: access.path)
        }
        kind = body.load(as: UInt8.self)
        self.state = state
        versions = DerivedVersions(algorithm: body.load(fromByteOffset: Self.algorithmOffset, as: UInt16.self),
                                   tables: body.load(fromByteOffset: Self.tablesOffset, as: UInt32.self),
                                   tool: body.load(fromByteOffset: Self.toolOffset, as: UInt64.self))
        position = body.load(fromByteOffset: Self.positionOffset, as: Int64.self)
        contents.references = (0..<view.referenceCount).map { view.reference($0) }
        contents.bytes = Array(UnsafeRawBufferPointer(start: body, count: view.bodyLength)[Self.headBytes...])
    }

    /// Reads the block of an index; throws if it is of another kind.
    init(_ reference: BlockReference, of index: StoredDerived, in access: BlockAccess) throws(FreeholdError) {
        try self.init(reference, in: access)
        guard kind == index.kind else {
            throw FreeholdError(.corrupt, "the root of a derived index of kind \(index.kind) is of kind \(kind)", path: access.path)
        }
    }

    /// Creates the block.
    func write(table: UInt32, in pending: PendingBlocks) -> BlockReference {
        let (reference, block) = pending.make(.derivedRoot, variant: kind, table: table, references: contents.references.count,
                                              body: Self.headBytes + contents.bytes.count)
        for (place, child) in contents.references.enumerated() { block.setReference(place, child) }
        let body = block.body
        body.storeBytes(of: kind, as: UInt8.self)
        body.storeBytes(of: state.rawValue, toByteOffset: Self.stateOffset, as: UInt8.self)
        body.storeBytes(of: versions.algorithm, toByteOffset: Self.algorithmOffset, as: UInt16.self)
        body.storeBytes(of: versions.tables, toByteOffset: Self.tablesOffset, as: UInt32.self)
        body.storeBytes(of: versions.tool, toByteOffset: Self.toolOffset, as: UInt64.self)
        body.storeBytes(of: position, toByteOffset: Self.positionOffset, as: Int64.self)
        UnsafeMutableRawBufferPointer(start: body + Self.headBytes, count: contents.bytes.count).copyBytes(from: contents.bytes)
        return reference
    }

    /// The error in the block's bytes, or nil.
    static func complaint(about view: BlockView) -> String? { view.bodyLength >= headBytes ? nil : "it lacks the state of a derived index" }
}
