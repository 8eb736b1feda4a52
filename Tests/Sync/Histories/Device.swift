@testable import FreeholdEngine

/// Milliseconds of a unit of a history's time.
let millisecondsPerUnit: Int64 = 6000
/// Units by which a stamp may be ahead at the server, in units of time.
let limitUnits = 50

/// One version of a file.
struct Contents {
    var objects = [DeviceObject?](repeating: nil, count: Key.count)
    var pending = [Pending?](repeating: nil, count: Key.count)
    /// The server's state, for the judge; a real file does not keep it.
    var base = [DeviceRow?](repeating: nil, count: Key.count)
    var replica: Int
    /// The inode that has this replica identity.
    var home: Int
    /// The open one.
    var epoch: UInt64 = 1
    var clock = HybridClock()
    /// For the judge: whether the server has told it the time.
    var isTold = false
    /// The version: how many commits it is of, by programs and agents.
    var commits = 0
    /// The last session, as the file says.
    var session = 1
    var history: UInt64 = 0
    var cursor = SyncCursor.never
    /// Replicas that the file was, with the epoch that was open when it was copied; in order.
    var copied: [(replica: Int, epoch: UInt64, last: SyncStamp)] = []
    var identities: UInt64 = 0

    var isPending: Bool { pending.contains { $0 != nil } }
}

/// A file with synced classes: what its root and its trees hold, and how commits change them.
///
/// A commit is atomic. It is durable after a flush; a power cut takes what was not flushed.
final class Device {
    let number: Int
    let user: Int
    unowned let world: World
    let inode: Int
    var now: Contents
    private(set) var durable: Contents
    /// The sidecar: the last epoch sealed, written before it is sent; the version of the last one that closed the file; the last session.
    var marked: (replica: Int, epoch: UInt64)
    var closed = 0
    private var begun = 1
    /// How far its wall clock is ahead, in units.
    var skew: Int
    var offlineUntil = 0
    /// An older copy of it.
    private(set) var copy: (contents: Contents, bytes: ShadowFile.Bytes?)?
    var isOpen = true
    /// A real file that goes through the same.
    var shadow: ShadowFile?
    private var hasLost = false
    private var placeholders: UInt64 = 0
    /// Not a replica.
    static let unidentified = 255
    /// The epoch that was open when the last transaction began: that of all its changes but increments.
    var openBefore: UInt64 = 1
    /// Whether it has noted something: else it takes no stamp.
    var hasNoted = false

    init(_ number: Int, user: Int, world: World, replica: Int) {
        self.number = number
        self.user = user
        self.world = world
        inode = number
        now = Contents(replica: replica, home: number)
        durable = now
        marked = (replica, 0)
        skew = [0, 0, 3, -7, 20, 45][world.random.below(6)]
        world.hold(replica, by: number)
    }

    var shortcuts: DeviceShortcuts { world.rules.device }

    func flush() { durable = now }

    /// A file that nobody has open loses nothing.
    func powerCut() {
        now = durable
        now.isTold = false
        if isOpen { hasLost = !shortcuts.contains(.keepsIdentityAfterPowerCut) }
        isOpen = false
        follow(isCompared: false) { try $0.cutPower(self) }
    }

    /// Makes a copy of the file, which can be put back.
    func keepCopy() {
        copy = (now, nil)
        // A backup of an open file knows of no session.
        if isOpen { copy!.contents.session = 0 }
        follow(isCompared: false) { copy!.bytes = try $0.bytes() }
    }

    /// Puts the copy in the file's place, once the last process has closed it.
    func putBack() {
        guard let copy else { return }
        // Nobody has closed it since it was put back before, or since a power cut.
        if isOpen { closed = now.commits }
        take(copy.contents, marked)
        if let bytes = copy.bytes { follow(isCompared: false) { try $0.putBack(bytes, self) } }
    }

    /// Becomes a copy of another file, with or without what stands beside that.
    func take(copyOf source: Device, withSidecar: Bool, seed: UInt64) {
        take(source.now, withSidecar ? source.marked : (0, 0))
        guard let file = source.shadow else { return }
        do { shadow = try ShadowFile(copyOf: file, withSidecar: withSidecar, self, seed: seed) } catch { world.fail("a copy: \(error)") }
    }

