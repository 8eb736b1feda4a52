/// What an answer has decided against changes of this file: for the program that made them.
package struct SyncReport: Sendable {
    /// Why a change was lost.
    package enum Reason: Sendable, Equatable {
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
        /// The server does not know the property, or the value is of another kind.
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
    package struct Loss: Sendable, Equatable {
        package let className: String
        package let primaryKey: Value
        /// The property, dotted within embedded objects; nil for the object as a whole.
        package let property: String?
        package let reason: Reason
    }

    /// The losses, in no order.
    package internal(set) var losses: [Loss] = []
    /// The number of objects that the answer has changed or removed here.
    package internal(set) var changedObjects = 0
    /// Whether the answer was a reset.
    package internal(set) var isReset = false
}

/// A property with two values, which the application merges.
package struct SyncConflictCase: Sendable {
    package let className: String
    package let primaryKey: Value
    package let property: String
    /// The value of this file, and that of the server.
    package let mine: Value
    package let theirs: Value
}
