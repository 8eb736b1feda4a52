import FreeholdEngine

/// What a preview, a commit or an undo did, would do, or was prevented by.
public struct EditOutcome: Sendable {
    /// How it ended.
    public enum Status: Sendable, Equatable {
        /// Everything was done, and rolled back.
        case previewed
        case committed
        /// Nothing was changed: something is not what the tab knew, or the effect is not the one that was expected.
        case conflict
        /// Nothing was changed: the classes concerned are not those that the tab knew.
        case schemaChanged
        /// Nothing was changed: at least one operation cannot be done.
        case refused
    }

    /// What happened to the objects of one class.
    public struct ClassEffect: Sendable, Equatable {
        public let className: String
        public let inserted, deleted, changed: Int
    }

    /// An operation that cannot be done.
    public struct Refusal: Sendable, Equatable {
        /// The operation's number, from 0; nil for an undo.
        public let operation: Int?
        public let message: String
    }

    /// An object that an operation created.
    public struct Created: Sendable, Equatable {
        public let operation: Int
        public let className: String
        public let key: ObjectKey
    }

    public internal(set) var status: Status
    /// The number of objects changed, apart from those created and deleted.
    public internal(set) var objects = 0
    /// The number of properties changed in these objects.
    public internal(set) var properties = 0
    public internal(set) var inserted = 0
    public internal(set) var deleted = 0
    public internal(set) var changes: [ClassEffect] = []
    public internal(set) var conflicts: [EditConflict] = []
    public internal(set) var errors: [Refusal] = []
    /// How many conflicts and errors were left out of the lists.
    public internal(set) var omitted = 0
    public internal(set) var created: [Created] = []
    /// Whether an undo is possible, or would be after a commit.
    public internal(set) var undoable = false
    /// Whether more objects may have lost links to deleted ones than are counted: they were too many to be followed.
    public internal(set) var isAtLeast = false
    /// The version created.
    public internal(set) var version: Version?
    /// Names the commit for an undo.
    public internal(set) var undo: String?
    /// Something to tell the user about a commit that was made.
    public internal(set) var warning: String?

    init(_ status: Status) { self.status = status }

    /// The outcome as the page gets it.
    public var json: JSON {
        var members: [JSON.Member] = [
            .init("objects", .integer(objects)), .init("properties", .integer(properties)), .init("inserted", .integer(inserted)),
            .init("deleted", .integer(deleted)), .init("changes", .array(changes.map(\.json))),
            .init("conflicts", .array(conflicts.map(\.json))),
            .init("errors", .array(errors.map(\.json))), .init("created", .array(created.map(\.json))), .init("undoable", .bool(undoable)),
        ]
        if isAtLeast { members.append(.init("atLeast", true)) }
        if omitted > 0 { members.append(.init("omitted", .integer(omitted))) }
        if let version { members.append(.init("version", .integer(version.rawValue))) }
        if let undo { members.append(.init("undo", .string(undo))) }
        if let warning { members.append(.init("warning", .string(warning))) }
        return .object(members)
    }
}

extension EditOutcome.ClassEffect {
    fileprivate var json: JSON {
        ["class": .string(className), "inserted": .integer(inserted), "deleted": .integer(deleted), "changed": .integer(changed)]
    }
}

extension EditOutcome.Refusal {
    fileprivate var json: JSON {
        guard let operation else { return ["message": .string(message)] }
        return ["operation": .integer(operation), "message": .string(message)]
    }
}

extension EditOutcome.Created {
    fileprivate var json: JSON { ["operation": .integer(operation), "class": .string(className), "key": .string(key.description)] }
}
