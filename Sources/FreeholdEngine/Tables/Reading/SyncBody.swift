/// The state of sync that belongs to a version as a whole: the body of the top block of a file with synced classes.
///
/// ```
///  0  replica, 16 bytes       this file's identity towards the server
/// 16  home u64                a hash of the inode and device that have this identity
/// 24  epoch u64               the open one, from 1 on
/// 32  clock u64               the last stamp given
/// 40  seen u64                the highest stamp seen from the server
/// 48  offset i64              milliseconds to add to the device's clock
/// 56  history u64             of the server; 0 before the first answer
/// 64  identities u64          the highest number given to an element or a position of a list
/// 72  cursor: next u64 · transactions in progress u32, slots u32 · these u64 each
///     slots: replica, 16 bytes · epoch u64, that was open when this file was copied · clock u64, its last stamp then
/// ```
/// 1. Pending changes name a slot: 0 is this file's replica, n the n-th of the list, under which a copied file was written.
/// 2. A version without synced classes has no body, and is the same bytes as before there was sync.
///
/// Safe throughout: offsets are compared with the body's length before they are read.
struct SyncBody: Equatable {
    /// A replica under which pending changes were written before the file was copied.
    struct Slot: Equatable {
        let replica: ReplicaIdentity
        /// The epoch that was open when the file was copied.
        let epoch: UInt64
        /// The last stamp that was given before: the server tells by it which of that epoch's writes the copy has.
        let last: SyncStamp
    }

    var replica: ReplicaIdentity
    var home: UInt64
    var epoch: UInt64 = 1
    var clock = HybridClock()
    var history: UInt64 = 0
    var identities: UInt64 = 0
    var cursor = SyncCursor.never
    var slots: [Slot] = []

    /// The maximum number of slots: a pending change has 16 bits for the number of one.
    static let maximumSlots = 1_000
    private static let headBytes = 72, cursorBytes = 16, slotBytes = 32

    init(replica: ReplicaIdentity, home: UInt64) {
        self.replica = replica
        self.home = home
    }

    /// The replica under which a change was written. A slot that does not exist is damage, which `check` tells of.
    func replica(ofSlot slot: Int) -> ReplicaIdentity { slot == 0 || slot > slots.count ? replica : slots[slot - 1].replica }

    /// Reads the body of a top block; nil if it has none.
    init?(_ top: TopBlock, in access: BlockAccess) throws(FreeholdError) {
        let view = top.view
        if view.bodyLength == 0 { return nil }
        guard let read = Self(bytes: UnsafeRawBufferPointer(start: view.body, count: view.bodyLength)) else {
            try access.requireIntactMapping()
            throw FreeholdError(.corrupt, "the state of sync in the top block is damaged; restore a backup or run `freehold salvage`",
                                path: access.path)
        }
        self = read
    }

    /// Nil for bytes that no writer produces.
    init?(bytes: UnsafeRawBufferPointer) {
        func word(_ offset: Int) -> UInt64 { UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) }
        func half(_ offset: Int) -> Int { Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))) }
        guard bytes.count >= Self.headBytes + Self.cursorBytes else { return nil }
        let running = half(Self.headBytes + 8), count = half(Self.headBytes + 12), start = Self.headBytes + Self.cursorBytes
        guard count <= Self.maximumSlots, bytes.count - start == running * 8 + count * Self.slotBytes,
              let cursor = SyncCursor(next: word(Self.headBytes), running: (0..<running).map { word(start + 8 * $0) }) else { return nil }
        replica = ReplicaIdentity(high: word(0), low: word(8))
        home = word(16)
        epoch = word(24)
        clock = HybridClock(last: SyncStamp(rawValue: word(32)), seen: SyncStamp(rawValue: word(40)),
                            offset: Int64(bitPattern: word(48)))
        history = word(56)
        identities = word(64)
        self.cursor = cursor
        slots = (0..<count).map { index in
            let slot = start + 8 * running + Self.slotBytes * index
            return Slot(replica: ReplicaIdentity(high: word(slot), low: word(slot + 8)), epoch: word(slot + 16),
                        last: SyncStamp(rawValue: word(slot + 24)))
        }
        let replicas = Set(slots.map(\.replica))
        guard epoch > 0, replica != .server, replicas.count == count, !replicas.contains(replica) else { return nil }
    }

    var byteCount: Int { Self.headBytes + Self.cursorBytes + 8 * cursor.running.count + Self.slotBytes * slots.count }

    /// The bytes of the body.
    var bytes: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: byteCount) { room, count in
            write(into: UnsafeMutableRawBufferPointer(room))
            count = byteCount
        }
    }

    /// Writes the body into a top block that has room for `byteCount` bytes.
    func write(into block: MutableBlock) {
        precondition(block.view.bodyLength == byteCount, "the body of a top block with sync")
        write(into: UnsafeMutableRawBufferPointer(start: block.body, count: byteCount))
    }

    private func write(into room: UnsafeMutableRawBufferPointer) {
        var place = 0
        func put(_ word: UInt64) {
            room.storeBytes(of: word.littleEndian, toByteOffset: place, as: UInt64.self)
            place += 8
        }
        put(replica.high)
        put(replica.low)
        put(home)
        put(epoch)
        put(clock.last.rawValue)
        put(clock.seen.rawValue)
        put(UInt64(bitPattern: clock.offset))
        put(history)
        put(identities)
        put(cursor.next)
        put(UInt64(cursor.running.count) | UInt64(slots.count) << 32)
        for transaction in cursor.running { put(transaction) }
        for slot in slots {
            put(slot.replica.high)
            put(slot.replica.low)
            put(slot.epoch)
            put(slot.last.rawValue)
        }
        assert(place == byteCount, "a body of another length")
    }

    /// This state for another file with the same pending changes: it has an identity of its own, and what was written under the
    /// present one is inherited. Numbers of slots grow by one, in every pending change.
    func copied(as replica: ReplicaIdentity, home: UInt64) -> SyncBody {
        var made = self
        made.replica = replica
        made.home = home
        made.slots.insert(Slot(replica: self.replica, epoch: epoch, last: clock.last), at: 0)
        made.epoch = 1
        made.identities = 0
        return made
    }
}
