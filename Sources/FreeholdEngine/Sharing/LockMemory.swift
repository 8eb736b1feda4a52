// Safe throughout: every offset comes from `LockLayout` and lies in the part that is always initialised; the memory
// belongs to the session, which outlives all uses.
import Platform

/// The shared words of the lock file by name. A plain value: the address of the memory, nothing more.
struct LockMemory: @unchecked Sendable {
    let base: UnsafeMutableRawPointer

    var ready: SharedWord { word(LockLayout.ready) }
    var usesByteLocks: SharedWord { word(LockLayout.usesByteLocks) }
    /// The highest version number ever seen; the next one is above it.
    var versionFloor: SharedWord { word(LockLayout.versionFloor) }
    var poisoned: SharedWord { word(LockLayout.poisoned) }
    var processCount: SharedWord { word(LockLayout.processCount) }
    var cellCount: SharedWord { word(LockLayout.cellCount) }
    /// One more than the highest cell ever claimed: scans end there.
    var cellsUsed: SharedWord { word(LockLayout.cellsUsed) }
    var listenerCount: SharedWord { word(LockLayout.listenerCount) }
    var reservationCount: SharedWord { word(LockLayout.reservationCount) }
    /// Grows with every change of the reservations; 0 until the first one.
    var reservationChange: SharedWord { word(LockLayout.reservationChange) }
    var inUseWritten: SharedWord { word(LockLayout.inUseWritten) }
    /// The version that was durable but was not found when the session began, or 0.
    var lostVersion: SharedWord { word(LockLayout.lostVersion) }
    /// Grows whenever a reader pins, in a cell of its own, a version that another cell holds.
    var movedPins: SharedWord { word(LockLayout.movedPins) }
    /// Not 0 if a scan of the cells could not end because `movedPins` kept growing.
    var scanWaits: SharedWord { word(LockLayout.scanWaits) }

    /// Whether the process life that `token` names goes on. A process that ends it does so before it looks for what the
    /// life owns. So what a process took before it found itself alive will be found.
    func isLive(_ token: UInt64) -> Bool {
        guard let slot = ProcessSlot(token: token) else { return false }
        let state = SharedWord(base + LockLayout.processes.offset(slot.index), 0).loadInOrder()
        return state & 0xff == ProcessSlots.live && state >> 8 & 0xffff_ffff == slot.generation
    }

    /// The owner token of the process whose flush is under way, or 0.
    var flushLeader: SharedWord { word(LockLayout.flushLeader) }
    /// Whether S has been written for F.
    var targetWritten: SharedWord { word(LockLayout.targetWritten) }
    /// Raised when F's blocks are written again: no flush that began before may confirm them.
    var flushAttempt: SharedWord { word(LockLayout.flushAttempt) }
    /// The version a leader is about to make visible, or 0: held.
    var rising: SharedWord { word(LockLayout.rising) }
    var durableBell: SharedBell { SharedBell(base, LockLayout.durableBell) }
    var durableSleepers: SharedBell { SharedBell(base, LockLayout.durableSleepers) }
    var changeBell: SharedBell { SharedBell(base, LockLayout.changeBell) }
    var changeSleepers: SharedBell { SharedBell(base, LockLayout.changeSleepers) }
    var listenersArmed: SharedWord { word(LockLayout.listenersArmed) }
    /// The newest version committed with full durability.
    var lastFull: SharedWord { word(LockLayout.lastFull) }
    /// When `lastFull` was published, in monotonic nanoseconds.
    var lastFullSince: SharedWord { word(LockLayout.lastFullSince) }
    /// The slot of V that holds the newest valid record; 2 if none does.
    var volatileSlot: SharedWord { word(LockLayout.volatileSlot) }

    @inline(__always) var newest: SharedRoot { SharedRoot(base, at: LockLayout.newest) }
    @inline(__always) var durable: SharedRoot { SharedRoot(base, at: LockLayout.durable) }
    @inline(__always) var flushing: SharedRoot { SharedRoot(base, at: LockLayout.flushing) }
    @inline(__always) var visible: VisibleRoot { VisibleRoot(base, at: LockLayout.visible) }
    var ring: VersionRing { VersionRing(base: base) }

    @inline(__always) private func word(_ offset: Int) -> SharedWord { SharedWord(base, offset) }
}

/// The identity of a lock file: its database, its boot, and the build of the library that created it.
struct LockIdentity: Equatable {
    var magic = LockLayout.magic
    var layoutVersion = LockLayout.version
    var layoutTag: UInt32
    var file: FileIdentifier
    var place: FilePlace
    var namespace: UInt64
    var session: UInt64
    /// Device and inode of the lock file itself: all other fields are the same in a copy of it.
    var lockFile = FileIdentity(device: 0, inode: 0)

    init(layoutTag: UInt32, file: FileIdentifier, place: FilePlace, namespace: UInt64, session: UInt64) {
        self.layoutTag = layoutTag
        self.file = file
        self.place = place
        self.namespace = namespace
        self.session = session
    }

    init(_ memory: LockMemory) {
        let fields = RecordFields(start: memory.base)
        magic = fields[LockLayout.magicOffset]
        layoutVersion = fields[short: LockLayout.versionOffset]
        layoutTag = fields[short: LockLayout.layoutTag]
        file = fields[file: LockLayout.file]
        place = FilePlace(fields, at: LockLayout.place)
        namespace = fields[LockLayout.namespace]
        session = fields[LockLayout.session]
        lockFile = FileIdentity(device: fields[LockLayout.ownPlace], inode: fields[LockLayout.ownPlace + 8])
    }

    func write(to memory: LockMemory) {
        let fields = RecordFields(start: memory.base)
        fields[short: LockLayout.versionOffset] = layoutVersion
        fields[short: LockLayout.layoutTag] = layoutTag
        fields[file: LockLayout.file] = file
        place.write(to: fields, at: LockLayout.place)
        fields[LockLayout.namespace] = namespace
        fields[LockLayout.session] = session
        fields[LockLayout.ownPlace] = lockFile.device
        fields[LockLayout.ownPlace + 8] = lockFile.inode
        fields[LockLayout.magicOffset] = magic
    }

    /// Whether the lock file, found as `found`, belongs to this very file and boot (device and inode included).
    func belongs(to file: FileIdentifier, at place: FilePlace, foundAs found: FileIdentity?) -> Bool {
        magic == LockLayout.magic && self.file == file && self.place == place && lockFile == found
    }

    /// Whether the lock file was created for the inode `identity`, under any boot.
    func isOf(_ identity: FileIdentity) -> Bool {
        magic == LockLayout.magic && place.device == identity.device && place.inode == identity.inode
    }
}
