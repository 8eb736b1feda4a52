/// The present state of a database: its size, its versions, and the processes that hold them.
public struct DatabaseInformation: Sendable {
    /// The newest version that can be read.
    public let version: Version
    /// The newest version that a power cut cannot undo.
    public let durableVersion: Version
    /// The version that was durable once and whose root was destroyed, by the disk or by another program; normally nil.
    /// The database opened at the last intact version before it. Reported until `Database.acknowledgeLostVersion`.
    public let lostVersion: Version?
    /// Bytes of the file.
    public let fileLength: UInt64
    /// Bytes of pages that hold blocks of the newest version.
    public let usedBytes: UInt64
    /// Bytes of pages that any commit may reuse now.
    public let freeBytes: UInt64
    /// Bytes of pages that only older versions, still held, keep.
    public let heldBytes: UInt64
    /// Bytes of pages that long values are being written into (`LargeValueWriter`).
    public let reservedBytes: UInt64
    /// All processes that hold a version, oldest version first.
    public let holders: [Holder]

    /// A process that holds a version.
    public struct Holder: Sendable {
        public let version: Version
        public let processIdentifier: Int32
        public let processName: String
        /// For how long it is known to have been held, in milliseconds.
        public let heldMilliseconds: UInt64
        /// How many readers of that process hold it.
        public let readers: Int
        /// Whether all of them are parked: then a commit may take the version away (`Snapshot.park`).
        public let isParked: Bool
        /// Bytes of pages kept for this version, alone or together with older ones.
        public let keptBytes: UInt64
    }
}

extension Database {
    /// The versions that readers of any process hold, and the newest one. Costs little.
    public func heldVersions() throws(FreeholdError) -> Set<Version> {
        let session = try core().session
        var versions = Set(session.held.holders().map { Version($0.version) })
        versions.insert(Version(session.memory.newest.version))
        return versions
    }

    /// Reads sizes, versions and holders.
    public func information() throws(FreeholdError) -> DatabaseInformation {
        let snapshot = try snapshot()
        defer { snapshot.end() }
        let core = snapshot.core
        core.session.reaper.reap()
        let root = snapshot.root
        let map = try SpaceMap.load(version: root.version, root: TopBlock(root.top, in: core.access).space,
                                    length: root.length, access: core.access, path: path)
        let held = core.session.held.versions()
        // Others may reserve pages behind the version's end meanwhile; it need not be exact.
        if core.session.reservations.change > 0 { try map.keep(core.session.reservedPages(), held: held) }
        let usage = map.usage(held: held)
        map.waiting.settle(held: held)
        let kept = Dictionary(uniqueKeysWithValues: map.waiting.cost().map { ($0.version, UInt64($0.pages * BlockLayout.page)) })
        return DatabaseInformation(
            version: Version(root.version), durableVersion: Version(core.session.memory.durable.version),
            lostVersion: core.session.lostVersion.map { Version($0) }, fileLength: UInt64(try core.session.file.length()), usedBytes: usage.used, freeBytes: usage.free,
            heldBytes: usage.held, reservedBytes: usage.reserved, holders: holders(core, kept))
    }

    private func holders(_ core: DatabaseCore, _ kept: [UInt64: UInt64]) -> [DatabaseInformation.Holder] {
        core.session.held.holders().map { holder in
            DatabaseInformation.Holder(
                version: Version(holder.version), processIdentifier: holder.process.id, processName: holder.process.name,
                heldMilliseconds: holder.heldNanoseconds / 1_000_000, readers: holder.cells,
                isParked: holder.isParked, keptBytes: kept[holder.version] ?? 0)
        }
    }
}
