/// The layout of the data file: offsets in bytes from its start.
///
/// ```
/// page 0      identity, twice                         FileHeader
///             +1024, +3072 key of an encrypted file   KeyRecord
/// page 1, 2   durable slots S0, S1                    DurableRecord
///             +2048, +2560 of page 1: header and key of an encrypted file once more, for salvage
/// page 3      +0 V0, +512 V1                          VolatileRecord
///             +1024 confirmed                         ConfirmedRecord
///             +1536 in use                            InUseRecord
///             +2048 poison                            PoisonRecord
///             +2560 lost                              LostRecord
/// page 4 …    blocks
/// ```
/// Every record lies within one sector of 512 bytes, so that a power cut keeps all of it or nothing, and ends with
/// a checksum, in case a device does not keep that promise. `docs/file-format.md` repeats these tables; a test
/// compares them.
enum FileLayout {
    static let page = 4096
    static let granule = 64
    // Allowed: crash images and the documents' tests go by it.
    static let sector = 512
    static let headerCopies = [0, 2048]
    /// Offsets of an encrypted file's key records.
    static let keyCopies = [1024, 3072]
    /// Offsets of spare copies of header and key in an encrypted file: without the wrapped key all of it is lost. Only
    /// salvage reads them.
    static let spareHeader = 6144, spareKey = 6656
    static let durableSlots = [4096, 8192]
    static let volatileSlots = [12288, 12800]
    static let confirmed = 13312
    static let inUse = 13824
    static let poison = 14336
    static let lost = 14848
    /// The lowest offset of a block.
    static let firstData = 16384

    /// The version of the format this code reads and writes; `docs/file-format.md` says what may change under that number.
    static let formatVersion: UInt32 = 1

    /// `length` rounded up to whole pages.
    static func pages(holding length: Int) -> Int {
        assert(length >= 0, "a negative length")
        return (length + page - 1) / page * page
    }
}

/// One line of a record's table: a field's name, offset and length.
struct LayoutField: Equatable, Sendable {
    let name: String
    let offset: Int
    let length: Int

    init(_ name: String, _ offset: Int, _ length: Int) {
        self.name = name
        self.offset = offset
        self.length = length
    }
}
