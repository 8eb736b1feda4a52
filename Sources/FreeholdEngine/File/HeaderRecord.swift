// Safe throughout: every access lies within `byteCount` bytes of memory that the caller vouches for.
import CShims

/// A small record in a header page: eight bytes that identify its kind, its fields, and a checksum at its end.
///
/// 1. It is checked on a private copy, because others may be writing it while it is read.
/// 2. A record that does not match in every byte counts as absent; nothing here ever traps on a file's content.
protocol HeaderRecord: Sendable {
    /// The first eight bytes.
    static var magic: UInt64 { get }
    /// Length with magic and checksum, at most one sector.
    static var byteCount: Int { get }
    /// The table of its bytes.
    static var layout: [LayoutField] { get }
    /// Reads the fields from bytes whose checksum has matched; nil if they are invalid.
    init?(fields: RecordFields)
    /// Writes the fields.
    func write(to fields: RecordFields)
}

extension HeaderRecord {
    /// Reads the record at `address`; nil if there is none, or a damaged one.
    static func read(at address: UnsafeRawPointer) -> Self? {
        withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 8) { copy in
            guard let start = copy.baseAddress else { return nil }
            start.copyMemory(from: address, byteCount: byteCount)
            return parse(start)
        }
    }

    /// Reads the record at `offset` of an encrypted file, whose bytes are at `address`; nil also if it was not written
    /// with the key, for this place.
    static func read(at address: UnsafeRawPointer, offset: Int, _ cipher: FileCipher) -> Self? {
        withUnsafeTemporaryAllocation(byteCount: byteCount + FileCipher.codeLength, alignment: 8) { copy in
            guard let start = copy.baseAddress else { return nil }
            start.copyMemory(from: address, byteCount: copy.count)
            let fields = RecordFields(start: start)
            guard fields[0] == magic else { return nil }
            let code = cipher.code(of: UnsafeRawBufferPointer(rebasing: copy[..<byteCount]), at: offset)
            let difference = (fields[byteCount] ^ code.0) | (fields[byteCount + 8] ^ code.1)
            return difference == 0 ? parse(start) : nil
        }
    }

    /// Parses the record from a private copy of its bytes.
    private static func parse(_ start: UnsafeMutableRawPointer) -> Self? {
        let fields = RecordFields(start: start)
        guard fields[0] == magic, fields[byteCount - 8] == checksum(of: start) else { return nil }
        return Self(fields: fields)
    }

    /// Calls `body` with the record's bytes.
    func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeTemporaryAllocation(byteCount: Self.byteCount, alignment: 8) {
            buffer throws(Failure) -> Result in
            let start = buffer.baseAddress!
            start.initializeMemory(as: UInt8.self, repeating: 0, count: Self.byteCount)
            let fields = RecordFields(start: start)
            fields[0] = Self.magic
            write(to: fields)
            fields[Self.byteCount - 8] = Self.checksum(of: start)
            return try body(UnsafeRawBufferPointer(buffer))
        }
    }

    /// Calls `body` with the record's bytes, followed in an encrypted file by the code that authenticates the record at
    /// `offset`.
    func withBytes<Result, Failure: Error>(
        at offset: Int, _ cipher: FileCipher?, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let cipher else { return try withBytes(body) }
        return try withUnsafeTemporaryAllocation(byteCount: Self.byteCount + FileCipher.codeLength, alignment: 8) {
            buffer throws(Failure) -> Result in
            withBytes { buffer.copyMemory(from: $0) }
            let code = cipher.code(of: UnsafeRawBufferPointer(rebasing: buffer[..<Self.byteCount]), at: offset)
            let fields = RecordFields(start: buffer.baseAddress!)
            (fields[Self.byteCount], fields[Self.byteCount + 8]) = code
            return try body(UnsafeRawBufferPointer(buffer))
        }
    }

    /// The checksum at the end of the record's bytes.
    var checksum: UInt64 { withBytes { $0.loadUnaligned(fromByteOffset: Self.byteCount - 8, as: UInt64.self) } }

    private static func checksum(of start: UnsafeMutableRawPointer) -> UInt64 {
        freehold_shim_checksum(start, byteCount - 8)
    }
}

/// The bytes of a record as little-endian words, by byte offset.
struct RecordFields {
    let start: UnsafeMutableRawPointer

    subscript(offset: Int) -> UInt64 {
        get { UInt64(littleEndian: start.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) }
        nonmutating set { start.storeBytes(of: newValue.littleEndian, toByteOffset: offset, as: UInt64.self) }
    }

    /// A field of four bytes.
    subscript(short offset: Int) -> UInt32 {
        get { UInt32(littleEndian: start.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }
        nonmutating set { start.storeBytes(of: newValue.littleEndian, toByteOffset: offset, as: UInt32.self) }
    }

    /// A field of sixteen bytes.
    subscript(file offset: Int) -> FileIdentifier {
        get { FileIdentifier(high: self[offset], low: self[offset + 8]) }
        nonmutating set {
            self[offset] = newValue.high
            self[offset + 8] = newValue.low
        }
    }
}

/// Sixteen random bytes drawn when a database is created: the same in all its copies.
struct FileIdentifier: Hashable, Sendable {
    var high: UInt64
    var low: UInt64
}
