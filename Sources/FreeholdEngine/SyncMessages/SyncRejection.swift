/// A change that the server has refused, for the program that made it.
public struct SyncRejection: Hashable, Sendable {
    /// What was to be changed.
    public enum Place: Hashable, Sendable {
        case deletion
        case creation
        case register(SyncPath)
        case member(property: Int32, element: SyncValue)
        case element(property: Int32, element: SyncIdentity, act: SyncChange.Act)
        case counter(property: Int32)
        /// Of a class or property that the server does not have, by name; nil for the object as a whole. The type of the object says
        /// nothing then. Servers refuse such batches as a whole; earlier ones applied the rest, and wrote this.
        case unknown(className: String, property: String?)
    }

    /// Why it was refused.
    public enum Reason: UInt8, Hashable, Sendable {
        /// The object is deleted, or another one has its key.
        case deleted
        /// The user does not see the object.
        case notVisible
        /// The user may not change the property.
        case notAllowed
        /// A property that the application merges has another value that the writer did not know.
        case conflict
        /// Another object has the unique value.
        case notUnique
        /// The server has no such class or property, or the value is of another kind (of earlier servers).
        case unknown
    }

    public var object: SyncObject
    public var place: Place
    public var reason: Reason
    /// The refused change, with its own stamp.
    public var entry: SyncEntry

    public init(object: SyncObject, place: Place, reason: Reason, entry: SyncEntry) {
        self.object = object
        self.place = place
        self.reason = reason
        self.entry = entry
    }
}
