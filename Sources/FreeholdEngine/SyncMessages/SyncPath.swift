/// What a value belongs to: a property, an entry of a map, or a property of an embedded object.
///
/// Properties of embedded objects have numbers among those of the class that embeds them, under dotted names (`address.city`).
public struct SyncPath: Hashable, Sendable {
    /// The number of the property in the message's `SyncNames`.
    public var property: Int32
    /// The embedded object that has the property, or `.none`.
    public var instance: SyncIdentity
    /// The key of an entry of a map, or null.
    public var key: SyncValue

    public init(property: Int32, instance: SyncIdentity = .none, key: SyncValue = .null) {
        self.property = property
        self.instance = instance
        self.key = key
    }
}
