import FreeholdEngine

/// Who sees an object by its own properties, and to which objects that leads.
public struct SyncAudience: Equatable, Sendable {
    /// Who sees it.
    public enum Users: Equatable, Sendable {
        case everyone, nobody
        case only([SyncUser])
    }

    /// Who sees the object.
    public var users: Users
    /// Who sees it sees these as well.
    public var follows: [SyncObject]

    public init(_ users: Users, follows: [SyncObject] = []) {
        self.users = users
        self.follows = follows
    }

    func includes(_ user: SyncUser) -> Bool {
        switch users {
        case .everyone: true
        case .nobody: false
        case .only(let some): some.contains(user)
        }
    }
}

/// The streams and rights of a server.
public protocol SyncStreams {
    /// Who sees a living object.
    func audience(of object: SyncObject, _ row: StoredRow) -> SyncAudience
    /// Whether a user may set a property of an object that the user sees.
    func maySet(_ property: Int32, of object: SyncObject, user: SyncUser) -> Bool
}

/// Every user sees every object, and may change it.
public struct OpenStreams: SyncStreams {
    public init() {}
    public func audience(of object: SyncObject, _ row: StoredRow) -> SyncAudience { SyncAudience(.everyone) }
    public func maySet(_ property: Int32, of object: SyncObject, user: SyncUser) -> Bool { true }
}
