import Dispatch

/// Runs what blocks its thread, like every use of a database, where no request waits for it.
enum Blocking {
    private static let queue = DispatchQueue(label: "blocking", attributes: .concurrent)

    static func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Swift.Result { try body() }) }
        }
    }
}
