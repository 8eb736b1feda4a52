/// How a realm hears of commits, and who observes it.
struct RealmListening {
    /// The realm's number in `CommitFollowing`; nil if it is not registered.
    var followed: UInt64?
    /// The scheduler of the realm's place; nil until it is needed.
    var scheduler: Scheduler?
    /// Whether `autorefresh` is on.
    var hearsOthers = false
    /// The value that the program has set for it, if any.
    var hearsOthersByWish: Bool?
    /// The observers; nil if there are none.
    var observers: RealmObservers?
}

/// What a realm has only while its file is migrated.
struct RealmMigration {
    /// Removes a class's primary key, so that objects can get other keys; returns whether it may.
    var releaseKey: ((String) throws -> Bool)?
    /// The realm of the version before.
    var previous: RealmCore?
}
