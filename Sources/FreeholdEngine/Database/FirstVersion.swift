/// The first version of a new file: no classes, no objects, and the space map that says so.
enum FirstVersion {
    static func make(_ cipher: FileCipher?) throws(FreeholdError) -> InitialContent {
        let verifier = BlockVerifier(path: "", measure: { 0 }, validate: { _ in nil })
        // Safe: no page lies below the limit, so neither pointer is ever followed.
        let nowhere = UnsafeMutableRawPointer(bitPattern: BlockLayout.page)!
        let access = BlockAccess(base: UnsafeRawPointer(nowhere), touched: nowhere.assumingMemoryBound(to: TouchedPage.self),
                                 pageLimit: 0, verifier: Unmanaged.passUnretained(verifier), pending: nil)
        let pending = PendingBlocks(reading: access)
        let (top, _) = TopBlock.make(tables: 0, from: nil, in: pending)
        let sink = MemorySink(start: FileLayout.firstData)
        let outcome = try withExtendedLifetime(verifier) { () throws(FreeholdError) in
            try CommitWriter(map: SpaceMap(path: ""), cipher: cipher).write(pending, top: top, version: 1, held: [], into: sink)
        }
        return InitialContent(bytes: sink.bytes, top: outcome.top)
    }
}

/// Collects what a commit writes to a file that does not exist yet.
private final class MemorySink: CommitSink {
    private let start: Int
    private(set) var bytes: [UInt8] = []

    init(start: Int) { self.start = start }

    var length: UInt64 { UInt64(start + bytes.count) }

    func write(_ source: UnsafeRawBufferPointer, at offset: UInt64) throws(FreeholdError) {
        let place = Int(offset) - start
        if bytes.count < place + source.count { bytes += Array(repeating: 0, count: place + source.count - bytes.count) }
        bytes.replaceSubrange(place..<place + source.count, with: source)
    }

    func grow(to length: UInt64) throws(FreeholdError) {
        let missing = Int(length) - start - bytes.count
        if missing > 0 { bytes += Array(repeating: 0, count: missing) }
    }
}
