import Platform

/// The layout of the lock file: offsets in bytes from its start.
///
/// ```
///      0  identity, mode, counts          (LockFile)
///    256  writer lock                     (SharedLock)
///    512  flush lock                      (SharedLock)
///    768  flush leader, durable bell, target written, attempt, rising
///    832  change bell
///    896  listeners armed
///    960  newest full version, slot of the newest V
///   1024  newest                          (SharedRoot)
///   1280  durable D                       (SharedRoot)
///   1536  flushing F                      (SharedRoot)
///   1792  visible                         (VisibleRoot)
///   4096  processes 0…63, 64 each         (ProcessSlots)
///   8192  reader cells 0…63, 64 each      (ReaderCells)
///  12288  version ring, 256 × 32          (VersionRing)
///  20480  listeners, 1024 × 64            (ListenerTable)
///  86016  processes 64…4095
/// 344064  reservations, 1024 × 64         (Reservations)
/// 409600  reader cells from 64 on, to the end
/// ```
/// Every layout, whatever its version, has the identity (offsets 0 to 87 and 152 to 167), the count of processes and each
/// process's state at these positions, and the bytes of `LivenessByte`. So a session of another layout can be told from
/// a session of another file, and a process left over from an ended session learns of its end.
///
/// Words that different processes write often lie on cache lines of their own. The first five pages are created in one
/// piece, and are all that most sessions need. The rest is initialised a page at a time as it is needed, and the file
/// has holes elsewhere.
enum LockLayout {
    /// The layout's version, raised with every change of a position or its meaning, except in what all layouts share
    /// (see `LockLayout`).
    static let version: UInt32 = 3
    static let magic: UInt64 = 0x6B63_6F6C_6C6F_4846  // "FHollock"

    static let magicOffset = 0
    static let versionOffset = 8
    static let layoutTag = 12
    static let file = 16
    static let place = 32
    static let namespace = 64
    static let session = 72
    static let ready = 80
    static let usesByteLocks = 88
    static let versionFloor = 96
    static let poisoned = 104
    static let processCount = 112
    static let cellCount = 120
    static let listenerCount = 128
    static let inUseWritten = 136
    static let cellsUsed = 144
    static let ownPlace = 152
    static let reservationCount = 168
    static let reservationChange = 176
    static let lostVersion = 184
    static let movedPins = 192
    static let scanWaits = 200

    static let writerLock = 256
    static let flushLock = 512
    static let flushLeader = 768
    static let durableBell = 776
    static let durableSleepers = 780
    static let targetWritten = 784
    static let flushAttempt = 792
    static let rising = 800
    static let changeBell = 832
    static let changeSleepers = 836
    static let listenersArmed = 896
    static let lastFull = 960
    static let lastFullSince = 968
    static let volatileSlot = 976

    static let newest = 1024
    static let durable = 1280
    static let flushing = 1536
    static let visible = 1792

    static let ring = 12288
    static let ringEntries = 256
    static let ringEntryBytes = 32
    static let listeners = LockTable(first: 20_480, rest: 24_576)
    static let listenerLimit = 1024
    static let processes = LockTable(first: 4096, rest: 86_016)
    static let processLimit = 4096
    static let reservations = LockTable(first: 344_064, rest: 348_160)
    static let reservationLimit = 1024
    static let cells = LockTable(first: 8192, rest: 409_600)

    /// Bytes of a new lock file, including one page of processes and one of cells.
    static let initialLength = 20_480

    /// Bytes of one listener, process or cell.
    static let line = 64
    /// Number of lines in a page.
    static let linesPerPage = 64
    static let page = 4096

    /// Bytes that a mapping reserves: room for a quarter of a million reader cells in one process set.
    static let reserve = 32 << 20
    static var cellLimit: Int { linesPerPage + (reserve - cells.rest) / line }
}

/// A table of lines whose first page lies apart from the rest.
struct LockTable {
    let first: Int
    let rest: Int

    /// The offset of a line.
    @inline(__always)
    func offset(_ index: Int) -> Int {
        index < LockLayout.linesPerPage ? first + index * LockLayout.line
            : rest + (index - LockLayout.linesPerPage) * LockLayout.line
    }
}

/// Bytes of the data inode whose locks have a meaning. They lie far beyond any file's end.
enum LivenessByte {
    /// Held shared by every member of the session, exclusively by a process that begins or ends one.
    static let session = 1 << 62
    /// The writer's and the flusher's lock once the mutexes cannot be used.
    static let writer = session + 1
    static let flush = session + 2
    /// Held by a closer while it finds out whether it is the last one.
    static let closing = session + 3
    /// Held on a file without a name of its own yet, by the process that creates it, as long as that process lives.
    static let making = session + 4
    /// Held by the agent that syncs the file (`SyncLease`).
    static let syncing = session + 5
    /// One byte for each process slot.
    static func process(_ index: Int) -> Int { session + 64 + index }
    static let processes = process(0)..<process(LockLayout.processLimit)
    /// One byte for each session that ever was. Its members hold it shared, so they can be told from the members of any
    /// other session on this file, whatever name that session was begun under.
    static let members = (session + (1 << 61))..<(session + (1 << 61) + (1 << 60))
    /// The byte of readers without a lock file.
    static let lonelyReaders = members.lowerBound

    /// The byte of the session with this lock file. A process that has a lock file mapped keeps its inode number from
    /// being used again.
    static func member(of lockFile: FileIdentity?) -> Int {
        guard let lockFile else { return lonelyReaders }
        // The finisher of MurmurHash3: a bijection for one device. Safe: overflow only mixes.
        var mixed = lockFile.inode ^ lockFile.device &* 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ mixed >> 33) &* 0xFF51_AFD7_ED55_8CCD
        mixed = (mixed ^ mixed >> 33) &* 0xC4CE_B9FE_1A85_EC53
        return lonelyReaders + 1 + Int((mixed ^ mixed >> 33) % UInt64(members.count - 1))
    }
}
