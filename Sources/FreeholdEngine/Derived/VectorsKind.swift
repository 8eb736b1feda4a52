/// Vectors: the sign bits of their numbers after a rotation (`docs/vectors.md`).
///
/// ```
/// field         a property of type data
/// options       elements u8 (0 float32, 1 float16, 2 int8) · metric u8 (0 cosine, 1 dot, 2 euclidean) · dimensions u16
/// derived root  reference 0: the tree; bytes: documents with a vector u64 · dimensions u64 · least and most sum of squares, f32
/// entry         the sign bits of the vectors of a group of object keys (`SignRows`), object key 0
/// ```
/// A document with a value of another length has no entry.
struct VectorsKind: DerivedKind {
    static let number = StoredDerived.vectors

    var versions: DerivedVersions { DerivedVersions(algorithm: 1, tables: 0, tool: 0) }

    func complaint(about index: StoredDerived, fields: [StoredProperty]) -> String? {
        guard fields.count == 1, fields[0].type == .data, fields[0].shape == nil, index.fields[0].options.isEmpty else {
            return "an index of vectors is over one property of type data"
        }
        return VectorShape(options: index.options) == nil ? "this Freehold does not know the options of the index of vectors" : nil
    }

    func change(of index: StoredDerived) -> any DerivedChange { VectorsChange(self, Self.shape(of: index)) }

    func forEachEntry(of document: DerivedDocument, in index: StoredDerived,
                      _ body: (UnsafeRawBufferPointer) throws(FreeholdError) -> Void) throws(FreeholdError) {
        guard let row = try Self.row(of: document, Self.shape(of: index))?.signs else { return }
        try Self.withBytes(of: row[...], body)
    }

    func forEachEntry(_ contents: DerivedContents, in access: BlockAccess,
                      _ body: (UnsafeRawBufferPointer, Int64) throws(FreeholdError) -> Void) throws(FreeholdError) {
        let shape = SignShape(dimensions: Self.numbers(contents)[1])
        var cursor = try Self.tree(contents, access).cursor()
        while try cursor.next() {
            guard let rows = SignRows(shape, key: try cursor.key()) else { throw Self.damaged(access) }
            try rows.forEach { object, row throws(FreeholdError) in
                try Self.withBytes(of: row) { bytes throws(FreeholdError) in try body(bytes, object) }
            }
        }
    }

    func faults(_ contents: DerivedContents, of index: StoredDerived, in access: BlockAccess) -> [String] {
        do throws(FreeholdError) {
            let faults = try Self.tree(contents, access).verify()
            if !faults.isEmpty { return faults }
            if Self.numbers(contents)[1] != Self.shape(of: index).dimensions {
                return ["its root has vectors of other dimensions than declared"]
            }
            try forEachEntry(contents, in: access) { _, _ in }
            return []
        } catch {
            return [error.message]
        }
    }

    func counts(_ contents: DerivedContents) -> [UInt64] { [UInt64(Self.numbers(contents)[0])] }

    func count(_ document: DerivedDocument, in index: StoredDerived, _ counts: inout [UInt64]) throws(FreeholdError) {
        if counts.isEmpty { counts = [0] }
        if case .data(let bytes) = try document.value(0), bytes.count == Self.shape(of: index).byteCount { counts[0] += 1 }
    }

    /// The options of an index, which are known to be right.
    static func shape(of index: StoredDerived) -> VectorShape { VectorShape(options: index.options) ?? VectorShape(dimensions: 1) }

    /// The sign bits of the vector of a document, and the sum of the squares of its numbers; nil if it has none.
    fileprivate static func row(of document: DerivedDocument, _ shape: VectorShape) throws(FreeholdError)
        -> (signs: [UInt64], squares: Float)? {
        guard case .data(let bytes) = try document.value(0), bytes.count == shape.byteCount else { return nil }
        // Safe: the bytes are used within the call.
        return bytes.withUnsafeBytes { shape.signs.row($0, width: shape.elements.width) }
    }

    private static func withBytes(of row: ArraySlice<UInt64>,
                                  _ body: (UnsafeRawBufferPointer) throws(FreeholdError) -> Void) throws(FreeholdError) {
        // Safe: the bytes are used within the call.
        let result = row.map(\.littleEndian).withUnsafeBytes { bytes in Result { () throws(FreeholdError) in try body(bytes) } }
        try result.get()
    }

    /// The tree of sign bits; throws if the root has other parts.
    static func tree(_ contents: DerivedContents, _ access: BlockAccess) throws(FreeholdError) -> OrderedIndex {
        guard contents.references.count == 1, contents.bytes.count == rootBytes, VectorExtent(bytes: contents.bytes[16...]) != nil,
              (1...VectorMeasure.mostDimensions).contains(numbers(contents)[1]) else {
            throw FreeholdError(.corrupt, "an index of vectors has a root with \(contents.references.count) trees and "
                + "\(contents.bytes.count) bytes, not with 1 and \(rootBytes), or with dimensions or lengths that no vectors have",
                                path: access.path)
        }
        return OrderedIndex(root: contents.references[0], access: access)
    }

    private static let rootBytes = 16 + VectorExtent.byteCount

    /// The lengths that the vectors have, of a root that `tree` has read.
    static func extent(_ contents: DerivedContents) -> VectorExtent { VectorExtent(bytes: contents.bytes[16...]) ?? VectorExtent() }

