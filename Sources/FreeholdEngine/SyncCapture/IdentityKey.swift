/// The keys of the trees of identities. Numbers are big-endian; those of objects have their sign bit flipped.
///
/// ```
/// 62,004  object u64 · property u32 · label u64 · runs (`IdentityChunk`)      posting: how many elements they are
/// 62,005  first embedded object u64 · last u64                               posting: the identity of the first
/// 62,006  1 · replica, 16 bytes                                              posting: its number, from 1 on
///         2 · number u32 · replica, 16 bytes                                 posting: 0
/// ```
enum IdentityKey {
    static let listHead = 12, partHead = 20, embeddedBytes = 16, replicaBytes = 17, numberBytes = 21
    static let replica: UInt8 = 1, number: UInt8 = 2

    /// The key of a part of a list, which begins with the list's.
    static func part(_ head: [UInt8], _ label: UInt64, _ runs: ArraySlice<UInt8>) -> [UInt8] {
        var key = head
        key.reserveCapacity(partHead + runs.count)
        for shift in stride(from: 56, through: 0, by: -8) { key.append(UInt8(truncatingIfNeeded: label >> UInt64(shift))) }
        key.append(contentsOf: runs)
        return key
    }

    static func word(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> UInt64 {
        bytes[offset..<offset + count].reduce(0) { $0 << 8 | UInt64($1) }
    }

    static func object(_ bytes: [UInt8], _ offset: Int) -> Int64 { OrderedKey.int(orderedBits: word(bytes, offset, 8)) }

    static func replica(_ bytes: [UInt8], _ offset: Int) -> ReplicaIdentity {
        ReplicaIdentity(high: word(bytes, offset, 8), low: word(bytes, offset + 8, 8))
    }
}

extension ByteBuffer {
    /// The beginning of the keys of a list's identities.
    func setList(of object: Int64, _ property: UInt32) {
        removeAll()
        append(object: object)
        append(big: property)
    }

    /// The key of a run of embedded objects.
    func setEmbedded(_ keys: ClosedRange<Int64>) {
        removeAll()
        append(object: keys.lowerBound)
        append(object: keys.upperBound)
    }

    /// The key under which a replica's number is found.
    func setReplica(_ replica: ReplicaIdentity) {
        removeAll()
        append(IdentityKey.replica)
        append(big: replica.high)
        append(big: replica.low)
    }

    /// The key under which a number's replica is found.
    func setNumber(_ number: UInt32, _ replica: ReplicaIdentity) {
        removeAll()
        append(IdentityKey.number)
        append(big: number)
        append(big: replica.high)
        append(big: replica.low)
    }
}
