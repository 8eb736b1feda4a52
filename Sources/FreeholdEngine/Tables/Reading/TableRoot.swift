/// The references of one class's data: the cluster tree, the tail, a tree or dictionary per column, derived indexes.
///
/// ```
/// header:     count = rows in the tail
/// references: 0 cluster tree · 1–4 tail blocks · 5… auxiliary trees
/// body:       next object key i64 · objects in clusters u64 · auxiliary entries (column u16, kind u16) each ·
///             if there are any: subclasses with objects in clusters u32 · for each number u32, objects u64 ·
///             sequences: last number i64, bytes of the name u8, name, each
/// ```
/// A value in memory; `TableState.writeRoot` creates the block.
///
/// Safe throughout: `complaint` has compared the body's length with the references on first touch; a written block is
/// created with the length of its contents.
struct TableRoot {
    var clusters: BlockReference = .null
    /// The number of objects in the cluster tree.
    var sealedCount = 0
    var tails: [BlockReference] = []
    /// The number of rows in the tail blocks.
    var tailCount = 0
    /// The key of the next object that is inserted without one.
    var nextKey: Int64 = 0
    var auxiliaries: [Auxiliary] = []
    /// The number of objects in the cluster tree of each subclass (`Family`).
    var classCounts: [(number: UInt32, objects: Int)] = []
    /// The last number issued by each sequence, in the order of their first numbers.
    var sequences: [(name: String, last: Int64)] = []

    struct Auxiliary {
        enum Kind: UInt16 { case index = 1, dictionary = 2, derived = 3, sync = 4 }
        var kind: Kind
        var column: Int
        var reference: BlockReference
    }

    static let maximumTails = 4
    /// The maximum number of sequences, which keeps a table root small, and the maximum length of a name in bytes.
    static let maximumSequences = 64, maximumSequenceName = 63
    /// The maximum that a file can hold; a larger number is damage, and a sum of such could exceed 64 bits.
    static let maximumObjects: UInt64 = 1 << 48
    static let firstAuxiliary = 5
    static let classCountBytes = 12

    /// The number of objects of one class in clusters; tag 0 is the table's own class.
    func sealedCount(of tag: Int64) -> Int {
        if tag == 0 { return max(0, classCounts.reduce(sealedCount) { $0 - $1.objects }) }
        return classCounts.first { Int64($0.number) == tag }?.objects ?? 0
    }

    /// The number of objects in clusters that an index has: all, or those of the subclass that declares it.
    func sealedCount(ofOwner owner: UInt32?, in family: Family?) -> Int {
        guard let owner else { return sealedCount }
        return family?.member(owner)?.scope.tags.reduce(0) { $0 + sealedCount(of: $1) } ?? 0
    }

    /// Adds to the count of a class; objects of the table's own class count in `sealedCount` only.
    mutating func count(_ more: Int, of tag: Int64) {
        guard tag != 0 else { return }
        let number = UInt32(truncatingIfNeeded: tag)
        if let place = classCounts.firstIndex(where: { $0.number == number }) {
            classCounts[place].objects += more
            if classCounts[place].objects == 0 { classCounts.remove(at: place) }
        } else {
            classCounts.append((number, more))
        }
    }

    var count: Int { sealedCount + tailCount }

    /// The length in the block of the counts of classes and sequences; 0 if there are neither.
    fileprivate var countedBytes: Int {
        if classCounts.isEmpty && sequences.isEmpty { return 0 }
        return sequences.reduce(4 + classCounts.count * Self.classCountBytes) { $0 + 9 + $1.name.utf8.count }
    }

    init() {}

    /// Reads the block; a null reference is an empty table.
    init(_ reference: BlockReference, in access: BlockAccess) throws(FreeholdError) { try read(reference, in: access) }

