/// One change that the server is not yet known to have: what was changed and when, without the value.
struct PendingEntry: Equatable {
    enum What: Equatable {
        /// The object was created, with all its values; so were those after it up to this key, by the same commit.
        case created(through: Int64)
        /// The object that had this key was deleted, before another one was created under it, if there is one.
        case deleted
        /// The property with this number has another value.
        case property(UInt32)
        /// A member, given by its index key, came into the set or left it.
        case member(UInt32, [UInt8])
        /// A key, given by its UTF-8 bytes, got another value in the map, came into it or left it.
        case mapKey(UInt32, [UInt8])
        /// Elements of the list were inserted, changed in place, moved or deleted.
        case element(UInt32, ElementChange)
    }

    let key: Int64
    let what: What
    let stamp: SyncStamp
    let origin: PendingOrigin

    /// The number of the property, if it is a change of one.
    var property: UInt32? {
        switch what {
        case .created, .deleted: nil
        case .property(let number), .member(let number, _), .mapKey(let number, _), .element(let number, _): number
        }
    }

    /// The last object that it concerns.
    var lastKey: Int64 { if case .created(let last) = what { last } else { key } }
}

/// The sum of a counter's increments in one epoch.
struct PendingSum: Equatable {
    let key: Int64
    /// The number of the property.
    let property: UInt32
    let origin: PendingOrigin
    let amount: Int64
    /// The number of commits that have changed it.
    let increments: UInt32
    /// The stamp of the first of them: of two sums of one epoch that began together, that with more contains the other.
    let began: SyncStamp
}

/// The replica and epoch that a change was written under.
struct PendingOrigin: Hashable, Comparable {
    /// 0 for the file's own replica, n for the n-th slot of `SyncBody`.
    let slot: UInt16
    let epoch: UInt64

    static func < (one: Self, other: Self) -> Bool { (one.slot, one.epoch) < (other.slot, other.epoch) }
}
