import FreeholdEngine

/// Who asks: a user, in a tenant. Two spellings of one text are two users, as they are for who gives out tokens, and for the database.
public struct SyncCaller: Sendable, Hashable {
    /// The token's claim `sub`.
    public var user: String
    /// The token's claim `tenant`; empty without one.
    public var tenant: String
    /// What else the token says, for rules. It is not who asks.
    public var claims: TextMap<Value>
    /// The token's claim `iat`, in seconds; 0 without one. Claims of an earlier token do not replace those of a later one.
    public var issued: Int64

    public init(user: String, tenant: String = "", claims: TextMap<Value> = [:], issued: Int64 = 0) {
        (self.user, self.tenant, self.claims, self.issued) = (user, tenant, claims, issued)
    }

    public static func == (one: Self, other: Self) -> Bool { one.user.isSame(as: other.user) && one.tenant.isSame(as: other.tenant) }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ExactText(user))
        hasher.combine(ExactText(tenant))
    }
}

/// A tenant's data, as the requests of a server need it.
///
/// Batches, questions and answers are the bytes of a `SyncMessage`. All functions may be called at once, by any number of requests.
public protocol SyncBackend: Sendable {
    /// Merges a batch.
    ///
    /// - Parameter message: the bytes of a `SyncMessage.push`.
    /// - Returns: the acknowledgement's bytes; nil if the batch belongs to another history: its file pulls first.
    func push(_ message: [UInt8], by caller: SyncCaller) async throws(SyncFailure) -> [UInt8]?

    /// Answers a question as soon as something is new for its file.
    ///
    /// - Parameters:
    ///   - message: the bytes of a `SyncMessage.pull`.
    ///   - wait: how long it waits for something new.
    /// - Returns: the parts of the answer, which a device applies when it has all; nil if nothing was new in that time, or the task was
    ///   cancelled.
    func pull(_ message: [UInt8], by caller: SyncCaller, wait: Duration) async throws(SyncFailure) -> AnswerParts?

    /// Classes and properties, as JSON.
    func schema(for caller: SyncCaller) async throws(SyncFailure) -> [UInt8]

    /// Adds the classes and properties that are not there yet.
    ///
    /// - Parameter classes: JSON as `schema` gives it.
    /// - Returns: JSON with what was added: `{"added": ["Task", "Project.title"]}`.
    func add(classes: [UInt8], by caller: SyncCaller) async throws(SyncFailure) -> [UInt8]

    /// Throws if the backend cannot work at present (`/ready`).
    func check() async throws(SyncFailure)

    /// Answers pulls that wait, and lets none wait any more: the server ends.
    func stopWaiting()

    /// Pulls that wait for something new.
    var waitingCount: Int { get }
}