    /// Reads the block into an existing root, whose memory is reused.
    mutating func read(_ reference: BlockReference, in access: BlockAccess) throws(FreeholdError) {
        if reference.isNull {
            self = TableRoot()
            return
        }
        let view = try access.view(reference)
        guard view.kind == .tableRoot else {
            throw FreeholdError(.corrupt, "the block at byte \(reference.byteOffset) should be a table root")
        }
        clusters = view.reference(0)
        tails.removeAll(keepingCapacity: true)
        for place in 1...Self.maximumTails where !view.reference(place).isNull {
            if tails.isEmpty { tails.reserveCapacity(Self.maximumTails) }
            tails.append(view.reference(place))
        }
        nextKey = view.body.load(as: Int64.self)
        sealedCount = Int(clamping: view.body.load(fromByteOffset: 8, as: UInt64.self))
        tailCount = view.count
        auxiliaries.removeAll(keepingCapacity: true)
        auxiliaries.reserveCapacity(view.referenceCount - Self.firstAuxiliary)
        for index in 0..<(view.referenceCount - Self.firstAuxiliary) {
            let entry = view.body + 16 + index * 4
            auxiliaries.append(Auxiliary(
                kind: Auxiliary.Kind(rawValue: entry.load(fromByteOffset: 2, as: UInt16.self)) ?? .index,
                column: Int(entry.load(as: UInt16.self)),
                reference: view.reference(Self.firstAuxiliary + index)))
        }
        (classCounts, sequences) = Self.counted(view) ?? ([], [])
    }

    /// Counts of classes, and sequences.
    private typealias Counted = (classes: [(number: UInt32, objects: Int)], sequences: [(name: String, last: Int64)])

    /// The counts after the auxiliary entries; nil if they do not end where they should.
    private static func counted(_ view: BlockView) -> Counted? {
        let start = 16 + (view.referenceCount - firstAuxiliary) * 4
        guard view.bodyLength > start else { return ([], []) }
        let bytes = UnsafeRawBufferPointer(start: view.body + start, count: view.bodyLength - start)
        guard bytes.count >= 4 else { return nil }
        let count = Int(bytes.loadUnaligned(as: UInt32.self))
        guard count <= (bytes.count - 4) / classCountBytes else { return nil }
        var classes: [(number: UInt32, objects: Int)] = []
        for index in 0..<count {
            let entry = 4 + index * classCountBytes
            let objects = bytes.loadUnaligned(fromByteOffset: entry + 4, as: UInt64.self)
            guard objects <= maximumObjects else { return nil }
            classes.append((bytes.loadUnaligned(fromByteOffset: entry, as: UInt32.self), Int(objects)))
        }
        return sequences(UnsafeRawBufferPointer(rebasing: bytes[(4 + count * classCountBytes)...])).map { (classes, $0) }
    }

