/// A change that was not made, because something is not what the tab knew.
public struct EditConflict: Sendable, Equatable {
    /// The operation's number in the request, from 0; nil for an undo.
    public let operation: Int?
    public let className: String
    /// The object's key in decimal digits.
    public let key: String
    /// The property; nil if the whole object is concerned.
    public let property: String?
    /// What the tab knew; nil if that was not said.
    public let was: JSON?
    /// The present cell; nil if there is none.
    public let now: JSON?
    /// Whether the object, or the element, does not exist any more.
    public let isGone: Bool

    var json: JSON {
        var members: [JSON.Member] = []
        if let operation { members.append(.init("operation", .integer(operation))) }
        members.append(.init("class", .string(className)))
        members.append(.init("key", .string(key)))
        if let property { members.append(.init("property", .string(property))) }
        if let was { members.append(.init("was", was)) }
        if let now { members.append(.init("now", now)) }
        if isGone { members.append(.init("gone", true)) }
        return .object(members)
    }
}

extension EditConflict: Error {}
