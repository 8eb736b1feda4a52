import FreeholdEngine

/// How a user sees an object: by its own properties, by links of others that the user sees.
public struct SyncView: Hashable, Sendable {
    /// Whether by its own properties.
    public var isOwn = false
    /// How many objects that the user sees lead to it.
    public var links: Int32 = 0
    /// Whether it is seen.
    public var sees = false
    /// Since which transaction it is, or is not.
    public var since: UInt64 = 0
    /// If it is not, since which transaction it was before.
    public var began: UInt64 = 0

    public init() {}

    /// Whether it was seen at a cursor: now and since then, or until after it. Of what was before that, nothing is known.
    ///
    /// - Parameter remembers: false in a test that leaves `began` out.
    func wasSeen(at cursor: SyncCursor, remembers: Bool) -> Bool {
        if sees { return cursor.contains(since) }
        return !cursor.contains(since) && (cursor.contains(began) || !remembers)
    }

    /// It is seen, or not, since a transaction.
    mutating func change(to sees: Bool, in transaction: UInt64) {
        if self.sees { began = since }
        (self.sees, since) = (sees, transaction)
    }
}

/// What a user sees of an object: what everyone sees, and what this user does.
struct SyncSight {
    private let shared: SyncView?
    private let own: SyncView?

    init(_ shared: SyncView?, _ own: SyncView?) { (self.shared, self.own) = (shared, own) }

    var sees: Bool { shared?.sees == true || own?.sees == true }

    /// Whether the user saw it at a cursor, by one view or the other: what only some see may become everyone's, and the other way round.
    func wasSeen(at cursor: SyncCursor, remembers: Bool) -> Bool {
        [shared, own].contains { $0?.wasSeen(at: cursor, remembers: remembers) == true }
    }

    /// Whether the user saw it until a transaction.
    func wasSeen(until transaction: UInt64) -> Bool { [shared, own].contains { $0.map { !$0.sees && $0.since == transaction } ?? false } }

    /// Whether one of the views has changed in a transaction for which `isNew` is true.
    func hasChanged(_ isNew: (UInt64) -> Bool) -> Bool { [shared, own].contains { $0.map { isNew($0.since) } ?? false } }

    /// Whether the user's own view has.
    func hasChangedForUser(_ isNew: (UInt64) -> Bool) -> Bool { own.map { isNew($0.since) } ?? false }
}

extension SyncStore {
    func sight(of object: SyncObject, by user: SyncUser) throws(FreeholdError) -> SyncSight {
        SyncSight(try view(of: object, by: .everyone), try view(of: object, by: user))
    }
}