    private static func sequences(_ bytes: UnsafeRawBufferPointer) -> [(name: String, last: Int64)]? {
        var found: [(name: String, last: Int64)] = []
        var offset = 0
        while offset < bytes.count {
            guard bytes.count - offset >= 9, bytes.count - offset - 9 >= Int(bytes[offset + 8]) else { return nil }
            let last = Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int64.self))
            let name = bytes[offset + 9..<offset + 9 + Int(bytes[offset + 8])]
            found.append((String(decoding: name, as: UTF8.self), last))
            offset += 9 + name.count
        }
        return found.count <= maximumSequences ? found : nil
    }

    /// The tree of `kind` for `column`; null where there is none yet.
    func auxiliary(_ kind: Auxiliary.Kind, _ column: Int) -> BlockReference {
        for entry in auxiliaries where entry.column == column && entry.kind == kind { return entry.reference }
        return .null
    }

    /// Sets a tree, or removes the entry of one that is empty.
    mutating func replaceAuxiliary(_ kind: Auxiliary.Kind, _ column: Int, by reference: BlockReference) {
        if !reference.isNull { return setAuxiliary(kind, column, reference) }
        auxiliaries.removeAll { $0.kind == kind && $0.column == column }
    }

    mutating func setAuxiliary(_ kind: Auxiliary.Kind, _ column: Int, _ reference: BlockReference) {
        if let place = auxiliaries.firstIndex(where: { $0.column == column && $0.kind == kind }) {
            auxiliaries[place].reference = reference
        } else {
            auxiliaries.append(Auxiliary(kind: kind, column: column, reference: reference))
        }
    }

    /// Raises the next key and the sequences to those of `other` where these are higher.
    mutating func count(from other: TableRoot) {
        nextKey = max(nextKey, other.nextKey)
        for (name, last) in other.sequences {
            if let place = sequences.firstIndex(where: { $0.name.isSame(as: name) }) {
                sequences[place].last = max(sequences[place].last, last)
            } else if sequences.count < Self.maximumSequences {
                sequences.append((name, last))
            }
        }
    }

    /// Takes over the references of the block that `writeRoot` created, to which its commit has assigned positions.
    mutating func takeReferences(of view: BlockView) {
        clusters = view.reference(0)
        for index in tails.indices { tails[index] = view.reference(1 + index) }
        for index in auxiliaries.indices { auxiliaries[index].reference = view.reference(Self.firstAuxiliary + index) }
    }

    /// The error in a table root's bytes, or nil.
    static func complaint(about view: BlockView) -> String? {
        guard view.referenceCount >= firstAuxiliary,
              view.bodyLength >= 16 + (view.referenceCount - firstAuxiliary) * 4 else { return "its parts do not fit" }
        guard view.body.load(fromByteOffset: 8, as: UInt64.self) <= maximumObjects else { return "it counts more objects than a file can hold" }
        guard counted(view) != nil else {
            return "its counts of classes and its sequences do not end where they should"
        }
        return nil
    }
}

extension TableState {
    /// Creates the root's block. It is not in `TableRoot`: there each call would copy the value and count its arrays.
    ///
    /// Safe: the block is as long as its contents.
    func writeRoot(table: UInt32, in pending: PendingBlocks) -> BlockReference {
        let auxiliaries = root.auxiliaries.count, firstAuxiliary = TableRoot.firstAuxiliary
        let (reference, block) = pending.make(.tableRoot, table: table, count: root.tailCount,
                                              references: firstAuxiliary + auxiliaries, body: 16 + auxiliaries * 4 + root.countedBytes)
        block.setReference(0, root.clusters)
        for index in root.tails.indices { block.setReference(1 + index, root.tails[index]) }
        let body = block.body
        body.storeBytes(of: root.nextKey, as: Int64.self)
        body.storeBytes(of: UInt64(root.sealedCount), toByteOffset: 8, as: UInt64.self)
        for index in 0..<auxiliaries {
            let entry = root.auxiliaries[index]
            block.setReference(firstAuxiliary + index, entry.reference)
            body.storeBytes(of: UInt16(entry.column), toByteOffset: 16 + index * 4, as: UInt16.self)
            body.storeBytes(of: entry.kind.rawValue, toByteOffset: 18 + index * 4, as: UInt16.self)
        }
        if root.countedBytes > 0 { storeCounted(at: body + (16 + auxiliaries * 4)) }
        return reference
    }

    /// Safe: the block has room for all entries.
    private func storeCounted(at start: UnsafeMutableRawPointer) {
        start.storeBytes(of: UInt32(root.classCounts.count), as: UInt32.self)
        var offset = 4
        for (number, objects) in root.classCounts {
            start.storeBytes(of: number, toByteOffset: offset, as: UInt32.self)
            start.storeBytes(of: UInt64(objects), toByteOffset: offset + 4, as: UInt64.self)
            offset += TableRoot.classCountBytes
        }
        for (name, last) in root.sequences {
            start.storeBytes(of: last.littleEndian, toByteOffset: offset, as: Int64.self)
            start.storeBytes(of: UInt8(name.utf8.count), toByteOffset: offset + 8, as: UInt8.self)
            for (place, byte) in name.utf8.enumerated() { start.storeBytes(of: byte, toByteOffset: offset + 9 + place, as: UInt8.self) }
            offset += 9 + name.utf8.count
        }
    }
}
