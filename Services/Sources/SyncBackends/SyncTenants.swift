/// The tenants of a server, and where their data is.
public protocol SyncTenants: Sendable {
    /// Nil if the server has no such tenant.
    func backend(_ tenant: String) -> (any SyncBackend)?
    /// Those that somebody has asked for.
    var all: [any SyncBackend] { get }
    /// Throws if the server cannot work at present (`/ready`).
    func check() async throws(SyncFailure)
}

/// One database, for tokens without a tenant.
public struct SingleTenant: SyncTenants {
    private let backend: any SyncBackend

    public init(_ backend: any SyncBackend) { self.backend = backend }

    public func backend(_ tenant: String) -> (any SyncBackend)? { tenant.isEmpty ? backend : nil }
    public var all: [any SyncBackend] { [backend] }
    public func check() async throws(SyncFailure) { try await backend.check() }
}

/// A tenant whose data is on its way to another database: requests are to be sent again.
public struct MovingTenant: SyncBackend {
    private static let failure = SyncFailure(
        .unavailable, what: "the tenant's data is being moved to another database", advice: "send the same again", retryAfter: 2)

    public init() {}

    public func push(_ message: [UInt8], by caller: SyncCaller) async throws(SyncFailure) -> [UInt8]? { throw Self.failure }
    public func pull(_ message: [UInt8], by caller: SyncCaller, wait: Duration) async throws(SyncFailure) -> AnswerParts? {
        throw Self.failure
    }
    public func schema(for caller: SyncCaller) async throws(SyncFailure) -> [UInt8] { throw Self.failure }
    public func add(classes: [UInt8], by caller: SyncCaller) async throws(SyncFailure) -> [UInt8] { throw Self.failure }
    public func check() async throws(SyncFailure) {}
    public func stopWaiting() {}
    public var waitingCount: Int { 0 }
}
