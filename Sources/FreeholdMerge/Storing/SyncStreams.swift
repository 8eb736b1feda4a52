import FreeholdEngine

/// An object that another one leads to.
struct SyncLead: Hashable {
    let object: SyncObject
    /// What is followed from there; nil if nothing is.
    let reach: SyncReach?
}

/// Who sees an object by its own properties, and to which objects that leads.
public struct SyncAudience: Equatable, Sendable {
    /// Who sees it.
    public enum Users: Equatable, Sendable {
        case everyone, nobody
        case only([SyncUser])
    }

    /// Who sees the object.
    public var users: Users
    /// Who sees it by `users` sees these as well.
    public var follows: [SyncObject]
    /// What is followed from these on; nil if nothing is.
    public var reach: SyncReach?
    /// What the object leads to by links that are followed further, for all who see it so: by the number of the `follow`. Only of the
    /// first of several audiences.
    public var steps: [Int32: [SyncObject]] = [:]
    /// What other streams say: theirs see it too, and what they follow.
    public var others: [SyncAudience] = []

    public init(_ users: Users, follows: [SyncObject] = [], reach: SyncReach? = nil) {
        self.users = users
        self.follows = follows
        self.reach = reach
    }

    /// The users whose views say that they see it, one for all where everyone does, and to what it leads for each of them.
    var sights: [SyncUser: Set<SyncLead>] {
        var made: [SyncUser: Set<SyncLead>] = [:]
        for audience in [self] + others {
            let leads = audience.follows.map { SyncLead(object: $0, reach: audience.reach) }
            switch audience.users {
            case .everyone: made[.everyone, default: []].formUnion(leads)
            case .nobody: break
            case .only(let some): for user in some { made[user, default: []].formUnion(leads) }
            }
        }
        return made
    }
}

/// What a user does to an object.
public enum SyncAct: Hashable, Sendable {
    /// Its creation, with all that the batch says of it.
    case creation
    case deletion
    /// A change of what it has.
    case change
    /// A change of one property, of what that embeds, or of an element or entry of it.
    case setting(Int32)
}

/// The streams and rights of a server.
public protocol SyncStreams {
    /// Whether an audience names users, and not only everyone or nobody. If so, a new user's views are made object by object.
    var namesUsers: Bool { get }
    /// Who sees a living object.
    func audience(of object: SyncObject, _ row: StoredRow) throws(FreeholdError) -> SyncAudience
    /// What a living object leads to by links that are followed further: `SyncAudience.steps`.
    func steps(of object: SyncObject, _ row: StoredRow) -> [Int32: [SyncObject]]
    /// Whether links of a property lead to objects that are seen for that reason.
    func follows(_ property: Int32, of type: Int32) -> Bool
    /// Whether there is something that not all may do to what they see.
    var limitsChanges: Bool { get }
    /// Whether a user may do something to an object that the user sees, or creates.
    ///
    /// - Parameter row: the object as it is at the server before the batch; one that is created, as the batch makes it.
    func allows(_ act: SyncAct, of object: SyncObject, _ row: StoredRow, by user: SyncUser) throws(FreeholdError) -> Bool
    /// Whether a user's programs may add classes and properties.
    func allowsAdditions(by user: SyncUser) throws(FreeholdError) -> Bool
}

extension SyncStreams {
    public func allowsAdditions(by user: SyncUser) -> Bool { true }
    public func steps(of object: SyncObject, _ row: StoredRow) -> [Int32: [SyncObject]] { [:] }
}

/// Every user sees every object, and may change it.
public struct OpenStreams: SyncStreams {
    public init() {}
    public var namesUsers: Bool { false }
    public func audience(of object: SyncObject, _ row: StoredRow) -> SyncAudience { SyncAudience(.everyone) }
    public func follows(_ property: Int32, of type: Int32) -> Bool { false }
    public var limitsChanges: Bool { false }
    public func allows(_ act: SyncAct, of object: SyncObject, _ row: StoredRow, by user: SyncUser) -> Bool { true }
}
