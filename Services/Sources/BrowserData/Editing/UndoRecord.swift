import FreeholdEngine

/// What a commit changed, as values, so that it can be undone.
struct UndoRecord {
    /// An object with all its values.
    struct Image {
        let className: String
        var key: ObjectKey
        var values: [(name: String, value: Value)]
        /// How many objects linked to it right after the commit; for created objects only.
        var incoming = 0
    }

    /// An object that was changed.
    struct Change {
        let className: String
        var key: ObjectKey
        var properties: [(name: String, before: Value, after: Value)]
    }

    /// Objects that the commit deleted, as they were.
    var deleted: [Image] = []
    /// Objects that the commit created, as it left them.
    var inserted: [Image] = []
    var changed: [Change] = []
    /// The classes of these objects, and what belongs to them.
    var classes: [ClassSchema] = []
    /// The memory that the values take, roughly.
    var bytes = 0

    var classNames: Set<ExactText> {
        Set(exact: deleted.map(\.className) + inserted.map(\.className) + changed.map(\.className))
    }
}
