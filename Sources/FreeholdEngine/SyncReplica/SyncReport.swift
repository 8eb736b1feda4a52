/// What an answer has decided against changes of this file: for the program that made them.
public struct SyncReport: Sendable {
    /// Why a change was lost.
    public enum Reason: String, Sendable {
        /// Another write of the property is later.
        case beaten
        /// The object was deleted elsewhere.
        case deleted
        /// The object was deleted here, and changed or created anew elsewhere: it is there again.
        case updated
        /// The user does not see the object any more, or never did.
        case notVisible
        /// The user may not change the property.
        case notAllowed
        /// The property, which the application merges, had another value at the server.
        case conflict
        /// Another object has the unique value.
        case notUnique
        /// The file cannot have the value that the server has: its property has another type.
        case unknown

        init(_ reason: SyncRejection.Reason) {
            self = switch reason {
            case .deleted: .deleted
            case .notVisible: .notVisible
            case .notAllowed: .notAllowed
            case .conflict: .conflict
            case .notUnique: .notUnique
            case .unknown: .unknown
            }
        }
    }

    /// One change that was lost.
    public struct Loss: Sendable, Equatable {
        public let className: String
        public let primaryKey: Value
        /// The property, dotted within embedded objects; nil for the object as a whole.
        public let property: String?
        public let reason: Reason
    }

    /// The losses, in no order.
    public internal(set) var losses: [Loss] = []
    /// The number of objects that the answer has changed or removed here.
    public internal(set) var changedObjects = 0
    /// Whether the answer was a reset.
    public internal(set) var isReset = false

    public init() {}

    /// Adds what a later answer has decided.
    public mutating func add(_ later: SyncReport) {
        losses += later.losses
        changedObjects += later.changedObjects
        isReset = isReset || later.isReset
    }
}

/// A property with two values that were written at the same time, which the application merges.
public struct SyncConflictCase: Sendable {
    public let className: String
    public let primaryKey: Value
    public let property: String
    /// The value of this file, and that of the server.
    public let mine: Value
    public let theirs: Value
}
