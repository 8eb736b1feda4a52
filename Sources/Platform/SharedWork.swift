import CShims

/// Work that several threads share: the calling thread, and others that wait for more.
///
/// The others are made when there is first something to do, take no signals but those of faults of their own, and end with the process. A forked child makes its own.
public enum SharedWork {
    /// How many threads may run at once: as the environment's `FREEHOLD_THREADS` says, or else as many as the process has processors.
    public static let threadCount = freehold_shim_processor_count()

    /// Calls `body` with each piece from 0 to before `count`; returns when all are done. Pieces are begun in order.
    ///
    /// - Parameter threads: how many may work on it.
    public static func run(_ count: Int, threads: Int, _ body: @Sendable (Int) -> Void) {
        if threads < 2 || count < 2 {
            for piece in 0..<count { body(piece) }
            return
        }
        // Safe: the closure's place is good until this returns, which is when nobody uses it any more.
        withoutActuallyEscaping(body) { escaping in
            var body: @Sendable (Int) -> Void = escaping
            withUnsafeMutablePointer(to: &body) { place in
                freehold_shim_share_work(threads - 1, count, { context, piece in
                    guard let context else { return }
                    context.assumingMemoryBound(to: (@Sendable (Int) -> Void).self).pointee(piece)
                }, place)
            }
        }
    }
}
