import FreeholdEngine

/// What other software has made of an object, as a store finds it beside its rows.
///
/// A server takes it over as changes of its own (replica 0), with stamps ahead of what the row has.
public struct SyncForeignChange: Sendable {
    public var object: SyncObject
    /// Whether it was deleted. If it is there nevertheless, a new life has begun, and what is said here is all of it.
    public var wasDeleted = false
    /// Whether it is there.
    public var isThere = true
    /// Single properties. An embedded object that was not there is `.embedded(.none)`.
    public var values: [(property: Int32, value: SyncValue)] = []
    /// Entries of maps, `.absent` for those that are gone.
    public var entries: [(property: Int32, key: SyncValue, value: SyncValue)] = []
    public var members: [(property: Int32, element: SyncValue, isMember: Bool)] = []
    /// What was added to counters.
    public var amounts: [(property: Int32, amount: Int64)] = []

    public init(_ object: SyncObject) { self.object = object }
}