    /// The documents and the dimensions that the root has.
    private static func numbers(_ contents: DerivedContents) -> [Int] {
        (0..<2).map { number in
            Int(truncatingIfNeeded: contents.bytes.dropFirst(number * 8).prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        }
    }

    fileprivate static func bytes(_ numbers: [Int]) -> [UInt8] {
        numbers.flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
    }

    static func damaged(_ access: BlockAccess) -> FreeholdError {
        FreeholdError(.corrupt, "an index of vectors has sign bits that no program writes; run `freehold check`", path: access.path)
    }
}

/// What an index of vectors has been declared for.
struct VectorShape: Equatable {
    let dimensions: Int
    let elements: VectorElements
    let metric: VectorMetric

    init(dimensions: Int, elements: VectorElements = .float32, metric: VectorMetric = .cosine) {
        self.dimensions = dimensions
        self.elements = elements
        self.metric = metric
    }

    private static let elements: [VectorElements] = [.float32, .float16, .int8]
    private static let metrics: [VectorMetric] = [.cosine, .dot, .euclidean]

    init?(options: [UInt8]) {
        guard options.count == 4, options[0] < Self.elements.count, options[1] < Self.metrics.count else { return nil }
        let dimensions = Int(options[2]) | Int(options[3]) << 8
        if dimensions == 0 { return nil }
        self.init(dimensions: dimensions, elements: Self.elements[Int(options[0])], metric: Self.metrics[Int(options[1])])
    }

    var options: [UInt8] {
        let places = [Self.elements.firstIndex(of: elements), Self.metrics.firstIndex(of: metric)].map { UInt8($0 ?? 0) }
        return places + [UInt8(dimensions & 255), UInt8(dimensions >> 8)]
    }

    var byteCount: Int { dimensions * elements.width }
    var signs: SignShape { SignShape(dimensions: dimensions) }
}

/// The changes that one commit makes to an index of vectors.
private final class VectorsChange: DerivedChange {
    private let kind: VectorsKind
    private let shape: VectorShape
    private let signs: SignShape
    // Safe (all exclusivity below): one thread uses a change, and nothing here re-enters it.
    @exclusivity(unchecked) private var changes: [(object: Int64, row: [UInt64]?)] = []
    @exclusivity(unchecked) private var documents = 0
    @exclusivity(unchecked) private var extent = VectorExtent()

    init(_ kind: VectorsKind, _ shape: VectorShape) {
        self.kind = kind
        self.shape = shape
        signs = shape.signs
    }

    var bytes: Int { changes.count * (64 + signs.words * 16) }

    func replace(_ key: Int64, _ old: DerivedDocument?, by new: DerivedDocument?) throws(FreeholdError) {
        let before = try old.flatMap { old throws(FreeholdError) in try VectorsKind.row(of: old, shape) }
        let after = try new.flatMap { new throws(FreeholdError) in try VectorsKind.row(of: new, shape) }
        if let after { extent.add(squares: after.squares) }
        if before?.signs == after?.signs { return }
        documents += (after == nil ? 0 : 1) - (before == nil ? 0 : 1)
        changes.append((key, after?.signs))
    }

    func write(onto contents: DerivedContents?, table: UInt32, in pending: PendingBlocks) throws(FreeholdError) -> DerivedContents? {
        let root = try contents.map { contents throws(FreeholdError) in try VectorsKind.tree(contents, pending.access).root } ?? .null
        let old = contents.map(VectorsKind.extent)
        if let old { extent.add(old) }
        if changes.isEmpty, extent == old { return nil }
        let tree = try OrderedIndex.apply(try operations(on: root, pending.access), to: root, table: table, in: pending)
        let counted = Int(clamping: contents.map { kind.counts($0)[0] } ?? 0) + documents
        return DerivedContents(references: [tree], bytes: VectorsKind.bytes([counted, shape.dimensions]) + extent.bytes)
    }

    /// Replaces the entries of the groups that change.
    private func operations(on root: BlockReference, _ access: BlockAccess) throws(FreeholdError) -> IndexOperations {
        let index = OrderedIndex(root: root, access: access), operations = IndexOperations()
        // The sort is stable: of two changes of an object the later one stays.
        let sorted = changes.sorted { $0.object < $1.object }
        var place = 0
        while place < sorted.count {
            let group = signs.group(of: sorted[place].object), old = try stored(group, in: index)
            var rows = old ?? SignRows(signs, group: group)
            while place < sorted.count, signs.group(of: sorted[place].object) == group {
                rows.set(sorted[place].object, sorted[place].row)
                place += 1
            }
            if rows == old { continue }
            // Safe: the pointers are used within the calls, which copy the bytes.
            old?.key?.withUnsafeBytes { operations.remove($0, ObjectKey(0)) }
            rows.key?.withUnsafeBytes { operations.insert($0, ObjectKey(0)) }
        }
        return operations
    }

    private func stored(_ group: Int64, in index: OrderedIndex) throws(FreeholdError) -> SignRows? {
        var cursor = try index.cursor()
        let prefix = SignShape.prefix(group)
        // Safe: the bytes are used within the call.
        let isFound = try prefix.span.bytes.withUnsafeBytes { bytes throws(FreeholdError) in try cursor.seek(toKey: IndexKey(bytes)) }
        guard isFound else { return nil }
        let key = try cursor.key()
        guard key.starts(with: prefix) else { return nil }
        guard let rows = SignRows(signs, key: key) else { throw VectorsKind.damaged(index.access) }
        return rows
    }
}
