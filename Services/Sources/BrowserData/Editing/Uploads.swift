import FreeholdEngine

/// The uploads of a tab: long values that wait to be set by an operation.
final class Uploads {
    private let limits: UploadLimits
    private var uploads: [String: Upload] = [:]
    private let now: () -> ContinuousClock.Instant
    /// Those that the present transaction has set.
    private var used: Set<String> = []

    /// - Parameter now: the time; tests pass their own.
    init(_ limits: UploadLimits, now: @escaping () -> ContinuousClock.Instant) {
        self.limits = limits
        self.now = now
    }

    var byteCount: Int { uploads.values.reduce(0) { $0 + $1.reserved } }
    var count: Int { uploads.count }

    /// Begins an upload; throws `.valueTooLarge` beyond the limits.
    func begin(_ database: Database, expecting bytes: Int?) throws(FreeholdError) -> String {
        dropIdle()
        guard uploads.count < limits.number else {
            throw FreeholdError(.valueTooLarge,
                "this tab has \(uploads.count) uploads that no commit has used; cancel some of them, or commit")
        }
        if let bytes { try require(bytes, byteCount) }
        let upload = Upload(try database.beginLargeValue(expectedByteCount: bytes), now())
        upload.expected = bytes ?? 0
        var random = SystemRandomNumberGenerator()
        let id = String(random.next(), radix: 36) + String(random.next(), radix: 36)
        uploads[id] = upload
        return id
    }

    func write(_ bytes: UnsafeRawBufferPointer, to id: String) throws(FreeholdError) {
        let upload = try find(id)
        do throws(FreeholdError) {
            try require(bytes.count, byteCount - upload.reserved + upload.byteCount)
            try upload.write(bytes)
        } catch {
            cancel(id)
            throw error
        }
    }

    /// Ends an upload; returns its length.
    func finish(_ id: String) throws(FreeholdError) -> Int {
        let upload = try find(id)
        do throws(FreeholdError) { try upload.finish() } catch {
            cancel(id)
            throw error
        }
        return upload.byteCount
    }

    func cancel(_ id: String) { uploads.removeValue(forKey: id)?.writer.cancel() }

    func cancelAll() {
        for id in Array(uploads.keys) { cancel(id) }
    }

    /// An upload that an operation sets.
    func finished(_ id: String) throws -> Upload {
        guard let upload = uploads[id] else {
            throw OperationMistake("there is no upload '\(id)'; it was used, cancelled, or idle for too long")
        }
        guard upload.isFinished else { throw OperationMistake("upload '\(id)' is not complete") }
        upload.lastUse = now()
        used.insert(id)
        return upload
    }

    /// Notes that a transaction begins.
    func beginUse() {
        dropIdle()
        used = []
    }

    /// Forgets the uploads that a transaction has set: it was committed, and the values are the objects' now.
    func noteCommit() {
        for id in used { uploads[id] = nil }
        used = []
    }

    /// Cancels the uploads that nothing has used for too long.
    func dropIdle() {
        let now = now()
        for (id, upload) in uploads where upload.lastUse.duration(to: now) > limits.idle { cancel(id) }
    }

    private func find(_ id: String) throws(FreeholdError) -> Upload {
        dropIdle()
        guard let upload = uploads[id] else {
            throw FreeholdError(.notFound, "there is no upload '\(id)'; it was used, cancelled, or idle for too long: upload again")
        }
        upload.lastUse = now()
        return upload
    }

    private func require(_ more: Int, _ present: Int) throws(FreeholdError) {
        guard more <= limits.bytes - present else {
            throw FreeholdError(.valueTooLarge, "the uploads of this tab would have more than \(limits.bytes) bytes")
        }
    }
}
