import Platform

/// Writes a string or data too long to be held in memory into the file, piece by piece and without the writer lock:
/// others commit meanwhile.
///
/// ```swift
/// let value = try database.beginLargeValue(expectedByteCount: file.length)
/// while let piece = file.read(upTo: 1 << 20) { try value.write(piece) }
/// try value.finish()
/// try database.write { transaction in
///     try transaction.set(key, in: films, recording, to: value)
/// }
/// ```
/// Its pages are reserved in short moments under the writer lock, so don't call `write` or `finish` within a write
/// transaction of the same thread. The value is visible only once a transaction that sets it is committed. Otherwise
/// nothing of it stays: if it is cancelled or released, its pages are free again at once; if the process dies, they are
/// free before any process needs them.
///
/// Used by one thread at a time.
///
/// 1. A chunk lies within one run of reserved pages; runs are filled from their start on without gaps.
/// 2. A page is written once: what does not fill a page waits for more.
/// 3. What was written is durable before a transaction may take it over.
public final class LargeValueWriter {
    private enum Phase {
        case writing, finished, taken, cancelled, failed
    }

    let core: DatabaseCore
    private let timeoutMilliseconds: Int
    private let expected: Int?
    /// The number of bytes written so far.
    public private(set) var byteCount = 0
    private var phase = Phase.writing
    /// Bytes that wait to be written; nil once there are none.
    private var staging: ChunkStaging?
    /// All runs, the last one being filled.
    private(set) var reservations: [DatabaseCore.Reservation] = []
    private(set) var runs: [WrittenRun] = []
    /// The offset of the next byte in the last run.
    private var offset = 0
    /// The chunks written, their births unknown.
    private(set) var chunks: [BlockReference] = []

    /// The minimum reserved at once when the value's length is unknown, and the maximum: 4 MiB, 256 MiB.
    private static let leastPages = 1 << 10
    private static let mostPages = 1 << 16

    init(_ core: DatabaseCore, expecting count: Int?, timeoutMilliseconds: Int) throws(FreeholdError) {
        if let count, count < 0 || count > LargeValue.maximumBytes { throw Self.tooLong(count, core) }
        try core.session.checkValid()
        guard core.session.isWritable else {
            throw FreeholdError(.readOnly, "the database is open for reading only", path: core.path)
        }
        self.core = core
        self.timeoutMilliseconds = timeoutMilliseconds
        expected = count
        staging = ChunkStaging(cipher: core.session.file.cipher)
    }

    deinit { cancel() }

    /// Appends bytes to the value.
    ///
    /// - Throws: `.valueTooLarge` beyond 4 GiB: the value is as it was before. `.diskFull`, `.io`, `.busy` and others:
    ///   the value is lost.
    public func write(_ bytes: UnsafeRawBufferPointer) throws(FreeholdError) {
        try require(.writing)
        guard bytes.count <= LargeValue.maximumBytes - byteCount else { throw Self.tooLong(bytes.count, core) }
        var rest = bytes[...]
        do {
            while !rest.isEmpty {
                if staging!.isChunkComplete { try makeRoom() }
                let taken = staging!.append(UnsafeRawBufferPointer(rebasing: rest))
                rest = rest.dropFirst(taken)
                byteCount += taken
            }
        } catch {
            fail()
            throw error
        }
    }

    /// Appends the bytes of an array to the value.
    public func write(_ bytes: [UInt8]) throws(FreeholdError) {
        // Safe: the pointer is used up before the call returns.
        try bytes.withUnsafeBytes { buffer in Result { () throws(FreeholdError) in try write(buffer) } }.get()
    }

    /// Ends the value and makes it durable. Then a transaction can take it over.
    ///
    /// - Throws: as `write`. A failed flush ends the session of all processes, as that of a commit does.
    public func finish() throws(FreeholdError) {
        if phase == .finished { return }
        try require(.writing)
        do {
            if !reservations.isEmpty {
                try flush(isEnd: true)
                staging = nil
                closeRun()
                point("stream.written", core.session.system)
                try core.session.flusher.synchronizeWritten()
            }
            phase = .finished
            point("stream.finished", core.session.system)
        } catch {
            fail()
            throw error
        }
    }

    /// Discards the value. Harmless after a commit has taken it over; a transaction that has set it and is not
    /// committed yet fails.
    public func cancel() {
        if phase == .taken || phase == .cancelled { return }
        giveBack()
        phase = .cancelled
    }

    // MARK: for a transaction

    /// Whether the value is so short that it was never written; `bytes` holds it then.
    var isShort: Bool { reservations.isEmpty }
    var bytes: [UInt8] { staging?.bytes ?? [] }

