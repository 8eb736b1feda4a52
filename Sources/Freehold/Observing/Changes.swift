/// A change of an observed collection.
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
/// Deletions and modifications are positions in the old collection, insertions are positions in the new one; all
/// ascend. An element that moved is deleted and inserted.
public enum RealmCollectionChange<Collection> {
    /// The collection at the beginning; sent again when the changes since the last notification are unknown.
    case initial(Collection)
    /// The collection changed.
    case update(Collection, deletions: [Int], insertions: [Int], modifications: [Int])
    /// The collection can no longer be observed, because another program changed its class.
    case error(any Error)
}

/// A change of an observed map, by its keys.
public enum RealmMapChange<Collection: RealmKeyedCollection> {
    /// The map at the beginning; sent again when the changes since the last notification are unknown.
    case initial(Collection)
    /// Keys were deleted, inserted or have another value; all ascend.
    case update(Collection, deletions: [Collection.Key], insertions: [Collection.Key], modifications: [Collection.Key])
    /// The map can no longer be observed, because another program changed its class.
    case error(any Error)
}

/// A change of an observed object or projection.
public enum ObjectChange<Shown> {
    /// Properties have other values.
    case change(Shown, [PropertyChange])
    /// The object was deleted; nothing follows.
    case deleted
    /// The object can no longer be observed, because another program changed its class.
    case error(any Error)
}

/// A property that changed.
public struct PropertyChange {
    /// The name of the property.
    public let name: String
    /// The old value; nil if it was nil, for collections, and for links to deleted objects. A linked object is in its
    /// present state.
    public let oldValue: Any?
    /// The new value; nil if it is nil, and for the object's own collections, which are live.
    public let newValue: Any?
}
