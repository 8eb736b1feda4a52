/// Reads the identities of one class: of its lists' elements, of its embedded objects, and the replicas that they name by numbers.
///
/// Safe throughout: bytes of keys are copied before the call that takes them returns.
struct IdentityReader {
    let trees: PendingTrees
    let access: BlockAccess

    private func index(_ root: BlockReference) -> OrderedIndex { OrderedIndex(root: root, access: access) }

    // MARK: Lists

    /// The identities of a list's elements, in its order.
    func runs(of object: Int64, _ property: UInt32) throws(FreeholdError) -> [IdentityRun] {
        var list = try list(of: object, property)
        return try list.runs(0..<list.count)
    }

    func list(of object: Int64, _ property: UInt32) throws(FreeholdError) -> ListIdentities {
        if trees.identities.isNull { return ListIdentities(parts: []) }
        let prefix = ByteBuffer(capacity: IdentityKey.listHead), tree = index(trees.identities)
        prefix.setList(of: object, property)
        return try ListIdentities(tree, try tree.ranks(prefix: prefix.bytes))
    }

    /// Calls `body` with each list that has elements, in the order of objects, and its parts.
    func forEachList(_ body: (Int64, UInt32, ListIdentities) throws(FreeholdError) -> Void) throws(FreeholdError) {
        var cursor = try index(trees.identities).cursor(), parts: [ListIdentities.Part] = []
        func finish() throws(FreeholdError) {
            guard let key = parts.first?.key else { return }
            try body(IdentityKey.object(key, 0), UInt32(truncatingIfNeeded: IdentityKey.word(key, 8, 4)), ListIdentities(parts: parts))
            parts = []
        }
        while try cursor.next() {
            let key = try cursor.key(), count = cursor.objectKey.rawValue
            guard key.count > IdentityKey.partHead, ListIdentities.isPossible(count) else { throw ListIdentities.damaged() }
            if let first = parts.first?.key, first[..<IdentityKey.listHead] != key.prefix(IdentityKey.listHead) { try finish() }
            parts.append(ListIdentities.Part(key, Int(count)))
        }
        try finish()
    }

    // MARK: Embedded objects

    /// The identity of an embedded object; nil if there is none.
    func identity(of object: Int64) throws(FreeholdError) -> SyncIdentity? {
        guard let run = try embedded(having: object) else { return nil }
        return run.identity(of: object)
    }

    /// The run of embedded objects that has an object.
    func embedded(having object: Int64) throws(FreeholdError) -> EmbeddedRun? {
        if trees.embedded.isNull { return nil }
        let key = ByteBuffer(capacity: IdentityKey.embeddedBytes)
        key.setEmbedded(object...Int64.max)
        let rank = try index(trees.embedded).rank(of: IndexKey(key.bytes), behind: true)
        var cursor = try index(trees.embedded).cursor()
        guard rank > 0, try cursor.move(toRank: rank - 1) else { return nil }
        let run = try Self.embedded(try cursor.key(), cursor.objectKey.rawValue, access)
        return run.keys.contains(object) ? run : nil
    }

    /// Calls `body` with each run of embedded objects, in the order of their keys.
    func forEachEmbedded(_ body: (EmbeddedRun) throws(FreeholdError) -> Void) throws(FreeholdError) {
        var cursor = try index(trees.embedded).cursor()
        while try cursor.next() { try body(Self.embedded(try cursor.key(), cursor.objectKey.rawValue, access)) }
    }

    private static func embedded(_ key: [UInt8], _ posting: Int64, _ access: BlockAccess) throws(FreeholdError) -> EmbeddedRun {
        let first = SyncIdentity(rawValue: UInt64(bitPattern: posting))
        if key.count == IdentityKey.embeddedBytes {
            let low = IdentityKey.object(key, 0), high = IdentityKey.object(key, 8)
            // Safe: the distance of two keys fits 64 bits without a sign.
            let others = UInt64(bitPattern: high &- low)
            if low <= high, others < SyncIdentity.maximumCount, first.hasRoom(for: Int(others) + 1) {
                return EmbeddedRun(keys: low...high, first: first)
            }
        }
        throw FreeholdError(.corrupt, "the identity of an embedded object is damaged; run `freehold check`", path: access.path)
    }

    // MARK: Replicas

    /// The number of a replica in this class; nil if it has none.
    func number(of replica: ReplicaIdentity) throws(FreeholdError) -> Int? {
        if trees.replicas.isNull { return nil }
        let key = ByteBuffer(capacity: IdentityKey.replicaBytes)
        key.setReplica(replica)
        return try index(trees.replicas).first(key.bytes).map { Int(truncatingIfNeeded: $0.rawValue) }
    }

    /// The replicas by their numbers.
    func replicas() throws(FreeholdError) -> [Int: ReplicaIdentity] {
        var found: [Int: ReplicaIdentity] = [:]
        let prefix = ByteBuffer(capacity: 16)
        prefix.append(IdentityKey.number)
        var cursor = try index(trees.replicas).cursor(prefix: prefix.bytes)
        while try cursor.next() {
            let key = try cursor.key()
            guard key.count == IdentityKey.numberBytes else {
                throw FreeholdError(.corrupt, "the table of replicas is damaged; run `freehold check`", path: access.path)
            }
            found[Int(IdentityKey.word(key, 1, 4))] = IdentityKey.replica(key, 5)
        }
        return found
    }

    /// The highest number that a replica has.
    func lastNumber() throws(FreeholdError) -> Int {
        guard let last = try index(trees.replicas).maximum(), last.key.count == IdentityKey.numberBytes else { return 0 }
        return Int(IdentityKey.word(last.key, 1, 4))
    }
}

/// Embedded objects with consecutive keys and consecutive identities.
struct EmbeddedRun: Equatable {
    var keys: ClosedRange<Int64>
    var first: SyncIdentity

    // Safe (both): the distance of two keys of a run is below 2⁴⁰.
    func identity(of object: Int64) -> SyncIdentity { first.advanced(by: Int(object &- keys.lowerBound)) }

    var count: Int { Int(keys.upperBound &- keys.lowerBound) + 1 }
}
