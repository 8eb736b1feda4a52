import CShims

/// Runs work on several threads: the calling thread, and others that wait for work.
///
/// The other threads are created at the first call, receive no signals except those for their own faults, and end with
/// the process. A forked child creates its own.
public enum SharedWork {
    /// Maximum number of threads that run at once: `FREEHOLD_THREADS` in the environment, or else the number of
    /// processors of the process.
    public static let threadCount = freehold_shim_processor_count()

    /// Calls `body` with each piece from 0 to `count` - 1; returns when all are done. Pieces are begun in order.
    ///
    /// - Parameter threads: the maximum number of threads for it.
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
