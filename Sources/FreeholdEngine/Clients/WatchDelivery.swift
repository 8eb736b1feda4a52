/// What a `LiveWatch` reports of one step from version to version. Valid within the call that receives it.
public struct WatchDelivery {
    /// The older version; nil if it was taken away while the watch slept.
    public let before: Snapshot?
    /// The newer version.
    public let after: Snapshot
    /// The answers that have changed, in the order in which they were followed.
    public let changes: [Change]

    /// One answer that has changed.
    public struct Change {
        /// What `LiveWatch.follow` returned.
        public let number: LiveWatch.Number
        /// The answer, at the newer version.
        public let answer: LiveWatch.Answer
        /// What changed in it.
        public let what: What
    }

    /// What changed in an answer.
    public enum What: Sendable {
        /// Objects of a query, or groups.
        case positions(PositionChanges)
        /// Elements of a collection.
        case elements(CollectionChanges)
        /// Properties of an object.
        case properties(LiveObjectChanges)
        /// The newer version does not have what the answer asks for; it is followed no longer.
        case failed(FreeholdError)
    }
}

extension WatchDelivery.What {
    static func positions(of changes: PositionChanges) -> Self? { changes.isEmpty ? nil : .positions(changes) }
    static func elements(of changes: CollectionChanges) -> Self? { changes.isEmpty ? nil : .elements(changes) }
    static func properties(of changes: LiveObjectChanges) -> Self? { changes.isEmpty ? nil : .properties(changes) }
}
