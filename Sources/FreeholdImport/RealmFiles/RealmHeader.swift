/// The first 24 bytes of a Realm file, and what they lead to.
///
/// ```
///   0   two references to the top of the database, 8 bytes each
///   16  "T-DB"
///   20  two format versions, a byte each
///   22  unused
///   23  flags; bit 0 says which reference and which version count
/// ```
/// In a file that was written as a stream (a compacted or bundled copy) the first reference is all ones, and the true
/// one lies 16 bytes before the end, with a magic number after it.
struct RealmHeader {
    static let bytes = 24
    private static let magic = Array("T-DB".utf8)
    private static let streamMagic: UInt64 = 0x3034_1252_37E5_26C8

    let format: Int
    /// The reference to the top of the database; 0 in an empty file.
    let top: Int64
    let isStream: Bool

    init(_ pages: RealmPages) throws(SourceError) {
        guard pages.count >= Self.bytes else { throw .notRealm }
        let start = try pages.span(at: 0, count: Self.bytes)
        guard start.withBytes({ Self.hasMagic($0) }) else { throw .notRealm }
        let slot = Int(start.load(23, as: UInt8.self) & 1)
        format = Int(start.load(20 + slot, as: UInt8.self))
        let top = start.load(slot * 8, as: UInt64.self)
        isStream = slot == 0 && top == .max
        if isStream {
            guard pages.count >= Self.bytes + 16 else { throw .damaged("the end of a streamed file is missing", pages.count) }
            let end = try pages.span(at: pages.count - 16, count: 16)
            guard end.load(8, as: UInt64.self) == Self.streamMagic else {
                throw .damaged("a streamed file does not end as such a file does; it was cut short or written to", pages.count - 16)
            }
            self.top = Int64(clamping: end.load(0, as: UInt64.self))
        } else {
            self.top = Int64(clamping: top)
        }
        try requireKnownFormat()
    }

    private func requireKnownFormat() throws(SourceError) {
        if format == 0, top == 0 { return }
        guard format >= 10 else {
            throw SourceError(
                .unsupported, "the file has format \(format) of Realm; formats below 10 are not read: open it once with a Realm of "
                    + "version 10 or later, which converts it")
        }
        guard format <= 24 else {
            throw SourceError(.unsupported, "the file has format \(format) of Realm; formats from 10 to 24 are read")
        }
    }

    /// Whether bytes at the start of a file are those of an unencrypted Realm file.
    static func hasMagic(_ start: UnsafeRawBufferPointer) -> Bool {
        start.count >= bytes && start[16..<20].elementsEqual(magic)
    }
}

extension SourceError {
    static let notRealm = SourceError(.notThisFormat, "this is not a Realm file, or it is encrypted and needs its key")
}
