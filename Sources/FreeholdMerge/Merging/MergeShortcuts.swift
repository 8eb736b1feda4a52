/// Rules of the server that a test leaves out, to see that its histories catch it. A server leaves out none.
package struct MergeShortcuts: OptionSet, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Epochs are applied again when a batch comes again.
    package static let appliesAgain = Self(rawValue: 1 << 0)
    /// Stamps ahead of the server's clock stay.
    package static let keepsStampsAhead = Self(rawValue: 1 << 1)
    /// Stamps ahead become the server's time, also below what the writer had seen.
    package static let clampsBelowSeen = Self(rawValue: 1 << 2)
    /// A replica's later epochs are not above its earlier ones.
    package static let keepsOwnOrderBroken = Self(rawValue: 1 << 3)
    /// A cursor counts for objects that the user did not see.
    package static let ignoresViews = Self(rawValue: 1 << 4)
    /// What a user does not see any more was seen at each cursor before.
    package static let forgetsSights = Self(rawValue: 1 << 26)
    /// Changes of an earlier life are applied to a later one.
    package static let mixesLives = Self(rawValue: 1 << 5)
    /// A removal takes additions that it did not know.
    package static let removalsWin = Self(rawValue: 1 << 6)
    /// Positions in lists stand behind the left neighbour.
    package static let listsWithoutTree = Self(rawValue: 1 << 7)
    /// Positions that were refused are not replaced by those beside them.
    package static let keepsUnknownPositions = Self(rawValue: 1 << 8)
    /// The later stamp wins for properties that the application merges.
    package static let overwritesMerged = Self(rawValue: 1 << 9)
    /// Unique values are not checked.
    package static let ignoresUnique = Self(rawValue: 1 << 10)
    /// Unique values of objects that come to life again are not checked.
    package static let ignoresUniqueOfRevived = Self(rawValue: 1 << 11)
    /// Rights are not checked.
    package static let ignoresRights = Self(rawValue: 1 << 12)
    /// A user may link to objects that the user does not see, by a property that a stream follows.
    package static let showsWhatIsLinked = Self(rawValue: 1 << 27)
    /// Sums of copied files are not subtracted.
    package static let ignoresClaims = Self(rawValue: 1 << 13)
    /// Objects that a batch named are not owed to its replica.
    package static let owesNothing = Self(rawValue: 1 << 14)
    /// Rejections are forgotten once they were sent.
    package static let forgetsSent = Self(rawValue: 1 << 15)
    /// Leavings are not sent.
    package static let keepsLeavings = Self(rawValue: 1 << 16)
    /// Histories are not compared.
    package static let ignoresHistory = Self(rawValue: 1 << 17)
    /// Files are not reset after the retention.
    package static let neverResets = Self(rawValue: 1 << 18)
    /// A stamp that is ahead is replaced by another one when another file brings it again.
    package static let replacesStampsAnew = Self(rawValue: 1 << 21)
    /// Of writes of one file, the epochs say nothing about their order.
    package static let ignoresLineage = Self(rawValue: 1 << 22)
    /// A claim counts for every sum of an epoch, also of another life of the object.
    package static let claimsAcrossLives = Self(rawValue: 1 << 23)
    /// A position stands beside the right neighbour only if that is below the left one, not because it is of the same replica.
    package static let ignoresOwnNeighbour = Self(rawValue: 1 << 24)
    /// Objects with links in collections to one that comes are not sent again.
    package static let forgetsLinks = Self(rawValue: 1 << 25)
    /// An answer ends at the oldest transaction in progress.
    package static let endsAtWatermark = Self(rawValue: 1 << 19)
    /// A cursor is the newest transaction.
    package static let cursorIsNewest = Self(rawValue: 1 << 20)
}
