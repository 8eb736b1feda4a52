import Platform
import Synchronization

/// Strings in the order of a language (`docs/collation.md`).
///
/// ```
/// field         a property of type string, of the class itself
/// options       the language's tag in its normal spelling, UTF-8
/// derived root  reference 0: the tree; bytes: documents u64; neither in one that was emptied. Tool: `LanguageOrder.version`
/// entry         0 for null; or 1, and the beginning of the string's sort key: 255 bytes at most
/// ```
/// 1. Every document has one entry.
/// 2. Entries are in the order of the sort keys. Objects whose entries are equal may differ only if these have all 256 bytes.
struct CollationKind: DerivedKind {
    static let number = StoredDerived.collations
    /// The maximum length of an entry: a longer one is cut.
    static let maximumBytes = 256

    private let language: LazyOrder

    init(_ index: StoredDerived, on system: any System) { language = LazyOrder(Self.tag(of: index), system) }

    /// The order, by the ICU of this process; nil if it has none, or one that does not know the language.
    var order: LanguageOrder? { language.order }
    var canFile: Bool { order != nil }
    var versions: DerivedVersions { DerivedVersions(algorithm: 1, tables: 0, tool: order?.version ?? 0) }

    func handling(of root: DerivedRoot) -> DerivedHandling {
        let own = versions, known = root.versions
        if known.algorithm > own.algorithm || known.tables > own.tables { return .refused }
        if own.tool == 0 || own.tool < known.tool { return .emptied }
        return known == own ? .own : .rebuilt
    }

    func complaint(about index: StoredDerived, fields: [StoredProperty]) -> String? {
        guard fields.count == 1, index.fields[0].link == nil, fields[0].type == .string, fields[0].shape == nil,
              !fields[0].isObjectKey else {
            return "an index in a collation is over one property of type string, of the class itself"
        }
        return index.fields[0].options.isEmpty && Self.tag(of: index) != nil ? nil
            : "this Freehold does not know the options of the index in a collation"
    }

    /// The language's tag; nil for options that no program writes.
    static func tag(of index: StoredDerived) -> String? {
        guard let tag = String(validating: index.options, as: UTF8.self), !tag.isEmpty,
              tag.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
              CollationOptions.mistake(in: tag) == nil, CollationTag.normal(tag).isSame(as: tag) else { return nil }
        return tag
    }

    func change(of index: StoredDerived) -> any DerivedChange { CollationChange(self) }

    func forEachEntry(of document: DerivedDocument, in index: StoredDerived,
                      _ body: (UnsafeRawBufferPointer) throws(FreeholdError) -> Void) throws(FreeholdError) {
        let entry = ByteBuffer(capacity: Self.maximumBytes)
        try setEntry(entry, of: document)
        try body(entry.bytes)
    }

    func forEachEntry(_ contents: DerivedContents, in access: BlockAccess,
                      _ body: (UnsafeRawBufferPointer, Int64) throws(FreeholdError) -> Void) throws(FreeholdError) {
        var cursor = try Self.tree(contents, access).cursor()
        let entry = ByteBuffer(capacity: Self.maximumBytes)
        while try cursor.next() {
            entry.removeAll()
            for byte in try cursor.key() { entry.append(byte) }
            try body(entry.bytes, cursor.objectKey.rawValue)
        }
    }

    /// Entries are compared with the objects only by a program that can compute them; the tree and its count by every one.
    func faults(_ contents: DerivedContents, of index: StoredDerived, in access: BlockAccess) -> [String] {
        do throws(FreeholdError) {
            let tree = try Self.tree(contents, access), faults = tree.verify()
            if !faults.isEmpty { return faults }
            let entries = try tree.count(), documents = counts(contents)[0]
            return documents == UInt64(entries) ? [] : ["it counts \(documents) documents and has \(entries) entries"]
        } catch { return [error.message] }
    }

