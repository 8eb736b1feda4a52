import FreeholdEngine
import Glibc

/// A `.realm` file of format 10 to 24, opened for reading: plain, streamed (a compacted or bundled copy) or encrypted.
///
/// ```swift
/// let store = try RealmFileStore(path: "default.realm", key: nil)
/// print(store.format, store.classes.map(\.schema.name))      // Realm file, format 24 ["Person", "Dog"]
/// ```
/// No Realm library is used, and the file is never written to. Close the programs that use it: Realm writes in place, so
/// what is read while another program commits is refused with `.changed`.
public final class RealmFileStore: SourceStore {
    public let format: String
    public let classes: [SourceClass]
    public let remarks: [SourceRemark]
    public let identity: SourceIdentity
    public let schemaVersion: UInt64?
    private let pages: RealmPages
    private let tables: [RealmTable]
    private let places: [Int64: Int]
    private let version: Int
    private let state: RealmFileState

    /// Opens a file and reads its classes.
    /// - Parameter key: the 64 bytes of an encrypted file's key; nil for a file that is not encrypted.
    /// - Throws: `.notThisFormat`, `.unsupported` for formats below 10, `.wrongKey`, `.damaged`, `.changed`, `.system`.
    public init(path: String, key: [UInt8]?) throws(SourceError) {
        let file = try RealmDescriptor(path: path)
        let state = try file.state()
        pages = try Self.pages(of: file, state, key)
        self.state = state
        do {
            let header = try RealmHeader(pages)
            let group = try RealmGroup(pages, header)
            let schema = try RealmSchema(group.tables, olderKeys: group.olderKeys)
            format = "Realm file, format \(header.format)" + (header.isStream ? ", streamed" : "") + (key == nil ? "" : ", encrypted")
            classes = schema.classes
            remarks = group.remarks + schema.remarks
            schemaVersion = group.schemaVersion
            (tables, places, version) = (schema.tables, schema.places, header.format)
            identity = SourceIdentity(Array("realm".utf8) + [UInt8(clamping: header.format)] + state.bytes)
        } catch {
            if error.kind == .damaged { try Self.requireUnchanged(file, state) }
            throw error
        }
    }

    /// Safe: buffers are used within the calls that lend them.
    private static func pages(of file: RealmDescriptor, _ state: RealmFileState, _ key: [UInt8]?) throws(SourceError) -> RealmPages {
        let length = Int(clamping: state.length)
        let isPlain = state.start.withUnsafeBytes { RealmHeader.hasMagic($0) }
        guard let key else {
            if !isPlain {
                let start = try file.bytes(at: 0, count: min(length, RealmCipher.pageBytes))
                if start.withUnsafeBytes({ RealmCipher.looksEncrypted($0) }) {
                    throw SourceError(.wrongKey, "the Realm file is encrypted; give its key of \(RealmCipher.keyBytes) bytes")
                }
            }
            return RealmPages(file, count: length, cipher: nil)
        }
        if isPlain { throw SourceError(.wrongKey, "the Realm file is not encrypted; leave out the key") }
        let cipher = try RealmCipher(key: key)
        guard length >= 2 * RealmCipher.pageBytes else { throw .notRealm }
        let start = try file.bytes(at: 0, count: 2 * RealmCipher.pageBytes)
        guard start.withUnsafeBytes({ cipher.knows(firstPage: $0) }) else {
            throw SourceError(.wrongKey, "the key is not that of this file, or the file is no encrypted Realm file")
        }
        return RealmPages(file, count: RealmCipher.plainBytes(ofFile: length), cipher: cipher)
    }

    public func objects(of place: Int, after key: Int64?) throws(SourceError) -> any SourceCursor {
        guard tables.indices.contains(place) else {
            throw SourceError(.invalidOption, "the file has \(tables.count) classes; there is no class \(place)")
        }
        let (file, state) = (pages.file, state)
        return RealmCursor(RealmReader(pages, tables, places, format: version), place: place, after: key) { () throws(SourceError) in
            try Self.requireUnchanged(file, state)
        }
    }

    public func checkUnchanged() throws(SourceError) { try Self.requireUnchanged(pages.file, state) }

    private static func requireUnchanged(_ file: RealmDescriptor, _ state: RealmFileState) throws(SourceError) {
        guard try file.state() == state, file.isNamed(like: state) else { throw .changed(file.path) }
    }
}

extension RealmFileStore {
    /// Whether a file that begins with these bytes, 8 KiB or all of a shorter file, may be a Realm file.
    ///
    /// An encrypted one is recognised by the form of its first page, or, with a key, by decrypting.
    public static func recognizes(_ start: UnsafeRawBufferPointer, key: [UInt8]? = nil) -> Bool {
        if RealmHeader.hasMagic(start) { return true }
        guard RealmCipher.looksEncrypted(start) else { return false }
        guard let key, start.count >= 2 * RealmCipher.pageBytes, let cipher = try? RealmCipher(key: key) else { return key == nil }
        return cipher.knows(firstPage: start)
    }
}

extension RealmCipher {
    /// Whether the first page of data, after the page of entries, was encrypted under this key.
    func knows(firstPage start: UnsafeRawBufferPointer) -> Bool {
        knows(UnsafeRawBufferPointer(rebasing: start[Self.pageBytes..<2 * Self.pageBytes]), entry: Array(start[..<64]))
    }
}
