// Safe throughout: buffers belong to the calls they are made for.
import Platform

/// A file's first page, filled up with zeros if the file is shorter, and the file's length at that time.
struct FirstPage {
    private(set) var bytes: [UInt8]
    let fileLength: Int

    init(of file: any File) throws(SystemError) {
        fileLength = try file.length()
        bytes = [UInt8](repeating: 0, count: FileLayout.page)
        let result = bytes.withUnsafeMutableBytes { bytes in
            Result { () throws(SystemError) in _ = try file.read(into: bytes, at: 0) }
        }
        try result.get()
    }

    /// Reads the first page, with the copies for salvage in place of damaged records.
    ///
    /// Safe: records are shorter than the room between their places.
    init(ofDamaged file: any File) throws(SystemError) {
        try self.init(of: file)
        var spare = [UInt8](repeating: 0, count: FileLayout.spareKey + KeyRecord.byteCount - FileLayout.spareHeader)
        let result = spare.withUnsafeMutableBytes { bytes in
            Result { () throws(SystemError) in _ = try file.read(into: bytes, at: FileLayout.spareHeader) }
        }
        try result.get()
        let key = spare[(FileLayout.spareKey - FileLayout.spareHeader)...]
        if header == nil { bytes.replaceSubrange(..<FileHeader.byteCount, with: spare[..<FileHeader.byteCount]) }
        for place in FileLayout.keyCopies where !hasKeyRecord(at: place) {
            bytes.replaceSubrange(place..<place + KeyRecord.byteCount, with: key)
        }
    }

    private func hasKeyRecord(at place: Int) -> Bool {
        bytes.withUnsafeBytes { KeyRecord.read(at: $0.baseAddress! + place) != nil }
    }

    /// The spare copies of header and key in an encrypted file, from `FileLayout.spareHeader` on.
    var spare: [UInt8] {
        var spare = [UInt8](repeating: 0, count: FileLayout.spareKey - FileLayout.spareHeader)
        if let header { header.withBytes { spare.replaceSubrange(..<$0.count, with: $0) } }
        if let key = keyRecords.first { key.withBytes { spare += Array($0) } }
        return spare
    }

    /// The header, from a copy of it that is whole.
    var header: FileHeader? {
        bytes.withUnsafeBytes { bytes in
            FileLayout.headerCopies.lazy.compactMap { FileHeader.read(at: bytes.baseAddress! + $0) }.first
        }
    }
}

extension File {
    /// The newest version that any record in the header pages names.
    func newestVersion() throws(SystemError) -> UInt64 { try versions().max() ?? 0 }

    /// Whether the header pages of a file that has them hold a root above version 1.
    func hasVersionAboveFirst() throws(SystemError) -> Bool { try newestVersion() > 1 }

    /// Whether nothing was committed since `version`, which was read in session number `session`: that session is the
    /// last one that wrote, and none of its versions is newer. An incomplete version that an earlier session left above
    /// it does not count.
    func standsStill(at version: UInt64, of session: UInt64) throws(SystemError) -> Bool {
        try readHeader { start in
            let committed = FileLayout.volatileSlots.compactMap { VolatileRecord.read(at: start + $0) }.map { ($0.session, $0.root.version) }
                + FileLayout.durableSlots.compactMap { DurableRecord.read(at: start + $0) }.map { ($0.session, $0.root.version) }
            return InUseRecord.read(at: start + FileLayout.inUse)?.session == session
                && committed.allSatisfy { $0.0 < session || $0.0 == session && $0.1 <= version }
        } ?? false
    }

    private func versions() throws(SystemError) -> [UInt64] {
        try readHeader { start in
            let durable = FileLayout.durableSlots.compactMap { DurableRecord.read(at: start + $0)?.root.version }
            let volatile = FileLayout.volatileSlots.compactMap { VolatileRecord.read(at: start + $0)?.root.version }
            return durable + volatile
        } ?? []
    }

    /// Calls `body` with the pages before the first data page.
    private func readHeader<Result>(_ body: (UnsafeRawPointer) -> Result) throws(SystemError) -> Result? {
        var pages = [UInt8](repeating: 0, count: FileLayout.firstData)
        let result = pages.withUnsafeMutableBytes { bytes in
            Swift.Result { () throws(SystemError) in _ = try read(into: bytes, at: 0) }
        }
        try result.get()
        return pages.withUnsafeBytes { bytes in bytes.baseAddress.map(body) }
    }

    /// Writes an array's bytes.
    func write(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
        let result = bytes.withUnsafeBytes { buffer in
            Result { () throws(SystemError) in try write(buffer, at: offset) }
        }
        try result.get()
    }
}
