import FreeholdEngine

/// A user of the server; what the number means is the server's own.
public struct SyncUser: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int64
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// Stands for all users, also those to come, in views of objects that everyone sees. It is no user of its own.
    public static let everyone = Self(rawValue: -1)
}

/// The tables of a server, as the merge needs them: rows, ledgers, claims, and who sees what since when.
///
/// A batch is merged between `begin` and `commit` of one transaction, whose row locks order it with others. The merge takes the rows that
/// a batch names, changes them in memory, and saves them all. What a function throws ends the transaction without effect, if the store can
/// undo what it has done.
public protocol SyncStore: AnyObject {
    /// Begins a transaction, and returns its number: higher than all before.
    func begin() throws(FreeholdError) -> UInt64
    /// The functions below are called for this transaction from now on.
    func enter(_ transaction: UInt64) throws(FreeholdError)
    /// A batch is about to be merged, with classes and properties in the store's numbers: a store may lock and read at once what it names.
    func prepare(_ batch: SyncPush) throws(FreeholdError)
    /// What other software has written about objects beside the store's rows. From now on the store takes it for merged.
    func foreignChanges(of objects: [SyncObject]) throws(FreeholdError) -> [SyncForeignChange]
    /// What other software has written is not to be: another object has the value of a unique property.
    func noteRefused(_ property: Int32, of object: SyncObject) throws(FreeholdError)
    /// Commits the transaction: snapshots contain it from now on.
    func commit(_ transaction: UInt64) throws(FreeholdError)
    /// Ends the transaction without what it has changed. (One in memory keeps that: its merge cannot fail once a row was taken.)
    func cancel(_ transaction: UInt64)
    /// Which transactions have ended.
    var snapshot: SyncCursor { get throws(FreeholdError) }

    /// The row of an object for the transaction's own use, until it is saved.
    func take(_ object: SyncObject) throws(FreeholdError) -> StoredRow?
    /// Saves a row that was taken, or a new one.
    func save(_ row: StoredRow, of object: SyncObject, transaction: UInt64) throws(FreeholdError)
    /// Reads a row.
    func row(_ object: SyncObject) throws(FreeholdError) -> StoredRow?
    /// Objects of which the last change, or the last change of how the user or everyone sees them, is in a transaction that `cursor` does
    /// not contain.
    func changes(since cursor: SyncCursor, for user: SyncUser) throws(FreeholdError) -> [SyncObject]
    /// Gives some objects in parts, in their order, when what the store has of each part was read at once. It may forget that when `body`
    /// has returned: an answer may have millions of objects.
    func forEachPart(of objects: [SyncObject], _ body: ([SyncObject]) throws(FreeholdError) -> Void) throws(FreeholdError)
    /// Every object there is, also deleted ones. The store may forget what it has read of one when `body` has returned.
    func forEachObject(_ body: (SyncObject) throws(FreeholdError) -> Void) throws(FreeholdError)

    /// Living objects, but those taken, that have a value of a unique property.
    func holders(of value: SyncValue, property: Int32, type: Int32) throws(FreeholdError) -> [SyncObject]

    /// Notes that an object has, or is to have, links to others in its collections.
    func note(links targets: [SyncObject], of object: SyncObject) throws(FreeholdError)
    /// The objects that have links to some in their collections: at least those, as links that are gone may stay noted.
    func linking(to targets: [SyncObject]) throws(FreeholdError) -> Set<SyncObject>

    /// The number of a replica in the store's table; a new one gets the next number.
    func number(of replica: ReplicaIdentity) throws(FreeholdError) -> UInt32
    /// The replica of a number.
    func replica(_ number: UInt32) throws(FreeholdError) -> ReplicaIdentity
    /// What is kept of a replica.
    func ledger(_ replica: UInt32) throws(FreeholdError) -> SyncLedger
    /// Keeps it.
    func save(_ ledger: SyncLedger, of replica: UInt32) throws(FreeholdError)
    /// The replicas that a file was before it got a replica's identity.
    func ancestors(of replica: UInt32) throws(FreeholdError) -> [SyncAncestor]
    /// Keeps them.
    func save(_ ancestors: [SyncAncestor], of replica: UInt32) throws(FreeholdError)
    /// The sum of an epoch that copies have pushed before its own replica.
    func claim(_ name: SyncClaim) throws(FreeholdError) -> SyncClaim.Amount?
    /// Keeps it.
    func save(_ amount: SyncClaim.Amount, of name: SyncClaim) throws(FreeholdError)

    /// Users who have pulled or pushed.
    var users: [SyncUser] { get throws(FreeholdError) }
    /// Makes a user known.
    func add(_ user: SyncUser) throws(FreeholdError)
    /// No batch is merged from now on, and no user added, until the transaction ends: what all users see is made anew.
    func holdUsers() throws(FreeholdError)
    /// The objects of which a user, or everyone, has a view.
    func viewed(by user: SyncUser) throws(FreeholdError) -> [SyncObject]
    /// How a user, or everyone, sees an object; nil if never.
    func view(of object: SyncObject, by user: SyncUser) throws(FreeholdError) -> SyncView?
    /// Users who have a view of an object, whether or not they see it; and `everyone`, if there is one for all.
    func viewers(of object: SyncObject) throws(FreeholdError) -> [SyncUser]
    /// Keeps it.
    func save(_ view: SyncView, of object: SyncObject, by user: SyncUser) throws(FreeholdError)
    /// Transactions below have lost their tombstones and leavings.
    var horizon: UInt64 { get throws(FreeholdError) }
}

/// A store in which nobody else writes.
extension SyncStore {
    /// All are one part, for a store that has everything in memory.
    public func forEachPart(of objects: [SyncObject], _ body: ([SyncObject]) throws(FreeholdError) -> Void) throws(FreeholdError) {
        try body(objects)
    }

    public func foreignChanges(of objects: [SyncObject]) throws(FreeholdError) -> [SyncForeignChange] { [] }
    public func noteRefused(_ property: Int32, of object: SyncObject) throws(FreeholdError) {}
}

/// What the server keeps of a replica.
public struct SyncLedger: Sendable {
    /// The last epoch that was applied.
    public internal(set) var epoch: UInt64 = 0
    /// The last stamp that was given in place of one too far ahead.
    var clamped = SyncStamp.none
    /// Stamps of the replica that were too far ahead, and what was given in their place: another file may bring them again, also when they
    /// are not ahead any more.
    var replaced: [SyncStamp: SyncStamp] = [:]
    /// Objects that batches named, and in which transaction: the next answer mentions them.
    public var owed: [SyncObject: UInt64] = [:]
    /// Refused changes, in the numbers of the store.
    var rejections: [(transaction: UInt64, rejection: SyncRejection)] = []

    /// The ledger of a replica that has pushed nothing.
    public init() {}
}

/// A replica that a file was before, and its epoch that was open when the file took another identity.
public struct SyncAncestor: Sendable {
    let replica: UInt32
    let openEpoch: UInt64
    /// The last stamp that the file had given then.
    let last: SyncStamp
}

/// The sum of a counter in an epoch that a copied file has pushed.
public struct SyncClaim: Hashable, Sendable {
    /// The amount, and of how many increments it is the sum.
    public struct Amount: Sendable {
        var amount: Int64
        var count: UInt32
        var trace: UInt32
    }

    let replica: UInt32
    let epoch: UInt64
    let object: SyncObject
    let property: Int32
    /// The stamp with which the sum began, and the life of the object that has it: another sum and another life owe it nothing.
    let began: SyncStamp
    let birth: UInt64
}
