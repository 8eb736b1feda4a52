/// How the objects of a class are synced (`docs/sync.md`): the mark that makes it a synced class.
///
/// It stands at the class that has the table, and holds for its subclasses.
struct StoredSync: Sendable, Equatable {
    /// The kind of a property, where its type does not imply one.
    enum Kind: UInt8, Sendable {
        /// An integer whose changes are sums of increments.
        case counter = 1
        /// A property whose concurrent values the application merges.
        case merged = 2
    }

    var onConflict = SyncConflict.deletionWins
    /// The kinds of properties, by their numbers.
    var kinds: [UInt32: Kind] = [:]

    /// This mark for a class with other properties: kinds of dropped ones are left out.
    func keeping(_ properties: [StoredProperty]) -> StoredSync {
        let numbers = Set(properties.map(\.number))
        return StoredSync(onConflict: onConflict, kinds: kinds.filter { numbers.contains($0.key) })
    }
}