    /// Throws if a transaction of `other` cannot take the value over.
    func requireFinished(on other: DatabaseCore) throws(FreeholdError) {
        try require(.finished)
        guard core.session === other.session else {
            throw FreeholdError(.invalidArgument, "this value was written into another database", path: other.path)
        }
        try core.requireOwn(reservations)
    }

    /// Notes that the value is a property's in a version that has just been committed. The caller owns the writer lock.
    func noteTaken() {
        phase = .taken
        giveBack()
    }

    // MARK: writing

    private func require(_ wanted: Phase) throws(FreeholdError) {
        try core.session.checkValid()
        if phase == wanted { return }
        let reason = switch phase {
        case .writing: "is not finished; call finish first"
        case .finished: "is finished and takes no more bytes"
        case .taken: "was already set in a transaction; write another one"
        case .cancelled: "was cancelled; write another one"
        case .failed: "could not be written; write another one"
        }
        throw FreeholdError(.invalidArgument, "this long value \(reason)", path: core.path)
    }

    private func fail() {
        phase = .failed
        giveBack()
    }

    private func giveBack() {
        for reservation in reservations { core.release(reservation) }
        reservations = []
        staging = nil
    }

    /// Called when a chunk is complete and more bytes come: ensures that the next one has room, in memory and in its
    /// run.
    private func makeRoom() throws(FreeholdError) {
        guard let staging else { return }
        if staging.isFull { try flush(isEnd: false) }
        if !reservations.isEmpty, roomInRun < staging.longestChunk {
            try flush(isEnd: true)
            closeRun()
            try reserveRun()
        }
        staging.beginChunk()
    }

    /// Bytes of the last run that are not spoken for.
    private var roomInRun: Int {
        reservations[reservations.count - 1].pages.count * BlockLayout.page - offset - (staging?.count ?? 0)
    }

    private func reserveRun() throws(FreeholdError) {
        if reservations.isEmpty { try core.session.flusher.flushWhatMayFailUntold() }
        try core.requireOwn(reservations)
        let done = reservations.reduce(0) { $0 + $1.pages.count }
        var wanted = max(done, Self.leastPages)
        if let expected, expected > byteCount {
            let left = expected - byteCount + (staging?.bodyBytes ?? 0)
            wanted = ChunkStaging.pages(holding: left, cipher: core.session.file.cipher)
        }
        // A run holds what is staged, and at least one chunk.
        let reservation = try core.reserve(min(max(wanted, Self.leastPages), Self.mostPages), timeoutMilliseconds: timeoutMilliseconds)
        reservations.append(reservation)
        runs.append(WrittenRun(page: reservation.pages.lowerBound, granules: 0))
        offset = 0
    }

    /// Writes the complete chunks; at the end also what does not fill a page.
    private func flush(isEnd: Bool) throws(FreeholdError) {
        guard let staging else { return }
        if reservations.isEmpty { try reserveRun() }
        let start = reservations[reservations.count - 1].pages.lowerBound * BlockLayout.page + offset
        chunks += try staging.seal(from: start)
        let written = isEnd ? FileLayout.pages(holding: staging.count) : staging.count / BlockLayout.page * BlockLayout.page
        runs[runs.count - 1].granules = (offset + staging.count) / BlockLayout.granule
        try core.requireOwn(reservations)
        if written > 0 { try write(staging.prepared(written), at: start) }
        point("stream.pieceWritten", core.session.system)
        staging.drop(written)
        offset += written
    }

    /// Writes bytes to the disk in a way that hardly delays the commits of others:
    ///
    /// - The kernel lets one call at a time write into a file. So calls are short, and the page cache has its pages
    ///   before: getting them takes longer than copying into them. (A hole becomes pages of zeros; what stands on the
    ///   disk would be read.)
    /// - A flush writes all changed pages of the file, whichever process changed them, and waits for them. So there are
    ///   few.
    private func write(_ bytes: UnsafeRawBufferPointer, at start: Int) throws(FreeholdError) {
        let file = core.session.file.file
        if start >= reservations[reservations.count - 1].firstNew * BlockLayout.page {
            file.advise(.willNeed, offset: start, length: bytes.count)
        }
        do { try file.writeInShortCalls(bytes, at: start) } catch { throw FreeholdError(error, "write to the file") }
        try core.session.flusher.writeBack(start..<start + bytes.count)
    }

    /// Gives back the pages of the last run after its last chunk.
    private func closeRun() {
        let last = reservations.count - 1
        core.shorten(reservations[last], to: offset / BlockLayout.page)
    }

    private static func tooLong(_ count: Int, _ core: DatabaseCore) -> FreeholdError {
        FreeholdError(.valueTooLarge, "a long value has at most \(LargeValue.maximumBytes) bytes (4 GiB less one); \(count) more were "
            + "given or expected", path: core.path)
    }
}
