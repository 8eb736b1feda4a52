/// One object, followed from version to version.
///
/// ```swift
/// let ada = try LiveObject(ObjectKey(1), in: "Person", at: before)
/// let changes = try ada.advance(VersionStep(from: before, to: now))
/// if changes.isGone { close() } else { redraw(changes.properties) }
/// ```
/// It holds no version. Once its object is deleted it stays deleted, even if another object gets its key. Use it on one
/// thread at a time.
public final class LiveObject {
    /// The class in which the object is looked up.
    public let className: String
    /// The key of the object.
    public let key: ObjectKey
    /// The version that the last step led to.
    public private(set) var version: Version
    /// Whether the object was deleted.
    public private(set) var isGone = false
    /// The number of the object's table.
    private(set) var table: Int

    /// - Throws: `.unknownClass`; `.notFound` if the object does not exist.
    public init(_ key: ObjectKey, in className: String, at snapshot: Snapshot) throws(FreeholdError) {
        let table = try snapshot.table(className)
        guard try table.row(key) != nil else {
            throw FreeholdError(.notFound, "class '\(className)' has no object \(key) that could be followed")
        }
        (self.key, self.className, self.table, version) = (key, className, table.tableNumber, snapshot.version)
    }

    /// Moves to the step's newer version and returns the changes.
    ///
    /// - Throws: `.invalidArgument` if the step does not begin at `version`; `.unknownClass` if the newer version does not have the class.
    public func advance(_ step: VersionStep) throws(FreeholdError) -> LiveObjectChanges {
        try step.requireBegin(at: version)
        var changes = LiveObjectChanges()
        if !isGone, let change = try step.change(of: key, in: className) {
            if change.kind == .changed {
                changes.properties = change.changedProperties(of: try ownTable(at: step.newer))
            } else {
                changes.isGone = true
            }
        }
        return move(changes, to: step.newer.version)
    }

    /// Moves to a version without the one before, because that is no longer available: every property may have changed.
    /// The object that has the key now is assumed to be the same one.
    public func restart(at snapshot: Snapshot) throws(FreeholdError) -> LiveObjectChanges {
        var changes = LiveObjectChanges()
        if !isGone {
            let now = try snapshot.table(className)
            table = now.tableNumber
            changes.isGone = try now.row(key) == nil
            if !changes.isGone { changes.properties = try ownTable(at: snapshot).schema.properties.map(\.name) }
        }
        return move(changes, to: snapshot.version)
    }

    /// The table of the object's own class, which may be a subclass of `className`.
    private func ownTable(at snapshot: Snapshot) throws(FreeholdError) -> Table {
        let table = try snapshot.table(className)
        guard let name = try table.row(key)?.className, !name.isSame(as: className) else { return table }
        return try snapshot.table(name)
    }

    private func move(_ changes: LiveObjectChanges, to version: Version) -> LiveObjectChanges {
        if changes.isGone { isGone = true }
        self.version = version
        return changes
    }
}

/// The changes in one object.
public struct LiveObjectChanges: Hashable, Sendable {
    /// The names of the properties whose values differ, in the schema's order.
    public var properties: [String] = []
    /// Whether the object was deleted.
    public var isGone = false

    /// Whether there are no changes.
    public var isEmpty: Bool { properties.isEmpty && !isGone }
}
