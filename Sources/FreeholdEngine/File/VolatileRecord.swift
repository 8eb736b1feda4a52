import Platform

/// V, the commit point: one complete record makes its version committed, for as long as the kernel lives.
///
/// There are two slots, written in turn, so that the newest complete one is never overwritten. The record names the
/// boot and the inode: after a reboot, or in a copy, it is only a candidate.
struct VolatileRecord: HeaderRecord, Equatable {
    var file: FileIdentifier
    var root: Root
    var place: FilePlace
    var session: UInt64

    static let magic: UInt64 = 0x3076_2074_6F6F_5246  // "FRoot v0"
    static let byteCount = 144
    static let rootOffset = 24
    static let layout = [
        LayoutField("magic", 0, 8), LayoutField("file identifier", 8, 16), LayoutField("root", 24, 72),
        LayoutField("boot", 96, 16), LayoutField("device", 112, 8), LayoutField("inode", 120, 8),
        LayoutField("session", 128, 8), LayoutField("checksum", 136, 8),
    ]

    init(file: FileIdentifier, root: Root, place: FilePlace, session: UInt64) {
        self.file = file
        self.root = root
        self.place = place
        self.session = session
    }

    init?(fields: RecordFields) {
        guard let root = Root(fields, at: 24) else { return nil }
        self.init(file: fields[file: 8], root: root, place: FilePlace(fields, at: 96), session: fields[128])
    }

    func write(to fields: RecordFields) {
        fields[file: 8] = file
        root.write(to: fields, at: 24)
        place.write(to: fields, at: 96)
        fields[128] = session
    }
}

/// An inode under one boot: the place to which a record about volatile data is bound.
struct FilePlace: Equatable, Sendable {
    /// All zeros if the system cannot tell; then no two boots count as the same.
    var boot: BootIdentity
    var device: UInt64
    var inode: UInt64

    init(boot: BootIdentity?, identity: FileIdentity) {
        self.boot = boot ?? BootIdentity(high: 0, low: 0)
        device = identity.device
        inode = identity.inode
    }

    init(_ fields: RecordFields, at offset: Int) {
        boot = BootIdentity(high: fields[offset], low: fields[offset + 8])
        device = fields[offset + 16]
        inode = fields[offset + 24]
    }

    func write(to fields: RecordFields, at offset: Int) {
        fields[offset] = boot.high
        fields[offset + 8] = boot.low
        fields[offset + 16] = device
        fields[offset + 24] = inode
    }

    /// Whether statements about the page cache made at `other` still hold here: the boot is known and the same, and so
    /// is the inode.
    func isSameBoot(as other: FilePlace) -> Bool { self == other && isBootKnown }

    /// Whether statements about the page cache made at `other` may still hold here. This also is so if either was
    /// written where the boot could not be told, or if the device number differs: a file system that is mounted anew in
    /// the same boot may get another number while its pages stay in the cache. If true, the caller must assume neither
    /// that what it reads is on the disk, nor that it is not.
    func mayBeSameBoot(as other: FilePlace) -> Bool { inode == other.inode && isOfSameBoot(as: other) }

    /// Whether both may be of one boot: they are not if both boots are known and differ.
    func isOfSameBoot(as other: FilePlace) -> Bool { boot == other.boot || !isBootKnown || !other.isBootKnown }

    private var isBootKnown: Bool { (boot.high | boot.low) != 0 }
}
