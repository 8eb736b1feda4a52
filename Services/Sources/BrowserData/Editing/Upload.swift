import FreeholdEngine

/// A long value that was sent ahead of the operation that sets it.
final class Upload {
    let writer: LargeValueWriter
    var expected = 0
    var lastUse: ContinuousClock.Instant
    private(set) var isFinished = false
    private var text = TextCheck()

    init(_ writer: LargeValueWriter, _ now: ContinuousClock.Instant) {
        self.writer = writer
        lastUse = now
    }

    var byteCount: Int { writer.byteCount }

    /// The bytes that count against the limits.
    var reserved: Int { isFinished ? byteCount : max(expected, byteCount) }

    /// Whether the bytes are UTF-8.
    var isText: Bool { text.isComplete }

    func write(_ bytes: UnsafeRawBufferPointer) throws(FreeholdError) {
        try writer.write(bytes)
        text.add(bytes)
    }

    func finish() throws(FreeholdError) {
        try writer.finish()
        isFinished = true
    }
}
