/// Links of one class to objects that are not in the file: they show as null, and again once the object comes.
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
final class AbsentLinkTree {
    static let column = 62_003

    // Safe (all exclusivity below): one thread uses the transaction, and nothing here re-enters it.
    @exclusivity(unchecked) private(set) var root: BlockReference
    private let table: UInt32
    private let pending: PendingBlocks
    private let operations: IndexOperations, key: ByteBuffer

    /// An object that is not here, by its primary key's index key.
    struct Target: Equatable {
        let table: Int
        let indexKey: [UInt8]
    }

    /// A link to it.
    struct Link: Equatable {
        let object: Int64
        let property: UInt32
        let target: Target
    }

    /// - Parameter tools: used by no other tree at the same time; nil for one that is not changed as part of a commit's capture.
    init(_ root: BlockReference, table: UInt32, _ tools: CaptureTools? = nil, in pending: PendingBlocks) {
        (operations, key) = (tools?.absent ?? IndexOperations(), tools?.absentKey ?? ByteBuffer())
        self.root = root
        self.table = table
        self.pending = pending
    }

    /// Notes a link, whose key is not too long to be found again.
    func insert(_ link: Link) throws(FreeholdError) {
        guard link.target.indexKey.count <= Self.longestKey else { return }
        setForward(link)
        operations.insert(key.bytes, ObjectKey(link.object))
        setBackward(link.target, link)
        operations.insert(key.bytes, ObjectKey(link.object))
        try apply()
    }

    /// Forgets what an object's property links to, or what all its properties do.
    func removeAll(of object: Int64, _ property: UInt32? = nil) throws(FreeholdError) {
        if root.isNull { return }
        key.removeAll()
        key.append(Self.forward)
        key.append(object: object)
        if let property { key.append(big: property) }
        for link in try links(prefix: key) { remove(link) }
        try apply()
    }

    /// Takes the links to an object that has come.
    func take(_ target: Target) throws(FreeholdError) -> [Link] {
        if root.isNull { return [] }
        setBackward(target, nil)
        let found = try links(prefix: key).filter { $0.target == target }
        for link in found { remove(link) }
        try apply()
        return found
    }

    /// Forgets the links of properties that the class does not have any more.
    func keep(properties: Set<UInt32>) throws(FreeholdError) {
        if root.isNull { return }
        key.removeAll()
        key.append(Self.forward)
        for link in try links(prefix: key) where !properties.contains(link.property) { remove(link) }
        try apply()
    }

    private func remove(_ link: Link) {
        setForward(link)
        operations.remove(key.bytes, ObjectKey(link.object))
        setBackward(link.target, link)
        operations.remove(key.bytes, ObjectKey(link.object))
    }

    private func apply() throws(FreeholdError) {
        if operations.isEmpty { return }
        defer { operations.removeAll() }
        root = try OrderedIndex.apply(operations, to: root, table: table, in: pending)
    }

    private func links(prefix: ByteBuffer) throws(FreeholdError) -> [Link] {
        var cursor = try OrderedIndex(root: root, access: pending.access).cursor(prefix: prefix.bytes)
        var bytes: [UInt8] = [], found: [Link] = []
        while try cursor.next() {
            try cursor.copyKey(into: &bytes)
            guard let link = Self.link(bytes)?.link else { throw OrderedIndex.miscounted() }
            found.append(link)
        }
        return found
    }

    /// The absent object that a property links to; nil if there is none.
    static func target(of object: Int64, _ property: UInt32, _ root: BlockReference,
                       in access: BlockAccess) throws(FreeholdError) -> Target? {
        if root.isNull { return nil }
        let key = ByteBuffer(capacity: 64)
        key.append(forward)
        key.append(object: object)
        key.append(big: property)
        var cursor = try OrderedIndex(root: root, access: access).cursor(prefix: key.bytes), bytes: [UInt8] = []
        guard try cursor.next() else { return nil }
        try cursor.copyKey(into: &bytes)
        return link(bytes)?.link.target
    }

    /// Calls `body` with each link, and with whether the entry is by its target; nil for a key that no writer produces.
    static func forEach(_ root: BlockReference, in access: BlockAccess,
                        _ body: (Link?, Bool) throws(FreeholdError) -> Void) throws(FreeholdError) {
        var cursor = try OrderedIndex(root: root, access: access).cursor(), bytes: [UInt8] = []
        while try cursor.next() {
            try cursor.copyKey(into: &bytes)
            let found = link(bytes), isSame = found?.link.object == cursor.objectKey.rawValue
            try body(isSame ? found?.link : nil, found?.isByTarget ?? false)
        }
    }

    // MARK: Keys

    private static let forward: UInt8 = 1, backward: UInt8 = 2, forwardBytes = 17, backwardBytes = 7, endBytes = 12
    private static let longestKey = 60_000

    private static func link(_ bytes: [UInt8]) -> (link: Link, isByTarget: Bool)? {
        func number(_ offset: Int, _ count: Int) -> UInt64 { bytes[offset..<offset + count].reduce(0) { $0 << 8 | UInt64($1) } }
        switch bytes.first {
        case forward where bytes.count >= forwardBytes:
            let target = Target(table: Int(number(13, 4)), indexKey: Array(bytes[forwardBytes...]))
            return (Link(object: OrderedKey.int(orderedBits: number(1, 8)), property: UInt32(number(9, 4)), target: target), false)
        case backward where bytes.count >= backwardBytes + endBytes && Int(number(5, 2)) == bytes.count - backwardBytes - endBytes:
            let end = bytes.count - endBytes, target = Target(table: Int(number(1, 4)), indexKey: Array(bytes[backwardBytes..<end]))
            return (Link(object: OrderedKey.int(orderedBits: number(end, 8)), property: UInt32(number(end + 8, 4)), target: target), true)
        default: return nil
        }
    }

    private func setForward(_ link: Link) {
        key.removeAll()
        key.append(Self.forward)
        key.append(object: link.object)
        key.append(big: link.property)
        key.append(big: UInt32(link.target.table))
        link.target.indexKey.withUnsafeBytes { key.append($0) }
    }

    /// - Parameter link: nil for the beginning of the keys of all links to the target.
    private func setBackward(_ target: Target, _ link: Link?) {
        key.removeAll()
        key.append(Self.backward)
        key.append(big: UInt32(target.table))
        key.append(big: UInt16(target.indexKey.count))
        target.indexKey.withUnsafeBytes { key.append($0) }
        guard let link else { return }
        key.append(object: link.object)
        key.append(big: link.property)
    }
}

extension StoredProperty {
    /// Whether its value can be a link.
    var isSingleLink: Bool { type.mayLink && shape == nil }
}
