/// What became of a collection that is observed.
///
/// ```swift
/// let token = dogs.observe { change in
///     switch change {
///     case .initial(let dogs): show(dogs)
///     case .update(let dogs, let deletions, let insertions, let modifications):
///         for place in deletions.reversed() { rows.remove(at: place) }
///         for place in insertions { rows.insert(row(dogs[place]), at: place) }
///     case .error(let error): print(error)
///     }
/// }
/// ```
/// Deletions and modifications are places in the collection as it was, insertions in the collection as it is; all ascend. What moved is
/// deleted and inserted.
public enum RealmCollectionChange<Collection> {
    /// As it is at the beginning; or again, where nobody can say any more what changed since it was told last.
    case initial(Collection)
    /// It changed.
    case update(Collection, deletions: [Int], insertions: [Int], modifications: [Int])
    /// It cannot be observed any more, as another program has changed its class.
    case error(any Error)
}

/// What became of a map that is observed, by its keys.
public enum RealmMapChange<Collection: RealmKeyedCollection> {
    /// As it is at the beginning; or again, where nobody can say any more what changed since it was told last.
    case initial(Collection)
    /// Keys are gone, came, or have another value; all ascend.
    case update(Collection, deletions: [Collection.Key], insertions: [Collection.Key], modifications: [Collection.Key])
    /// It cannot be observed any more, as another program has changed its class.
    case error(any Error)
}

/// What became of an object that is observed, or of a projection's.
public enum ObjectChange<Shown> {
    /// Properties have other values.
    case change(Shown, [PropertyChange])
    /// It was deleted; nothing follows.
    case deleted
    /// It cannot be observed any more, as another program has changed its class.
    case error(any Error)
}

/// A property that changed.
public struct PropertyChange {
    /// Its name.
    public let name: String
    /// What it was; nil if that was nothing, for collections, and for links to what is deleted. An object that was linked to is as it is now.
    public let oldValue: Any?
    /// What it is; nil if that is nothing, and for collections of objects' own, which are live.
    public let newValue: Any?
}
