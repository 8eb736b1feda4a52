import Dispatch
import FreeholdEngine
import Synchronization

/// Work that takes long, one after the other, on a thread of its own; a tab is told of its progress.
public final class Jobs: Sendable {
    private let queue = SerialThread("jobs")
    private let next = Atomic(1)
    private let waiting = Atomic(0)
    private static let limit = 8

    /// Starts a job.
    ///
    /// - Parameter body: tells its parameter what has been done, and returns the result as JSON.
    /// - Returns: the job's name.
    public func start(_ kind: String, for tab: Tab, _ body: @escaping @Sendable (JobProgress) throws -> [UInt8]) throws -> String {
        guard waiting.wrappingAdd(1, ordering: .relaxed).newValue <= Self.limit else {
            waiting.wrappingSubtract(1, ordering: .relaxed)
            throw BrowserError(.busy, "\(Self.limit) jobs are waiting already")
        }
        let name = "j\(next.wrappingAdd(1, ordering: .relaxed).oldValue)"
        queue.async { [self] in
            JobProgress(name, kind, tab).run(body)
            waiting.wrappingSubtract(1, ordering: .relaxed)
        }
        return name
    }
}

/// Tells a tab how a job goes on. Used on the job's thread.
public final class JobProgress {
    private let name: String
    private let kind: String
    private let tab: Tab
    private var told: UInt64 = 0
    /// The least time between two reports.
    private static let paceNanoseconds: UInt64 = 100_000_000

    init(_ name: String, _ kind: String, _ tab: Tab) { (self.name, self.kind, self.tab) = (name, kind, tab) }

    fileprivate func run(_ body: (JobProgress) throws -> [UInt8]) {
        do {
            let result = try body(self)
            tell("done") { $0.field("result") { $0.raw(result) } }
        } catch {
            let message = BrowserError.text(error)
            tell("failed") { $0.object("error") { $0.field("message", message) } }
        }
    }

    /// What has been done, of how much, and where it is; a total of 0 if that is not known.
    public func note(_ done: Int, _ total: Int, _ place: String) {
        let now = DispatchTime.now().uptimeNanoseconds
        if now < told + Self.paceNanoseconds { return }
        told = now
        tell("running") { output in
            output.field("done", done)
            output.field("total", total)
            output.field("place", place)
        }
    }

    private func tell(_ state: String, _ more: (inout JSONOutput) -> Void) {
        tab.send("job", JSONOutput.object { output in
            output.field("job", name)
            output.field("kind", kind)
            output.field("state", state)
            more(&output)
        })
    }
}
