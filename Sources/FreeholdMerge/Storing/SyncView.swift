import FreeholdEngine

/// That links are followed from an object on: which of the rules' links, and how many are left.
public struct SyncReach: Hashable, Comparable, Sendable {
    /// The number of a `follow` of the rules.
    public var follow: Int32
    /// Links that are left, at least one.
    public var left: Int32

    /// The most links that are followed, one after the other.
    public static let most: Int32 = 8

    public init(follow: Int32, left: Int32) { (self.follow, self.left) = (follow, left) }

    public static func < (one: Self, other: Self) -> Bool { (one.left, one.follow) < (other.left, other.follow) }

    /// What is left behind the next link; nil if that is the last one.
    var next: SyncReach? { left > 1 ? SyncReach(follow: follow, left: left - 1) : nil }
}

/// How a user sees an object: by its own properties, by links of others that the user sees.
public struct SyncView: Hashable, Sendable {
    /// Whether by its own properties.
    public var isOwn = false
    /// How many objects that the user sees lead to it.
    public var links: Int32 = 0
    /// How many lead to it by links that are followed further from there.
    public var reaches: [SyncReach: Int32] = [:]
    /// Whether it is seen.
    public var sees = false
    /// Since which transaction it is, or is not.
    public var since: UInt64 = 0
    /// If it is not, since which transaction it was before.
    public var began: UInt64 = 0

    public init() {}

    /// Whether it is seen, if it lives.
    var isReached: Bool { isOwn || links > 0 || reaches.values.contains { $0 > 0 } }

    /// One more leads to it, or one less.
    mutating func count(_ change: Int32, by reach: SyncReach?) {
        guard let reach else { return links += change }
        let count = reaches[reach, default: 0] + change
        reaches[reach] = count == 0 ? nil : count
    }

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
