import FreeholdEngine

/// Equality of objects.
///
/// Frozen objects, and objects of a class with a primary key, are equal if they represent the same object of the same
/// realm. Other objects are equal only to themselves; `isSameObject(as:)` compares those, too.
extension ObjectBase: Hashable {
    public static func == (left: ObjectBase, right: ObjectBase) -> Bool {
        left === right || left.identifiesByKey && left.isSameRow(as: right)
    }

    public func hash(into hasher: inout Hasher) {
        if identifiesByKey { hasher.combine(_key) } else { hasher.combine(ObjectIdentifier(self)) }
    }

    private var identifiesByKey: Bool { core.map { $0.isFrozen || live(in: $0).model.primaryKey != nil } ?? false }

    final func isSameRow(as other: ObjectBase) -> Bool {
        guard let core, core === other.core, _row >= 0, other._row >= 0, generation == other.generation else { return false }
        guard _key == other._key else { return false }
        if classNumber == other.classNumber { return true }
        let one = live(in: core), second = other.live(in: core)
        // An object may have been read, or added, as one of a superclass, or without a class of the program.
        guard one.model.isDynamic || second.model.isDynamic else { return one.model.root === second.model.root }
        guard core.enter() else { return false }
        return core.attempt(false) { try one.held().table.reference(to: ObjectKey(_key)) == second.held().table.reference(to: ObjectKey(_key)) }
    }

    /// Whether both represent the same object of the same realm. An unmanaged object is the same as itself.
    public final func isSameObject(as other: ObjectBase?) -> Bool { other.map { $0 === self || isSameRow(as: $0) } ?? false }
}