    /// Another file's bytes, or older ones of this file.
    private func take(_ contents: Contents, _ marked: (replica: Int, epoch: UInt64)) {
        now = contents
        now.isTold = false
        hasLost = false
        self.marked = marked
        isOpen = false
        flush()
    }

    /// The first process that opens the file reads whether it still is the file that has its replica identity.
    func open() {
        if isOpen { return }
        let old = now.replica
        if needsIdentity { takeIdentity() }
        isOpen = true
        now.session += 1
        begun = now.session
        follow { try $0.open(self, old: old) }
    }

    var wallMilliseconds: Int64 { Int64(world.time + skew) * millisecondsPerUnit }

    func stamp() -> SyncStamp { now.clock.next(wallMilliseconds: wallMilliseconds) }

    /// An embedded object gets its identity at the commit.
    func placeholder() -> Identity {
        placeholders += 1
        return Identity(Self.unidentified, placeholders)
    }

    func newIdentity() -> Identity {
        now.identities += 1
        return Identity(now.replica, now.identities)
    }

    // MARK: Copies

    /// Whether this file is a copy: another inode, or one that has been put back to before an epoch that was sealed.
    private var needsIdentity: Bool {
        let isElsewhere = !shortcuts.contains(.ignoresInode) && now.home != inode
        let isOlder = !shortcuts.contains(.ignoresSidecar)
            && (marked.replica != now.replica || marked.epoch >= now.epoch || now.commits < closed
                || now.session < begun && !shortcuts.contains(.ignoresSessions))
        return isElsewhere || isOlder || hasLost
    }

    /// A new replica. What is pending keeps the replica and epoch that it was written under, which say whether it was applied.
    private func takeIdentity() {
        let old = now.replica
        // Nobody has to know of an identity under which nothing was written.
        if isUsed { now.copied.append((old, now.epoch, now.clock.last)) }
        now.replica = world.newReplica()
        world.hold(now.replica, by: number)
        now.commits += 1
        (now.home, now.epoch, now.identities) = (inode, 1, 0)
        hasLost = false
        if shortcuts.contains(.renamesPending) { renamePending() }
        marked = (now.replica, 0)
        flush()
    }

    /// The replicas that the file was, and is.
    var ownReplicas: [Int] { now.copied.map(\.replica) + [now.replica] }

    private var isUsed: Bool {
        let isOwn = { [replica = now.replica] (item: Item?) in item?.replica == replica }
        return now.epoch > 1 || now.identities > 0 || now.pending.contains { pending in
            guard let pending else { return false }
            return isOwn(pending.gone) || isOwn(pending.new) || pending.items.contains { isOwn($0.item) }
                || pending.deltas.contains { $0.replica == now.replica }
        }
    }

    private func renamePending() {
        for key in 0..<Key.count {
            guard var pending = now.pending[key] else { continue }
            let rename = { [replica = now.replica] (item: inout Item) in (item.replica, item.epoch) = (replica, 1) }
            if pending.gone != nil { rename(&pending.gone!) }
            if pending.new != nil { rename(&pending.new!) }
            for index in pending.items.indices { pending.changeItem(at: index, rename) }
            if !pending.deltas.isEmpty {
                pending.deltas = [Delta(replica: now.replica, epoch: 1, amount: pending.deltas.reduce(0) { $0 + $1.amount },
                                        tokens: pending.deltas.flatMap(\.tokens), began: pending.deltas[0].began)]
            }
            now.pending[key] = pending
        }
    }

    // MARK: The check

    /// Whether what is pending, replayed on the last state of the server, gives the local state.
    func isConsistent(_ key: Int) -> Bool {
        var lost: [Path] = []
        let made = overlay(now.base[key], now.pending[key], now.objects[key], lost: &lost)
        switch (made, now.objects[key]) {
        case (nil, nil): return true
        case (let made?, let here?): return made.shows(here)
        default: return false
        }
    }
}
