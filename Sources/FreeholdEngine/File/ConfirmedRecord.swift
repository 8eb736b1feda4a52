/// The record that the flush of one durable slot succeeded. It counts only for the slot whose version and checksum it
/// names, because slot and record may reach the disk in either order.
struct ConfirmedRecord: HeaderRecord, Equatable {
    var version: UInt64
    var slotChecksum: UInt64

    static let magic: UInt64 = 0x304B_4F20_6C6F_4846  // "FHol OK0"
    static let byteCount = 32
    static let layout = [
        LayoutField("magic", 0, 8), LayoutField("version", 8, 8), LayoutField("slot checksum", 16, 8),
        LayoutField("checksum", 24, 8),
    ]

    init(_ slot: DurableRecord) {
        version = slot.root.version
        slotChecksum = slot.checksum
    }

    init?(fields: RecordFields) {
        version = fields[8]
        slotChecksum = fields[16]
    }

    func write(to fields: RecordFields) {
        fields[8] = version
        fields[16] = slotChecksum
    }

    func confirms(_ slot: DurableRecord) -> Bool { version == slot.root.version && slotChecksum == slot.checksum }
}

/// The record that distinguishes a file being written from a closed one. Found in another inode, "in use" means that
/// the file was copied while it was open; such a copy mixes pages of different versions.
struct InUseRecord: HeaderRecord, Equatable {
    var isInUse: Bool
    var place: FilePlace
    var session: UInt64

    static let magic: UInt64 = 0x3065_7375_6E49_4846  // "FHInuse0"
    static let byteCount = 64
    static let layout = [
        LayoutField("magic", 0, 8), LayoutField("in use", 8, 8), LayoutField("boot", 16, 16),
        LayoutField("device", 32, 8), LayoutField("inode", 40, 8), LayoutField("session", 48, 8),
        LayoutField("checksum", 56, 8),
    ]

    init(isInUse: Bool, place: FilePlace, session: UInt64) {
        self.isInUse = isInUse
        self.place = place
        self.session = session
    }

    init?(fields: RecordFields) {
        self.init(isInUse: fields[8] != 0, place: FilePlace(fields, at: 16), session: fields[48])
    }

    func write(to fields: RecordFields) {
        fields[8] = isInUse ? 1 : 0
        place.write(to: fields, at: 16)
        fields[48] = session
    }
}

/// The record that a flush of this session failed. The kernel may have dropped pages, so under this boot only the
/// confirmed root counts, of that session and the ones before it.
struct PoisonRecord: HeaderRecord, Equatable {
    var place: FilePlace
    var session: UInt64
    /// The highest version that the session may have shown to any reader: the records that show it may be dropped with
    /// the rest.
    var highestVersion: UInt64

    static let magic: UInt64 = 0x306E_6F73_696F_5046  // "FPoison0"
    static let byteCount = 64
    static let layout = [
        LayoutField("magic", 0, 8), LayoutField("boot", 8, 16), LayoutField("device", 24, 8),
        LayoutField("inode", 32, 8), LayoutField("session", 40, 8), LayoutField("highest version", 48, 8),
        LayoutField("checksum", 56, 8),
    ]

    init(place: FilePlace, session: UInt64, highestVersion: UInt64) {
        self.place = place
        self.session = session
        self.highestVersion = highestVersion
    }

    init?(fields: RecordFields) {
        self.init(place: FilePlace(fields, at: 8), session: fields[40], highestVersion: fields[48])
        guard highestVersion < Root.versionLimit else { return nil }
    }

    func write(to fields: RecordFields) {
        place.write(to: fields, at: 8)
        fields[40] = session
        fields[48] = highestVersion
    }
}

/// The record that a durable version was destroyed, and an older one has been opened in its place since. It is reported
/// until it is acknowledged, and afterwards still names the number that is taken. Programs older than this record leave
/// it in place; programs older than the acknowledged bit treat a record with that bit as absent.
struct LostRecord: HeaderRecord, Equatable {
    var file: FileIdentifier
    /// The version that was lost; 0 where older programs have acknowledged it.
    var version: UInt64
    var isAcknowledged = false

    private static let acknowledgedBit: UInt64 = 1 << 63
    static let magic: UInt64 = 0x3074_736F_6C20_4846  // "FH lost0"
    static let byteCount = 40
    static let layout = [
        LayoutField("magic", 0, 8), LayoutField("file identifier", 8, 16), LayoutField("version, acknowledged << 63", 24, 8),
        LayoutField("checksum", 32, 8),
    ]

    init(file: FileIdentifier, version: UInt64, isAcknowledged: Bool = false) {
        self.file = file
        self.version = version
        self.isAcknowledged = isAcknowledged
    }

    init?(fields: RecordFields) {
        let word = fields[24]
        self.init(file: fields[file: 8], version: word & ~Self.acknowledgedBit, isAcknowledged: word & Self.acknowledgedBit != 0)
        guard version < Root.versionLimit else { return nil }
    }

    func write(to fields: RecordFields) {
        fields[file: 8] = file
        fields[24] = isAcknowledged ? version | Self.acknowledgedBit : version
    }
}
