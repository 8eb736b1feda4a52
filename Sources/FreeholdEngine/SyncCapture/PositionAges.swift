/// Which of two positions of a list was there first, as far as a file has to know: what is pending stands beside older ones, so that a
/// batch, which has positions in the order in which they were made, names none that comes later.
///
/// 1. Of two positions of one replica the one with the lower count is older.
/// 2. A file that was copied has given positions under several identities: those of an earlier one are older.
/// 3. Positions of others are older than all of these: the server knows them.
struct PositionAges {
    /// The identities that the file has had, by the numbers of replicas in the class: the higher, the later.
    private var ranks: [Int: Int] = [:]

    init() {}

    /// - Parameter number: the number of a replica in the class; nil if it has none.
    init(_ body: SyncBody, number: (ReplicaIdentity) throws(FreeholdError) -> Int?) throws(FreeholdError) {
        // The last identity is the first slot.
        for (rank, replica) in (body.slots.reversed().map(\.replica) + [body.replica]).enumerated() {
            if let number = try number(replica) { ranks[number] = rank }
        }
    }

    /// - Parameter own: the numbers of the replicas that a file was, in their order.
    init(own: [Int]) { for (rank, number) in own.enumerated() { ranks[number] = rank } }

    /// Whether a position was there when another one was made.
    func isOlder(_ other: SyncIdentity, than position: SyncIdentity) -> Bool {
        if other.replica == position.replica { return other.count < position.count }
        guard let rank = ranks[other.replica] else { return true }
        return rank < ranks[position.replica] ?? -1
    }
}
