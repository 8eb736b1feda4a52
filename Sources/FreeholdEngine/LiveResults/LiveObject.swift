/// One object, followed from version to version.
///
/// ```swift
/// let ada = try LiveObject(ObjectKey(1), in: "Person", at: before)
/// let changes = try ada.advance(VersionStep(from: before, to: now))
/// if changes.isGone { close() } else { redraw(changes.properties) }
/// ```
/// It holds no version. Once its object is deleted it is gone for good, also if another one gets its key. Use it on one thread at a time.
public final class LiveObject {
    /// The class that the object is looked for in.
    public let className: String
    /// The object.
    public let key: ObjectKey
    /// The version that it is known at.
    public private(set) var version: Version
    /// Whether the object was deleted.
    public private(set) var isGone = false

    /// - Throws: `.unknownClass`; `.notFound` if there is no such object.
    public init(_ key: ObjectKey, in className: String, at snapshot: Snapshot) throws(FreeholdError) {
        guard try snapshot.table(className).row(key) != nil else {
            throw FreeholdError(.notFound, "class '\(className)' has no object \(key) that could be followed")
        }
        (self.key, self.className, version) = (key, className, snapshot.version)
    }

    /// Moves to the step's newer version and tells what changed.
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

    /// Moves to a version, knowing nothing of the one before, because that is gone: every property may have changed. The object that has the
    /// key now is taken for the one that had it.
    public func restart(at snapshot: Snapshot) throws(FreeholdError) -> LiveObjectChanges {
        var changes = LiveObjectChanges()
        if !isGone {
            changes.isGone = try snapshot.table(className).row(key) == nil
            if !changes.isGone { changes.properties = try ownTable(at: snapshot).schema.properties.map(\.name) }
        }
        return move(changes, to: snapshot.version)
    }

    /// That of the object's own class, which may extend the one that it is looked for in.
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

/// What changed in one object.
public struct LiveObjectChanges: Hashable, Sendable {
    /// The names of the properties whose values differ, in the schema's order.
    public var properties: [String] = []
    /// Whether the object was deleted.
    public var isGone = false

    /// Whether nothing has changed.
    public var isEmpty: Bool { properties.isEmpty && !isGone }
}
