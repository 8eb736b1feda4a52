/// Links to objects that are not in the file: they show as null, and again once the object comes.
///
/// ```
/// tree 62,003 of the class that links
///     1 · object u64 · property u32 · target's class u32 · its primary key's index key
///     2 · target's class u32 · length of the index key u16 · index key · object u64 · property u32
///     posting: the object that links; of each link both keys stand there
/// ```
/// Only single links are noted: a link that has gone from a list or set comes again with the server's next row.
///
/// Safe throughout: bytes of keys are copied before the call that takes them returns.
struct AbsentLinks {
    static let column = 62_003

    private let transaction: WriteTransaction
    /// Trees that were read or changed, by table.
    private var trees: [Int: BlockReference] = [:]
    private let operations = IndexOperations(), key = ByteBuffer(), other = ByteBuffer()

    /// A link to an absent object.
    struct Link: Equatable {
        let table: Int
        let object: Int64
        let property: UInt32
    }

    init(_ transaction: WriteTransaction) { self.transaction = transaction }

    private mutating func root(_ table: Int) throws(FreeholdError) -> BlockReference {
        if let known = trees[table] { return known }
        let root = try transaction.writer(table).state.root.auxiliary(.sync, Self.column)
        trees[table] = root
        return root
    }

    private mutating func apply(_ table: Int) throws(FreeholdError) {
        if operations.isEmpty { return }
        defer { operations.removeAll() }
        trees[table] = try OrderedIndex.apply(operations, to: try root(table), table: UInt32(table), in: transaction.pending)
    }

    /// Notes that a property links to an object that is not here.
    mutating func insert(_ table: Int, _ object: Int64, _ column: Int, target: Int, _ targetKey: SyncKey) throws(FreeholdError) {
        let property = transaction.schema.classes[table].properties[column]
        guard property.type == .link, property.shape == nil, let keyType = keyType(of: target) else { return }
        other.setIndexKey(targetKey.value, of: keyType)
        guard other.count <= Self.longestKey else { return }
        setForward(object, property.number, target, other)
        operations.insert(key.bytes, ObjectKey(object))
        setBackward(object, property.number, target, other)
        operations.insert(key.bytes, ObjectKey(object))
        try apply(table)
    }

    /// Forgets the absent objects that an object's property links to, or that all its properties do.
    mutating func removeAll(of object: Int64, _ table: Int, _ column: Int? = nil) throws(FreeholdError) {
        let root = try root(table)
        if root.isNull { return }
        key.removeAll()
        key.append(1 as UInt8)
        key.append(object: object)
        if let column { key.append(big: transaction.schema.classes[table].properties[column].number) }
        var cursor = try OrderedIndex(root: root, access: transaction.pending.access).cursor(prefix: key.bytes), found: [UInt8] = []
        while try cursor.next() {
            try cursor.copyKey(into: &found)
            guard found.count >= Self.forwardBytes else { continue }
            found.withUnsafeBytes { operations.remove($0, ObjectKey(object)) }
            other.removeAll()
            found[Self.forwardBytes...].withUnsafeBytes { other.append($0) }
            setBackward(object, Self.number(found, 9), Int(Self.number(found, 13)), other)
            operations.remove(key.bytes, ObjectKey(object))
        }
        try apply(table)
    }

    /// Takes the links to an object that has come.
    mutating func take(target: Int, _ targetKey: SyncKey) throws(FreeholdError) -> [Link] {
        guard let keyType = keyType(of: target) else { return [] }
        var links: [Link] = []
        for table in Set(transaction.schema.incoming[target].map(\.table)).sorted() {
            let root = try root(table)
            if root.isNull { continue }
            other.setIndexKey(targetKey.value, of: keyType)
            setBackward(nil, 0, target, other)
            let count = key.count
            var cursor = try OrderedIndex(root: root, access: transaction.pending.access).cursor(prefix: key.bytes), found: [UInt8] = []
            while try cursor.next() {
                try cursor.copyKey(into: &found)
                guard found.count == count + 12 else { continue }
                let link = Link(table: table, object: cursor.objectKey.rawValue, property: Self.number(found, count + 8))
                found.withUnsafeBytes { operations.remove($0, ObjectKey(link.object)) }
                setForward(link.object, link.property, target, other)
                operations.remove(key.bytes, ObjectKey(link.object))
                links.append(link)
            }
            try apply(table)
        }
        return links
    }

    /// Puts the changed trees into the table roots.
    func store() throws(FreeholdError) {
        for (table, root) in trees {
            let writer = try transaction.writer(table)
            if writer.state.root.auxiliary(.sync, Self.column).isSameBlock(as: root) { continue }
            try writer.open(keepingRows: true)
            writer.state.root.replaceAuxiliary(.sync, Self.column, by: root)
        }
    }

    // MARK: Keys

    private static let forwardBytes = 17, longestKey = 60_000

    private func keyType(of table: Int) -> PropertyType? {
        let stored = transaction.schema.classes[table]
        return stored.primaryKey.map { stored.properties[$0].type }
    }

    private func setForward(_ object: Int64, _ property: UInt32, _ target: Int, _ targetKey: ByteBuffer) {
        key.removeAll()
        key.append(1 as UInt8)
        key.append(object: object)
        key.append(big: property)
        key.append(big: UInt32(target))
        key.append(targetKey.bytes)
    }

    /// - Parameter object: nil for the beginning of the keys of all links to the target.
    private func setBackward(_ object: Int64?, _ property: UInt32, _ target: Int, _ targetKey: ByteBuffer) {
        key.removeAll()
        key.append(2 as UInt8)
        key.append(big: UInt32(target))
        key.append(big: UInt16(targetKey.count))
        key.append(targetKey.bytes)
        guard let object else { return }
        key.append(object: object)
        key.append(big: property)
    }

    private static func number(_ bytes: [UInt8], _ offset: Int) -> UInt32 { bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) } }
}
