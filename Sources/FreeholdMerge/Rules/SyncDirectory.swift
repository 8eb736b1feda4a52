import FreeholdEngine

/// What rules may ask of a user: the name, and the claims of the last token.
public struct SyncPerson: Hashable, Sendable {
    /// The token's claim `sub`.
    public var name: String
    /// Other claims: strings, numbers, truth values, and lists of these.
    public var claims: TextMap<Value>

    public init(_ name: String, claims: TextMap<Value> = [:]) { (self.name, self.claims) = (name, claims) }

    public static func == (one: Self, other: Self) -> Bool { one.name.isSame(as: other.name) && one.claims == other.claims }

    public func hash(into hasher: inout Hasher) { hasher.combine(ExactText(name)) }
}

/// The users of a server by name. Names are compared by their bytes.
public protocol SyncDirectory {
    /// The user with a name; nil if there is none yet.
    func user(named name: String) throws(FreeholdError) -> SyncUser?
    /// Who a user is; nil for one that is not there.
    func person(_ user: SyncUser) throws(FreeholdError) -> SyncPerson?
    /// All users.
    func users() throws(FreeholdError) -> [SyncUser]
}

/// A directory in memory.
public final class MemoryDirectory: SyncDirectory {
    private var people: [SyncUser: SyncPerson] = [:]
    private var numbers: [ExactText: SyncUser] = [:]

    public init() {}

    /// Enters a user, or other claims of one. Call `SyncServer.add` or `renew` next.
    public func enter(_ person: SyncPerson, as user: SyncUser) {
        people[user] = person
        numbers[ExactText(person.name)] = user
    }

    public func user(named name: String) -> SyncUser? { numbers[ExactText(name)] }
    public func person(_ user: SyncUser) -> SyncPerson? { people[user] }
    public func users() -> [SyncUser] { people.keys.sorted { $0.rawValue < $1.rawValue } }
}
