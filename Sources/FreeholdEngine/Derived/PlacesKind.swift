/// Places: which cell of a grid has the place of an object (`docs/geography.md`).
///
/// ```
/// fields        type string, coordinates list of doubles; or latitude double, longitude double
/// derived root  reference 0: the tree; bytes: documents with a place u64
/// entry         the number of the cell of level 32 (`GeoCell`), 8 bytes, the highest first
/// ```
/// A document without a place on Earth has no entry.
struct PlacesKind: DerivedKind {
    static let number = StoredDerived.places

    var versions: DerivedVersions { DerivedVersions(algorithm: 1, tables: 0, tool: 0) }

    func complaint(about index: StoredDerived, fields: [StoredProperty]) -> String? {
        if !index.options.isEmpty || index.fields.contains(where: { !$0.options.isEmpty }) {
            return "this Freehold does not know the options of the index of places"
        }
        if Self.arePoints(fields) {
            return index.fields[0].link == index.fields[1].link ? nil : "'type' and 'coordinates' of a place are properties of one object"
        }
        if fields.count == 2, fields.allSatisfy({ $0.type == .double && $0.shape == nil }) { return nil }
        return "an index of places has a latitude and a longitude, which are doubles, or 'type', a string, and 'coordinates', a list of "
            + "doubles"
    }

    private static func arePoints(_ fields: [StoredProperty]) -> Bool {
        guard fields.count == 2, fields[0].name == "type", fields[1].name == "coordinates" else { return false }
        let shape = fields[1].shape
        return fields[0].type == .string && fields[0].shape == nil
            && fields[1].type == .double && shape?.kind == .list && shape?.inner == nil
    }

    func change(of index: StoredDerived) -> any DerivedChange { PlacesChange(self) }

    func forEachEntry(of document: DerivedDocument, in index: StoredDerived,
                      _ body: (UnsafeRawBufferPointer) throws(FreeholdError) -> Void) throws(FreeholdError) {
        guard let number = try Self.number(of: document) else { return }
        let key = ByteBuffer(capacity: 8)
        key.setCellKey(number)
        try body(key.bytes)
    }

    func forEachEntry(_ contents: DerivedContents, in access: BlockAccess,
                      _ body: (UnsafeRawBufferPointer, Int64) throws(FreeholdError) -> Void) throws(FreeholdError) {
        var cursor = try Self.tree(contents, access).cursor()
        let key = ByteBuffer(capacity: 8)
        while try cursor.next() {
            key.removeAll()
            for byte in try cursor.key() { key.append(byte) }
            try body(key.bytes, cursor.objectKey.rawValue)
        }
    }

    func faults(_ contents: DerivedContents, of index: StoredDerived, in access: BlockAccess) -> [String] {
        do throws(FreeholdError) { return try Self.tree(contents, access).verify() } catch { return [error.message] }
    }

    func counts(_ contents: DerivedContents) -> [UInt64] { [contents.bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }] }

    func count(_ document: DerivedDocument, in index: StoredDerived, _ counts: inout [UInt64]) throws(FreeholdError) {
        if counts.isEmpty { counts = [0] }
        if try Self.number(of: document) != nil { counts[0] += 1 }
    }

    /// The number of the cell that has the place of a document; nil if it has none.
    fileprivate static func number(of document: DerivedDocument) throws(FreeholdError) -> UInt64? {
        let latitude: Double?, longitude: Double?
        switch try document.value(0) {
        case .string("Point"):
            guard case .list(let numbers) = try document.value(1), numbers.count >= 2 else { return nil }
            (latitude, longitude) = (numbers[1].degrees, numbers[0].degrees)
        case .double(let north): (latitude, longitude) = (north, try document.value(1).degrees)
        default: return nil
        }
        guard let latitude, let longitude, GeoPoint.isValid(latitude, longitude) else { return nil }
        return GeoCell(latitude: latitude, longitude: longitude).number
    }

    /// The tree from numbers of cells to objects; throws if the root has other parts.
    static func tree(_ contents: DerivedContents, _ access: BlockAccess) throws(FreeholdError) -> OrderedIndex {
        guard contents.references.count == 1, contents.bytes.count == 8 else {
            throw FreeholdError(.corrupt, "an index of places has a root with \(contents.references.count) trees and "
                + "\(contents.bytes.count) bytes, not with 1 and 8", path: access.path)
        }
        return OrderedIndex(root: contents.references[0], access: access)
    }
}

extension Value {
    fileprivate var degrees: Double? {
        if case .double(let number) = self { return number }
        return nil
    }
}

extension ByteBuffer {
    /// Replaces the contents by the key of a cell's number.
    func setCellKey(_ number: UInt64) {
        removeAll()
        append(big: number)
    }
}

/// The changes that one commit makes to an index of places.
private final class PlacesChange: DerivedChange {
    private let kind: PlacesKind
    private let operations = IndexOperations()
    private let key = ByteBuffer(capacity: 8)
    // Safe: one thread uses a change, and nothing here re-enters it.
    @exclusivity(unchecked) private var documents = 0
    @exclusivity(unchecked) private var entries = 0

    init(_ kind: PlacesKind) { self.kind = kind }

    /// What an operation takes.
    var bytes: Int { entries * 32 }

    func replace(_ key: Int64, _ old: DerivedDocument?, by new: DerivedDocument?) throws(FreeholdError) {
        let before = try old.flatMap { old throws(FreeholdError) in try PlacesKind.number(of: old) }
        let after = try new.flatMap { new throws(FreeholdError) in try PlacesKind.number(of: new) }
        if before == after { return }
        if let before {
            self.key.setCellKey(before)
            operations.remove(self.key.bytes, ObjectKey(key))
            documents -= 1
            entries += 1
        }
        if let after {
            self.key.setCellKey(after)
            operations.insert(self.key.bytes, ObjectKey(key))
            documents += 1
            entries += 1
        }
    }

    func write(onto contents: DerivedContents?, table: UInt32, in pending: PendingBlocks) throws(FreeholdError) -> DerivedContents? {
        if operations.isEmpty, contents != nil { return nil }
        let root = try contents.map { contents throws(FreeholdError) in try PlacesKind.tree(contents, pending.access).root } ?? .null
        let tree = try OrderedIndex.apply(operations, to: root, table: table, in: pending)
        let counted = Int(clamping: contents.map { kind.counts($0)[0] } ?? 0) + documents
        return DerivedContents(references: [tree], bytes: (0..<8).map { UInt8(truncatingIfNeeded: counted >> ($0 * 8)) })
    }
}
