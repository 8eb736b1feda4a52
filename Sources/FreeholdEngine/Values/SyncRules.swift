/// How the objects of a class are synced; a class that has rules is a synced class.
///
/// ```swift
/// var item = ClassSchema("Item", primaryKey: "id", [PropertySchema("id", .uuid), PropertySchema("stock", .int)])
/// item.syncRules = SyncRules(counters: ["stock"])
/// ```
/// From the commit that declares them on, each commit notes what it changes in objects of the class, and of its subclasses, for
/// the server: `docs/sync.md` has the rules by which changes of several devices are merged. Programs that do not know
/// synced classes can read the file, and not write it.
public struct SyncRules: Sendable, Hashable {
    /// The effect of a change to an object that another device deletes at the same time.
    public var onConflict: SyncConflict
    /// Integer properties whose changes are added up: two devices that take one each have taken two.
    public var counters: [String]
    /// Properties of which the application merges two values that were written at the same time: single values, no collections.
    public var merged: [String]

    public init(onConflict: SyncConflict = .deletionWins, counters: [String] = [], merged: [String] = []) {
        self.onConflict = onConflict
        self.counters = counters
        self.merged = merged
    }
}

/// The effect of a change to an object that another device deletes at the same time.
public enum SyncConflict: UInt8, Sendable {
    /// The object stays deleted, and the change is reported as lost.
    case deletionWins = 0
    /// The object is created again, with the change.
    case updateWins = 1
}

extension SyncRules {
    /// Whether both say the same; names are compared by their bytes, and their order does not count.
    public static func == (left: SyncRules, right: SyncRules) -> Bool {
        left.onConflict == right.onConflict && Set(exact: left.counters) == Set(exact: right.counters)
            && Set(exact: left.merged) == Set(exact: right.merged)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(onConflict)
        hasher.combine(Set(exact: counters))
        hasher.combine(Set(exact: merged))
    }

    /// Whether they say what others say, and perhaps the kinds of more properties.
    func adds(to other: SyncRules) -> Bool {
        onConflict == other.onConflict && Set(exact: counters).isSuperset(of: Set(exact: other.counters))
            && Set(exact: merged).isSuperset(of: Set(exact: other.merged))
    }

    /// The rules, as messages show them: `deletions win; counters stock, sold; merged tags`.
    public var text: String {
        var parts = [onConflict == .deletionWins ? "deletions win" : "updates win"]
        if !counters.isEmpty { parts.append("counters \(counters.joined(separator: ", "))") }
        if !merged.isEmpty { parts.append("merged \(merged.joined(separator: ", "))") }
        return parts.joined(separator: "; ")
    }
}