    func counts(_ contents: DerivedContents) -> [UInt64] { [contents.bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }] }

    func count(_ document: DerivedDocument, in index: StoredDerived, _ counts: inout [UInt64]) throws(FreeholdError) {
        counts = [(counts.first ?? 0) + 1]
    }

    /// The tree from entries to objects; throws if the root has other parts.
    static func tree(_ contents: DerivedContents, _ access: BlockAccess) throws(FreeholdError) -> OrderedIndex {
        if contents.references.isEmpty, contents.bytes.isEmpty { return OrderedIndex(root: .null, access: access) }
        guard contents.references.count == 1, contents.bytes.count == 8 else {
            throw FreeholdError(.corrupt, "an index in a collation has a root with \(contents.references.count) trees and "
                + "\(contents.bytes.count) bytes, not with 1 and 8", path: access.path)
        }
        return OrderedIndex(root: contents.references[0], access: access)
    }

    /// Replaces a buffer's contents by the entry of a document.
    fileprivate func setEntry(_ entry: ByteBuffer, of document: DerivedDocument) throws(FreeholdError) {
        guard case .string(let text) = try document.value(0) else { return entry.setCollationEntry(nil, by: order) }
        entry.setCollationEntry(text, by: order)
    }
}

extension ByteBuffer {
    /// Replaces the contents by the entry that a string has in an index; nil for null.
    func setCollationEntry(_ text: String?, by order: LanguageOrder?) {
        removeAll()
        guard var text, let order else { return append(0) }
        append(1)
        // Safe: the bytes are used within the calls, and copied.
        text.withUTF8 { text in
            order.withKey(of: UnsafeRawBufferPointer(text)) { key in
                append(UnsafeRawBufferPointer(rebasing: key.prefix(CollationKind.maximumBytes - 1)))
            }
        }
    }
}

/// The order of a language, opened when it is first used: most commits change no string that an index has.
private final class LazyOrder: Sendable {
    private let tag: String?
    private let system: any System
    private let known = Mutex<LanguageOrder??>(nil)

    init(_ tag: String?, _ system: any System) {
        self.tag = tag
        self.system = system
    }

    var order: LanguageOrder? {
        known.withLock { known in
            if let known { return known }
            let made = tag.flatMap { try? LanguageOrder($0, system) }
            known = .some(made)
            return made
        }
    }
}

/// The changes that one commit makes to an index in a collation.
private final class CollationChange: DerivedChange {
    private let kind: CollationKind
    private let operations = IndexOperations()
    private let before = ByteBuffer(capacity: CollationKind.maximumBytes), after = ByteBuffer(capacity: CollationKind.maximumBytes)
    // Safe (all exclusivity below): one thread uses a change, and nothing here re-enters it.
    @exclusivity(unchecked) private var documents = 0
    @exclusivity(unchecked) private(set) var bytes = 0

    init(_ kind: CollationKind) { self.kind = kind }

    func replace(_ key: Int64, _ old: DerivedDocument?, by new: DerivedDocument?) throws(FreeholdError) {
        if let old { try kind.setEntry(before, of: old) }
        if let new { try kind.setEntry(after, of: new) }
        if old != nil, new != nil, before.bytes.elementsEqual(after.bytes) { return }
        if old != nil { note(before, isRemoval: true, key) }
        if new != nil { note(after, isRemoval: false, key) }
    }

    private func note(_ entry: ByteBuffer, isRemoval: Bool, _ key: Int64) {
        if isRemoval { operations.remove(entry.bytes, ObjectKey(key)) } else { operations.insert(entry.bytes, ObjectKey(key)) }
        documents += isRemoval ? -1 : 1
        bytes += 32 + entry.bytes.count
    }

    func write(onto contents: DerivedContents?, table: UInt32, in pending: PendingBlocks) throws(FreeholdError) -> DerivedContents? {
        if operations.isEmpty, contents != nil { return nil }
        let root = try contents.map { contents throws(FreeholdError) in try CollationKind.tree(contents, pending.access).root } ?? .null
        let tree = try OrderedIndex.apply(operations, to: root, table: table, in: pending)
        let counted = Int(clamping: contents.map { kind.counts($0)[0] } ?? 0) + documents
        return DerivedContents(references: [tree], bytes: (0..<8).map { UInt8(truncatingIfNeeded: counted >> ($0 * 8)) })
    }
}
