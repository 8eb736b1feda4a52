#if FREEHOLD_POINTS
/// The kind of tests of the mechanism: each field that is not null is an entry, from its value's bytes to the object.
///
/// ```
/// derived root  reference 0: the tree; bytes: documents with an entry u64
/// entry         field u8 · the value's ordered key, its first 256 bytes
/// ```
/// It exists in debug builds only, as named points do.
struct FieldKind: DerivedKind {
    static let number: UInt8 = 255
    static let maximumBytes = 256

    /// The numbers of the program; a test sets others to be an older or a newer one.
    @TaskLocal static var versions = DerivedVersions(algorithm: 1, tables: 15 << 16, tool: 0)

    var versions: DerivedVersions { Self.versions }

    func complaint(about index: StoredDerived, fields: [StoredProperty]) -> String? {
        index.options.isEmpty ? nil : "an index of fields has no options"
    }

    func change(of index: StoredDerived) -> any DerivedChange { FieldChange(self, index) }

    func forEachEntry(of document: DerivedDocument, in index: StoredDerived,
                      _ body: (UnsafeRawBufferPointer) throws(FreeholdError) -> Void) throws(FreeholdError) {
        let key = ByteBuffer()
        for field in index.fields.indices {
            let value = try document.value(field)
            if value == .null { continue }
            key.removeAll()
            key.append(UInt8(field))
            key.appendKey(value, of: .mixed)
            try body(UnsafeRawBufferPointer(rebasing: key.bytes.prefix(Self.maximumBytes)))
        }
    }

    func forEachEntry(_ contents: DerivedContents, in access: BlockAccess,
                      _ body: (UnsafeRawBufferPointer, Int64) throws(FreeholdError) -> Void) throws(FreeholdError) {
        var cursor = try tree(contents, access).cursor()
        while try cursor.next() {
            let key = ByteBuffer()
            for byte in try cursor.key() { key.append(byte) }
            try body(key.bytes, cursor.objectKey.rawValue)
        }
    }

    func faults(_ contents: DerivedContents, of index: StoredDerived, in access: BlockAccess) -> [String] {
        guard contents.references.count == 1, contents.bytes.count == 8 else { return ["its root has other parts than it should"] }
        return tree(contents, access).verify()
    }

    func counts(_ contents: DerivedContents) -> [UInt64] {
        [contents.bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }]
    }

    func count(_ document: DerivedDocument, in index: StoredDerived, _ counts: inout [UInt64]) throws(FreeholdError) {
        if counts.isEmpty { counts = [0] }
        if try hasEntry(document, index) { counts[0] += 1 }
    }

    fileprivate func hasEntry(_ document: DerivedDocument, _ index: StoredDerived) throws(FreeholdError) -> Bool {
        for field in index.fields.indices where try document.value(field) != .null { return true }
        return false
    }

    private func tree(_ contents: DerivedContents, _ access: BlockAccess) -> OrderedIndex {
        OrderedIndex(root: contents.references.first ?? .null, access: access)
    }
}

private final class FieldChange: DerivedChange {
    private let kind: FieldKind
    private let index: StoredDerived
    private let operations = IndexOperations()
    private var documents = 0
    private(set) var bytes = 0

    init(_ kind: FieldKind, _ index: StoredDerived) {
        self.kind = kind
        self.index = index
    }

    func replace(_ key: Int64, _ old: DerivedDocument?, by new: DerivedDocument?) throws(FreeholdError) {
        // An entry that both have is removed and inserted, which is to insert it.
        if let old {
            try kind.forEachEntry(of: old, in: index) { operations.remove($0, ObjectKey(key)) }
            if try kind.hasEntry(old, index) { documents -= 1 }
        }
        if let new {
            try kind.forEachEntry(of: new, in: index) { entry in
                operations.insert(entry, ObjectKey(key))
                bytes += entry.count
            }
            if try kind.hasEntry(new, index) { documents += 1 }
        }
    }

    func write(onto contents: DerivedContents?, table: UInt32, in pending: PendingBlocks) throws(FreeholdError) -> DerivedContents? {
        if operations.isEmpty, contents != nil { return nil }
        let tree = try OrderedIndex.apply(operations, to: contents?.references.first ?? .null, table: table, in: pending)
        let counted = Int(clamping: contents.map { kind.counts($0)[0] } ?? 0) + documents
        return DerivedContents(references: [tree], bytes: (0..<8).map { UInt8(truncatingIfNeeded: counted >> ($0 * 8)) })
    }
}
#endif
