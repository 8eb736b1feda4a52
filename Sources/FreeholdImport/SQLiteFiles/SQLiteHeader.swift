/// The first 100 bytes of a database, checked.
///
///     0  "SQLite format 3\0"      24  change counter         52  largest root page (auto_vacuum), or 0
///     16 page size (1: 65536)     28  size in pages          56  text encoding: 1, 2, 3
///     18 write version            40  schema cookie          92  change counter when 28 was written
///     19 read version             44  schema format, 1…4
///     20 reserved bytes a page
///
/// Numbers are big-endian.
struct SQLiteHeader: Sendable {
    static let count = 100
    static let magic = Array("SQLite format 3\0".utf8)

    let pageSize: Int
    /// The bytes of a page without those reserved for extensions at its end.
    let usableSize: Int
    let encoding: SQLiteEncoding
    /// Whether the file is in the mode of a write-ahead log.
    let usesLog: Bool
    let changeCounter: UInt32
    /// The number of pages, if the header has it and it is up to date.
    let pageCount: UInt32?
    let bytes: [UInt8]

    /// - Parameter bytes: the start of the file's first page.
    init(_ bytes: [UInt8]) throws(SourceError) {
        guard bytes.count >= Self.count, bytes.starts(with: Self.magic) else {
            throw SourceError(.notThisFormat, "the file is not a SQLite database")
        }
        self.bytes = Array(bytes.prefix(Self.count))
        let size = Int(bytes[16]) << 8 | Int(bytes[17])
        pageSize = size == 1 ? 65_536 : size
        guard (512...65_536).contains(pageSize), pageSize & (pageSize - 1) == 0 else {
            throw SourceError(.damaged, "\(size) is not a page size", offset: 16)
        }
        guard (1...2).contains(bytes[19]) else {
            throw SourceError(.unsupported, "read version \(bytes[19]) is newer than 2; copy the database with SQLite's .dump", offset: 19)
        }
        usesLog = bytes[19] == 2
        usableSize = pageSize - Int(bytes[20])
        guard usableSize >= 480 else { throw SourceError(.damaged, "\(bytes[20]) reserved bytes leave too little of a page", offset: 20) }
        changeCounter = Self.word(bytes, 24)
        let count = Self.word(bytes, 28)
        pageCount = count > 0 && changeCounter == Self.word(bytes, 92) ? count : nil
        let schemaFormat = Self.word(bytes, 44)
        guard schemaFormat <= 4 else {
            throw SourceError(.unsupported, "schema format \(schemaFormat) is newer than 4; copy the database with .dump", offset: 44)
        }
        // An empty database has not chosen one.
        let encoding = Self.word(bytes, 56)
        guard let known = SQLiteEncoding(rawValue: encoding == 0 ? 1 : encoding) else {
            throw SourceError(.damaged, "\(encoding) is not a text encoding", offset: 56)
        }
        self.encoding = known
    }

    private static func word(_ bytes: [UInt8], _ offset: Int) -> UInt32 { bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) } }
}

/// How a database stores its strings; the raw values are the file's.
enum SQLiteEncoding: UInt32, Sendable {
    case utf8 = 1
    case utf16LittleEndian = 2
    case utf16BigEndian = 3

    var name: String {
        switch self {
        case .utf8: "UTF-8"
        case .utf16LittleEndian: "UTF-16, little-endian"
        case .utf16BigEndian: "UTF-16, big-endian"
        }
    }
}
