/// What a file says about its sync: where its server is, and whether an agent shall sync it.
///
/// It is an object of class `FreeholdSyncSettings`, so that programs in every language read, change and observe it as any other object.
/// The class is never synced itself.
///
/// ```swift
/// try database.setSyncSettings(SyncSettings(address: "https://sync.example.org", tokenFile: "/etc/app/token"))
/// ```
public struct SyncSettings: Sendable, Equatable {
    /// The server's address, `https://host:port`; plain `http` only to this machine, or in tests.
    public var address: String
    /// The token that the server asks for. Every process that can read the file can read it: a token file is better.
    public var token: String?
    /// A file with the token. It is read again before each request that follows a change of it.
    public var tokenFile: String?
    /// Whether an agent shall sync the file; while it is false, agents wait.
    public var isWanted: Bool

    public init(address: String, token: String? = nil, tokenFile: String? = nil, isWanted: Bool = true) {
        self.address = address
        self.token = token
        self.tokenFile = tokenFile
        self.isWanted = isWanted
    }

    /// The class that the settings are an object of.
    public static let className = "FreeholdSyncSettings"

    static let schema = ClassSchema(className, primaryKey: "id", [
        PropertySchema("id", .int), PropertySchema("address", .string), PropertySchema("token", .string, isNullable: true),
        PropertySchema("tokenFile", .string, isNullable: true), PropertySchema("wanted", .bool),
    ])

    var values: [(String, Value)] {
        [
            ("address", .string(address)), ("token", token.map { .string($0) } ?? .null),
            ("tokenFile", tokenFile.map { .string($0) } ?? .null), ("wanted", .bool(isWanted)),
        ]
    }

    /// Whether both say the same, byte by byte.
    func isSame(as other: SyncSettings) -> Bool { zip(values, other.values).allSatisfy { $0.1 == $1.1 } }

    init?(_ row: SyncRecord) throws(FreeholdError) {
        guard let address = try row.text("address") else { return nil }
        self.init(address: address, token: try row.text("token"), tokenFile: try row.text("tokenFile"),
                  isWanted: try row.value("wanted") != .bool(false))
    }
}

/// How the sync of a file is going: an object of class `FreeholdSyncState`, which its agent writes.
///
/// It changes when something else than before is to be said, and not with every exchange: each change is a commit, which wakes observers.
public struct SyncState: Sendable, Equatable {
    /// Whether the agent reaches the server.
    public enum Connection: String, Sendable {
        /// No agent syncs the file: it has ended, or the settings do not want it.
        case stopped
        /// The agent tries to reach the server, or waits before it tries again.
        case connecting
        /// The last request was answered.
        case connected
        /// The server refuses this file until something is changed; the last issue says what.
        case refused
    }

    public var connection = Connection.stopped
    /// When the file last sent or received a change.
    public var lastExchange: Timestamp?
    /// Whether the file has changes that are not known to be at the server.
    public var isPending = false
    /// Bytes of the batch that is being sent, and of the answer that is being received; 0 without one. Set at most once a second.
    public var bytesSending = 0
    public var bytesReceiving = 0

    public init() {}

    /// The class that the state is an object of.
    public static let className = "FreeholdSyncState"

    static let schema = ClassSchema(className, primaryKey: "id", [
        PropertySchema("id", .int), PropertySchema("connection", .string), PropertySchema("lastExchange", .date, isNullable: true),
        PropertySchema("pending", .bool), PropertySchema("bytesSending", .int), PropertySchema("bytesReceiving", .int),
    ])

    var values: [(String, Value)] {
        [
            ("connection", .string(connection.rawValue)), ("lastExchange", lastExchange.map { .date($0) } ?? .null),
            ("pending", .bool(isPending)), ("bytesSending", .int(Int64(bytesSending))), ("bytesReceiving", .int(Int64(bytesReceiving))),
        ]
    }

    init(_ row: SyncRecord) throws(FreeholdError) {
        connection = Connection(rawValue: try row.text("connection") ?? "") ?? .stopped
        if case .date(let date) = try row.value("lastExchange") { lastExchange = date }
        isPending = try row.value("pending") == .bool(true)
        bytesSending = Int(clamping: try row.number("bytesSending"))
        bytesReceiving = Int(clamping: try row.number("bytesReceiving"))
    }
}

/// Something that a person or a program should know about the sync of a file: a change that was lost, or an error.
///
/// The last 1,000 are objects of class `FreeholdSyncIssue`; a program deletes those that it has dealt with.
public struct SyncIssue: Sendable, Equatable {
    public var date: Timestamp
    /// A reason of `SyncReport.Reason` for a change that was lost, else the code of an error: `unauthorized`, `tooLarge`…
    public var code: String
    /// What happened, where, and what to do.
    public var what: String
    public var place: String
    public var advice: String
    /// The object whose change was lost; nil for errors.
    public var className: String?
    public var primaryKey: String?
    /// The property, dotted within embedded objects; nil for the whole object.
    public var property: String?

    public init(date: Timestamp, code: String, what: String, place: String = "", advice: String = "", className: String? = nil,
                primaryKey: String? = nil, property: String? = nil) {
        (self.date, self.code, self.what, self.place, self.advice) = (date, code, what, place, advice)
        (self.className, self.primaryKey, self.property) = (className, primaryKey, property)
    }

    /// The class that issues are objects of.
    public static let issueClassName = "FreeholdSyncIssue"
    /// The number of issues that a file keeps.
    public static let limit = 1_000

    static let schema = ClassSchema(issueClassName, [
        PropertySchema("date", .date), PropertySchema("code", .string), PropertySchema("what", .string), PropertySchema("place", .string),
        PropertySchema("advice", .string), PropertySchema("className", .string, isNullable: true),
        PropertySchema("primaryKey", .string, isNullable: true), PropertySchema("property", .string, isNullable: true),
    ])

    var values: [(String, Value)] {
        func text(_ text: String?) -> Value { text.map { .string($0) } ?? .null }
        return [
            ("date", .date(date)), ("code", .string(code)), ("what", .string(what)), ("place", .string(place)), ("advice", .string(advice)),
            ("className", text(className)), ("primaryKey", text(primaryKey)), ("property", text(property)),
        ]
    }

    init(_ row: SyncRecord) throws(FreeholdError) {
        guard case .date(let date) = try row.value("date") else { throw row.misfit("date") }
        self.init(date: date, code: try row.text("code") ?? "", what: try row.text("what") ?? "", place: try row.text("place") ?? "",
                  advice: try row.text("advice") ?? "", className: try row.text("className"), primaryKey: try row.text("primaryKey"),
                  property: try row.text("property"))
    }
}
