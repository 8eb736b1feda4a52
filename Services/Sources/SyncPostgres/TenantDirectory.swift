import Foundation
import FreeholdEngine
import SyncBackends
import Synchronization

/// The tenants of a server whose data is in several databases.
///
/// The table that says so is read once a second: a tenant that is added, moved or removed is noticed without a restart. While its
/// database is away, the servers go on with what they know.
public final class TenantDirectory: SyncTenants {
    private struct State {
        var tenants: [ExactText: TenantTable.Tenant] = [:]
        var backends: [ExactText: (address: String, backend: PostgresBackend)] = [:]
        var hasEnded = false
    }

    private let address: String
    private let makeBackend: @Sendable (_ address: String) -> PostgresBackend
    private let log: @Sendable (String) -> Void
    private let state = Mutex(State())
    private let wake = DispatchSemaphore(value: 0)
    private static let period = DispatchTimeInterval.seconds(1)

    /// - Parameters:
    ///   - address: the database with the table of tenants.
    ///   - makeBackend: called when a tenant's first request comes.
    ///   - log: told of errors while it reads the table again.
    /// - Throws: `.notFound` if there is no such table; `.io`.
    public init(
        _ address: String, log: @escaping @Sendable (String) -> Void = { _ in },
        makeBackend: @escaping @Sendable (_ address: String) -> PostgresBackend
    ) throws(FreeholdError) {
        (self.address, self.log, self.makeBackend) = (address, log, makeBackend)
        try read(try PostgresWorker.connect(address))
        let thread = Thread { [self] in run() }
        thread.name = "sync-tenants"
        thread.start()
    }

    public func backend(_ tenant: String) -> (any SyncBackend)? {
        state.withLock { state in
            let name = ExactText(tenant)
            guard !state.hasEnded, let known = state.tenants[name] else { return nil }
            if known.target != nil { return MovingTenant() }
            if let one = state.backends[name] { return one.backend }
            let made = makeBackend(known.address)
            state.backends[name] = (known.address, made)
            return made
        }
    }

    public var all: [any SyncBackend] { state.withLock { $0.backends.values.map(\.backend) } }

    /// One tenant's database that is away does not keep the server from the others.
    public func check() async throws(SyncFailure) {}

    /// Ends all backends, when what they do is done.
    public func end() {
        let backends = state.withLock { state in
            state.hasEnded = true
            return state.backends.values.map(\.backend)
        }
        wake.signal()
        for backend in backends { backend.end() }
    }

    private func run() {
        var connection: PostgresConnection?
        while true {
            _ = wake.wait(timeout: .now() + Self.period)
            if state.withLock({ $0.hasEnded }) { return }
            do throws(FreeholdError) {
                if connection == nil { connection = try PostgresWorker.connect(address) }
                try read(connection!)
            } catch {
                connection = nil
                log("the table of tenants: \(error.message)")
            }
        }
    }

    private func read(_ connection: PostgresConnection) throws(FreeholdError) {
        let tenants = try TenantTable(connection).all()
        let left = state.withLock { state -> [PostgresBackend] in
            state.tenants = Dictionary(tenants.map { (ExactText($0.name), $0) }, uniquingKeysWith: { one, _ in one })
            var left: [PostgresBackend] = []
            for (name, one) in state.backends {
                let now = state.tenants[name]
                if now?.target == nil, now?.address.isSame(as: one.address) == true { continue }
                state.backends[name] = nil
                left.append(one.backend)
            }
            return left
        }
        for backend in left {
            // Its requests end first.
            Thread.detachNewThread { backend.end() }
        }
    }
}
