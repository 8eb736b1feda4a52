/// S, one of the two durable slots, written only by the leader of a flush.
struct DurableRecord: HeaderRecord, Equatable {
    var file: FileIdentifier
    var root: Root
    /// The durable version when this was written. It is in the other slot, and only blocks born after it need checking
    /// before this root counts.
    var base: UInt64
    /// The number of the session that wrote it: a failed flush discredits its own session's slots only.
    var session: UInt64

    static let magic: UInt64 = 0x3073_2074_6F6F_5246  // "FRoot s0"
    static let byteCount = 120
    static let layout = [
        LayoutField("magic", 0, 8), LayoutField("file identifier", 8, 16), LayoutField("root", 24, 72),
        LayoutField("base version", 96, 8), LayoutField("session", 104, 8), LayoutField("checksum", 112, 8),
    ]

    init(file: FileIdentifier, root: Root, base: UInt64, session: UInt64) {
        self.file = file
        self.root = root
        self.base = base
        self.session = session
    }

    init?(fields: RecordFields) {
        guard let root = Root(fields, at: 24) else { return nil }
        self.init(file: fields[file: 8], root: root, base: fields[96], session: fields[104])
        guard base < root.version else { return nil }
    }

    func write(to fields: RecordFields) {
        fields[file: 8] = file
        root.write(to: fields, at: 24)
        fields[96] = base
        fields[104] = session
    }
}
