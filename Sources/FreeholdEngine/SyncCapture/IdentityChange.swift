/// The changes that one commit makes to the identities of one class: collected, then written to its trees.
///
/// Embedded objects come in the order of their keys.
///
/// Safe throughout: bytes of keys are copied before the call that takes them returns.
final class IdentityChange {
    // Safe (all exclusivity below): one thread commits, and nothing here re-enters it.
    /// The trees as they are after the last `write`.
    @exclusivity(unchecked) private(set) var trees: PendingTrees
    private let table: UInt32
    private let pending: PendingBlocks
    private let lists: IndexOperations, embedded: IndexOperations, replicas: IndexOperations
    private let key: ByteBuffer
    /// Numbers that were looked up or given.
    @exclusivity(unchecked) private var numbers: [ReplicaIdentity: Int] = [:]
    @exclusivity(unchecked) private var lastNumber: Int?
    /// New embedded objects.
    @exclusivity(unchecked) private var run: EmbeddedRun?
    /// What is left of a run of embedded objects from which one was removed.
    @exclusivity(unchecked) private var rest: EmbeddedRun?

    private static let heldBytes = 64 << 20

    /// - Parameter tools: used by no other change at the same time, and empty.
    init(_ trees: PendingTrees, table: UInt32, _ tools: CaptureTools, in pending: PendingBlocks) {
        (lists, embedded, replicas, key) = (tools.lists, tools.embedded, tools.replicas, tools.identityKey)
        self.trees = trees
        self.table = table
        self.pending = pending
    }

    private var reader: IdentityReader { IdentityReader(trees: trees, access: pending.access) }

    // MARK: Replicas

    /// The number of a replica in this class; it gets one if it has none.
    func number(of replica: ReplicaIdentity) throws(FreeholdError) -> Int {
        if let known = numbers[replica] { return known }
        if let known = try reader.number(of: replica) {
            numbers[replica] = known
            return known
        }
        var last = lastNumber ?? 0
        if lastNumber == nil { last = try reader.lastNumber() }
        guard last + 1 < SyncIdentity.maximumReplicas else {
            throw FreeholdError(.valueTooLarge, "a synced class knows \(last) replicas, and no more are possible")
        }
        let number = last + 1
        key.setReplica(replica)
        replicas.insert(key.bytes, ObjectKey(Int64(number)))
        key.setNumber(UInt32(number), replica)
        replicas.insert(key.bytes, ObjectKey(0))
        numbers[replica] = number
        lastNumber = number
        return number
    }

    /// Which positions are older than others.
    func ages(_ body: SyncBody) throws(FreeholdError) -> PositionAges {
        try PositionAges(body) { replica throws(FreeholdError) in
            if let known = numbers[replica] { return known }
            return try reader.number(of: replica)
        }
    }

    // MARK: Lists

    /// The identities of a list, as the transaction found them.
    func list(of object: Int64, _ property: UInt32) throws(FreeholdError) -> ListIdentities { try reader.list(of: object, property) }

    /// Replaces identities of a list's elements.
    func apply(_ edits: [ListIdentities.Edit], to list: inout ListIdentities, of object: Int64,
               _ property: UInt32) throws(FreeholdError) {
        key.setList(of: object, property)
        let (gone, new) = try list.applying(edits, head: key.array)
        for part in gone { part.key.withUnsafeBytes { lists.remove($0, ObjectKey(Int64(part.count))) } }
        for part in new { part.key.withUnsafeBytes { lists.insert($0, ObjectKey(Int64(part.count))) } }
        try writeIfMany()
    }

    /// Gives identities to the elements of a list that has none.
    func identify(_ object: Int64, _ property: UInt32, _ run: IdentityRun) throws(FreeholdError) {
        key.setList(of: object, property)
        key.append(big: ListIdentities.firstLabel)
        IdentityChunk.append(run, to: key)
        lists.insert(key.bytes, ObjectKey(Int64(run.count)))
        try writeIfMany()
    }

    /// Removes the identities of all lists of an object.
    func removeLists(of object: Int64) throws(FreeholdError) {
        if trees.identities.isNull { return }
        key.removeAll()
        key.append(object: object)
        var cursor = try OrderedIndex(root: trees.identities, access: pending.access).cursor(prefix: key.bytes)
        while try cursor.next() { try cursor.key().withUnsafeBytes { lists.remove($0, cursor.objectKey) } }
    }

    /// Removes the identities of lists that the class does not have any more.
    func keep(properties: Set<UInt32>) throws(FreeholdError) {
        var cursor = try OrderedIndex(root: trees.identities, access: pending.access).cursor()
        while try cursor.next() {
            let bytes = try cursor.key()
            guard bytes.count > IdentityKey.partHead else { throw ListIdentities.damaged() }
            if properties.contains(UInt32(truncatingIfNeeded: IdentityKey.word(bytes, 8, 4))) { continue }
            bytes.withUnsafeBytes { lists.remove($0, cursor.objectKey) }
        }
        try write()
    }

    // MARK: Embedded objects

    /// Gives an embedded object its identity.
    func embed(_ object: Int64, _ identity: SyncIdentity) throws(FreeholdError) {
        if let known = run, known.keys.upperBound < .max, known.keys.upperBound + 1 == object,
           identity.follows(known.identity(of: known.keys.upperBound)) {
            run = EmbeddedRun(keys: known.keys.lowerBound...object, first: known.first)
            return
        }
        finishRun()
        run = EmbeddedRun(keys: object...object, first: identity)
        try writeIfMany()
    }

    /// Removes the identity of an embedded object, if it has one.
    func unembed(_ object: Int64) throws(FreeholdError) {
        if let known = rest, object <= known.keys.upperBound {
            if object >= known.keys.lowerBound { split(known, at: object) }
            return
        }
        finishRest()
        guard let known = try reader.embedded(having: object) else { return }
        key.setEmbedded(known.keys)
        embedded.remove(key.bytes, ObjectKey(Int64(bitPattern: known.first.rawValue)))
        split(known, at: object)
    }

    private func split(_ known: EmbeddedRun, at object: Int64) {
        if known.keys.lowerBound < object { insert(EmbeddedRun(keys: known.keys.lowerBound...object - 1, first: known.first)) }
        rest = object < known.keys.upperBound
            ? EmbeddedRun(keys: object + 1...known.keys.upperBound, first: known.identity(of: object + 1)) : nil
    }

    private func finishRest() {
        if let rest { insert(rest) }
        rest = nil
    }

    private func finishRun() {
        if let run { insert(run) }
        run = nil
    }

    private func insert(_ run: EmbeddedRun) {
        key.setEmbedded(run.keys)
        embedded.insert(key.bytes, ObjectKey(Int64(bitPattern: run.first.rawValue)))
    }

    // MARK: Trees

    private func writeIfMany() throws(FreeholdError) {
        if lists.arenaCount + embedded.arenaCount >= Self.heldBytes { try write() }
    }

    /// Writes what was collected to the trees.
    func write() throws(FreeholdError) {
        finishRest()
        finishRun()
        try OrderedIndex.take(lists, into: &trees.identities, table: table, in: pending)
        try OrderedIndex.take(embedded, into: &trees.embedded, table: table, in: pending)
        try OrderedIndex.take(replicas, into: &trees.replicas, table: table, in: pending)
    }
}
