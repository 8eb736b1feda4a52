import NIOPosix

/// Runs what blocks its thread, like every use of a database, where no other request waits for it.
///
/// On threads of its own: Dispatch's threads answer requests, and a few long queries would take all of them.
enum Blocking {
    private static let threads = NIOThreadPool.start(16)

    static func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await threads.runIfActive(body)
    }
}

extension NIOThreadPool {
    fileprivate static func start(_ count: Int) -> NIOThreadPool {
        let threads = NIOThreadPool(numberOfThreads: count)
        threads.start()
        return threads
    }
}
