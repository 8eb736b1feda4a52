/// The constant properties of a file, in two copies in page 0, written once.
struct FileHeader: HeaderRecord, Equatable {
    var formatVersion: UInt32 = FileLayout.formatVersion
    /// Pages are the unit of reuse: a device that tears larger units than this must not hold the file.
    var pageSize = UInt32(FileLayout.page)
    var granuleSize = UInt32(FileLayout.granule)
    /// Bytes before each block (an encrypted file keeps epoch, counter, birth and tag there).
    var blockPrefixLength: UInt32 = 0
    var file: FileIdentifier
    /// Feature bits a reader must know, whatever the root says.
    var readFeatures: UInt64 = 0
    /// Feature bits a writer must know.
    var writeFeatures: UInt64 = 0
    /// When the file was created, in nanoseconds since 1970.
    var createdNanoseconds: Int64

    static let magic: UInt64 = 0x444C_4F48_4545_5246  // "FREEHOLD"
    static let byteCount = 112
    static let layout = [
        LayoutField("magic", 0, 8), LayoutField("format version", 8, 4), LayoutField("page size", 12, 4),
        LayoutField("granule size", 16, 4), LayoutField("block prefix length", 20, 4),
        LayoutField("file identifier", 24, 16), LayoutField("read features", 40, 8),
        LayoutField("write features", 48, 8), LayoutField("created", 56, 8), LayoutField("reserved", 64, 40),
        LayoutField("checksum", 104, 8),
    ]

    init(file: FileIdentifier, createdNanoseconds: Int64) {
        self.file = file
        self.createdNanoseconds = createdNanoseconds
    }

    init?(fields: RecordFields) {
        formatVersion = fields[short: 8]
        pageSize = fields[short: 12]
        granuleSize = fields[short: 16]
        blockPrefixLength = fields[short: 20]
        file = fields[file: 24]
        readFeatures = fields[40]
        writeFeatures = fields[48]
        createdNanoseconds = Int64(bitPattern: fields[56])
    }

    func write(to fields: RecordFields) {
        fields[short: 8] = formatVersion
        fields[short: 12] = pageSize
        fields[short: 16] = granuleSize
        fields[short: 20] = blockPrefixLength
        fields[file: 24] = file
        fields[40] = readFeatures
        fields[48] = writeFeatures
        fields[56] = UInt64(bitPattern: createdNanoseconds)
    }

    /// Whether its blocks are encrypted.
    var isEncrypted: Bool { blockPrefixLength != 0 }

    /// The reason why this code must not open the file, and what to do instead; nil if there is none.
    func refusal(forWriting: Bool) -> String? {
        let current = FileLayout.formatVersion
        if formatVersion < current {
            return "its format version \(formatVersion) is older than version 1; export its contents with the Freehold "
                + "that created it, and import them here"
        }
        if formatVersion > current {
            return "its format is version \(formatVersion), and this Freehold supports version \(current); open it with a newer Freehold"
        }
        if pageSize != UInt32(FileLayout.page) || granuleSize != UInt32(FileLayout.granule) {
            return "its pages have \(pageSize) bytes and its granules \(granuleSize); open it with a newer Freehold"
        }
        if blockPrefixLength != 0, blockPrefixLength != UInt32(FileCipher.prefixLength) {
            return "its encryption scheme is unknown; open it with a newer Freehold"
        }
        return FormatFeatures.current.refusal(read: readFeatures, write: writeFeatures, forWriting: forWriting)
    }

    static func == (left: FileHeader, right: FileHeader) -> Bool {
        left.withBytes { first in right.withBytes { second in first.elementsEqual(second) } }
    }
}
