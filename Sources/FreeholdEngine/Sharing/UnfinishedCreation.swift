import Platform

/// Decides whether a file's creation was cut off, so that it may be created anew. This takes positive evidence; a
/// missing header is never enough.
///
/// ```
/// the first copy of the header   zeros: it is written last, after a flush
/// the length                     no more than a new database has
/// the header pages               zeros where a creation writes nothing; where it writes a record, that or a torn part of it
/// the first blocks               zeros, or those of an empty database; or sealed ones, behind header pages that are whole
/// ```
/// 1. A session with a writer writes V and "in use" before anything else, and S1 with its first flush: a file with a
///    byte in any of these places was finished, and is damaged now.
/// 2. A backup has none of them. Its roots show it: a durable root or `confirmed` that is whole and names a version
///    other than 1 is not from a creation.
/// 3. A byte that no creation of a plain database writes means that the file is not one. Blocks of an encrypted
///    database are different each time. Its creation makes all its records durable before it writes a block. So bytes
///    in the place of blocks are from a creation only if every record is whole and as a creation writes it; a missing
///    or torn record means that the file is damaged.
/// 4. Any other file with a first copy of zeros, a device's image or a database that lost its first pages, is left as
///    it is.
struct UnfinishedCreation {
    let page: FirstPage
    let file: any File

    /// The places to which a creation writes records, and the first bytes of each.
    private static let places: [(range: Range<Int>, magic: UInt64)] = {
        let code = FileCipher.codeLength
        let header = FileHeader.byteCount, key = KeyRecord.byteCount
        return [
            (FileLayout.headerCopies[1]..<FileLayout.headerCopies[1] + header, FileHeader.magic),
            (FileLayout.spareHeader..<FileLayout.spareHeader + header, FileHeader.magic),
            (FileLayout.durableSlots[0]..<FileLayout.durableSlots[0] + DurableRecord.byteCount + code, DurableRecord.magic),
            (FileLayout.confirmed..<FileLayout.confirmed + ConfirmedRecord.byteCount + code, ConfirmedRecord.magic),
        ] + (FileLayout.keyCopies + [FileLayout.spareKey]).map { ($0..<$0 + key, KeyRecord.magic) }
    }()

    /// Whether the file is empty, or its creation was cut off. Safe: the buffer belongs to the call.
    /// - Parameter content: creates the first version of a plain database.
    func isOne(_ content: MakeInitialContent) throws(FreeholdError) -> Bool {
        if page.fileLength == 0 { return true }
        guard page.bytes.prefix(FileHeader.byteCount).allSatisfy({ $0 == 0 }) else { return false }
        let plain = try content(nil).bytes
        let usual = FileLayout.pages(holding: FileLayout.firstData + plain.count)
        // Sealed blocks take a little more.
        guard page.fileLength <= 2 * usual else { return false }
        var bytes = [UInt8](repeating: 0, count: max(page.fileLength, FileLayout.firstData))
        let result = bytes.withUnsafeMutableBytes { bytes in
            Result { () throws(SystemError) in _ = try file.read(into: bytes, at: 0) }
        }
        do { try result.get() } catch { throw FreeholdError(error, "read the file") }
        guard Self.isHeader(bytes[..<FileLayout.firstData]) else { return false }
        let blocks = bytes[FileLayout.firstData...]
        if page.fileLength <= usual, zip(blocks, plain).allSatisfy({ $0 == 0 || $0 == $1 }), blocks.dropFirst(plain.count).allSatisfy({ $0 == 0 }) {
            return true
        }
        return Self.hasRecordsOfSealedCreation(bytes)
    }

    /// Whether the header pages hold only what a creation may have written.
    private static func isHeader(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = Array(bytes)
        for place in places {
            for (index, offset) in place.range.enumerated() {
                // A torn record has zeros in the place of its missing part.
                let begins = UInt8(truncatingIfNeeded: place.magic >> UInt64(8 * min(index, 7)))
                guard index >= 8 || rest[offset] == 0 || rest[offset] == begins else { return false }
                rest[offset] = 0
            }
        }
        let slot = read(DurableRecord.self, in: Array(bytes), at: FileLayout.durableSlots[0])
        let confirmed = read(ConfirmedRecord.self, in: Array(bytes), at: FileLayout.confirmed)
        return rest.allSatisfy { $0 == 0 } && (slot.map(isFirst) ?? true) && (confirmed.map { $0.version == 1 } ?? true)
    }

    private static func isFirst(_ slot: DurableRecord) -> Bool { slot.root.version == 1 && slot.base == 0 && slot.session == 0 }

    /// Whether all records of an encrypted creation are there, whole, and of one creation (3).
    private static func hasRecordsOfSealedCreation(_ bytes: [UInt8]) -> Bool {
        let headers = [FileLayout.headerCopies[1], FileLayout.spareHeader].map { read(FileHeader.self, in: bytes, at: $0) }
        let keys = (FileLayout.keyCopies + [FileLayout.spareKey]).map { read(KeyRecord.self, in: bytes, at: $0) }
        guard let header = headers[0], header.isEncrypted, headers.allSatisfy({ $0 == header }),
            let key = keys[0], key.generation == 1, keys.allSatisfy({ $0 == key }),
            let slot = read(DurableRecord.self, in: bytes, at: FileLayout.durableSlots[0]),
            let confirmed = read(ConfirmedRecord.self, in: bytes, at: FileLayout.confirmed)
        else { return false }
        return slot.file == header.file && slot.root.length == UInt64(bytes.count) && confirmed.confirms(slot)
    }

    /// Reads a record from the header pages. Safe: all places lie in the header pages, which `bytes` has.
    private static func read<Record: HeaderRecord>(_ type: Record.Type, in bytes: [UInt8], at offset: Int) -> Record? {
        bytes.withUnsafeBytes { Record.read(at: $0.baseAddress! + offset) }
    }
}
