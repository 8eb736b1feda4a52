import Platform

/// The data file as opened by one process: a descriptor for writing and a mapping for reading.
///
/// 1. It is mapped once, read-only, into a range large enough that growth never moves it.
/// 2. Every byte enters by `write`; nothing is ever stored through the mapping.
/// 3. Bytes at or beyond a version's length belong to no version: growth initialises them before a root may claim them.
///
/// Safe throughout: the mapping lives as long as this object, and reads are bounded by `mappedLength`.
final class DataFile: Sendable {
    let system: any System
    let file: any File
    let mapping: Mapping
    let identity: FileIdentity
    let isWritable: Bool
    /// The cipher that seals and opens its blocks and records; nil if it is not encrypted.
    let cipher: FileCipher?

    /// Bytes that a mapping reserves by default, and the minimum it accepts: that, or the file and an eighth more.
    static let usualReserve = 1 << 40
    static let leastReserve = 1 << 26

    /// Address of the file's first byte.
    var base: UnsafeRawPointer { UnsafeRawPointer(mapping.base) }
    /// Bytes that the mapping covers; no root may be longer.
    var mappedLength: Int { mapping.reservedLength }
    var path: String { file.path }

    init(
        _ file: any File, identity: FileIdentity, system: any System, isWritable: Bool, cipher: FileCipher? = nil,
        reserve: Int = usualReserve, leastReserve: Int = leastReserve
    ) throws(FreeholdError) {
        self.cipher = cipher
        self.system = system
        self.file = file
        self.isWritable = isWritable
        self.identity = identity
        let length = try translating("measure the file") { () throws(SystemError) in try file.length() }
        let least = min(reserve, max(leastReserve, FileLayout.pages(holding: length + length / 8)))
        do { mapping = try file.map(reserve: reserve, minimum: least, writable: false, dontFork: true) } catch {
            guard error.code == ErrorNumber.outOfMemory else { throw FreeholdError(error, "map the file into memory") }
            throw Self.tooLittle(length, file.path)
        }
        do throws(FreeholdError) { try requireAllMapped() } catch {
            system.unmap(mapping)
            throw error
        }
    }

    /// Refuses a file of which only a part could be mapped; otherwise the rest would be taken for damage.
    private func requireAllMapped() throws(FreeholdError) {
        let length = try length()
        if length > mappedLength { throw Self.tooLittle(length, path) }
    }

    private static func tooLittle(_ length: Int, _ path: String) -> FreeholdError {
        let limit = AddressSpace.limit.map { "limited to \($0 / 1024) KiB" } ?? "not limited, but used up"
        return FreeholdError(
            .outOfMemory, "the file has \(length) bytes, and this process has too little address space left to map them: it is "
                + "\(limit); raise the limit (ulimit -v, RLIMIT_AS) to a few times that and open it again", path: path)
    }

    deinit { system.unmap(mapping) }

    /// Writes bytes at a place where no held version has any.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FreeholdError) {
        assert(isWritable && offset >= 0 && offset + bytes.count <= mappedLength, "bytes are written where no version can have any")
        do { try file.write(bytes, at: offset) } catch { throw FreeholdError(error, "write to the file") }
    }

    /// Writes one header record.
    func write(_ record: some HeaderRecord, at offset: Int) throws(FreeholdError) {
        assert(isWritable && offset % FileLayout.sector == 0 && offset < FileLayout.firstData, "a record begins a sector of the header pages")
        do throws(SystemError) {
            try record.withBytes(at: offset, cipher) { bytes throws(SystemError) in try file.write(bytes, at: offset) }
        } catch { throw FreeholdError(error, "write to the file") }
    }

    /// The record at `offset`; nil if no valid one is there.
    func read<Record: HeaderRecord>(_ type: Record.Type, at offset: Int) -> Record? {
        if let cipher { return Record.read(at: base + offset, offset: offset, cipher) }
        return Record.read(at: base + offset)
    }

    /// The file's present length in bytes.
    func length() throws(FreeholdError) -> Int {
        try translating("measure the file") { () throws(SystemError) in try file.length() }
    }

    /// Initialises the bytes from `length` (the newest root's) to `newLength`, so that later writes there neither
    /// allocate nor move the file's end.
    func grow(from length: Int, to newLength: Int) throws(FreeholdError) {
        try requireMapped(newLength)
        assert(length % FileLayout.page == 0 && newLength % FileLayout.page == 0, "a version ends with a page")
        guard newLength > length else { return }
        try translating("extend the file") { () throws(SystemError) in
            try file.allocate(offset: length, length: newLength - length)
        }
        point("grow.extended", system)
    }

    /// Makes the file at least `length` bytes long, without allocating storage for the new part: later writes there do.
    /// It never shortens the file, even if another process has become the writer meanwhile and made it longer.
    func extend(to length: Int) throws(FreeholdError) {
        try requireMapped(length)
        guard try self.length() < length else { return }
        try translating("extend the file") { () throws(SystemError) in try file.extend(to: length) }
    }

    /// Throws if the mapping does not cover `length` bytes.
    func requireMapped(_ length: Int) throws(FreeholdError) {
        guard length <= mappedLength else {
            throw FreeholdError(
                .outOfMemory, "the file would outgrow the \(mappedLength) bytes of address space reserved for it; "
                    + "raise the process's limit (ulimit -v) and open it again", path: path)
        }
    }

    /// Cuts the file to `length` bytes. The caller knows that no held version reaches beyond.
    func cut(to length: Int) throws(FreeholdError) {
        assert(isWritable && length % FileLayout.page == 0 && length >= FileLayout.firstData, "a file is cut to the length of a version")
        try translating("shorten the file") { () throws(SystemError) in try file.setLength(length) }
        point("shrink.cut", system)
    }

    /// Releases the storage of bytes that no held version uses; false if the file system cannot do so.
    func punchHole(offset: Int, length: Int) throws(FreeholdError) -> Bool {
        assert(offset >= FileLayout.firstData && offset % FileLayout.page == 0 && length % FileLayout.page == 0, "holes consist of data pages")
        return try translating("punch a hole in the file") { () throws(SystemError) in try file.punchHole(offset: offset, length: length) }
    }

    /// Makes everything written so far durable.
    func synchronize() throws(SystemError) { try file.synchronizeData() }
}
