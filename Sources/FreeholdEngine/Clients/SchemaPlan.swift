/// What using a file with a program's classes takes: the differences, and what the interface's policy does about each.
///
/// ```
/// the file's classes ─┐                                 ┌─ apply:  changed by `SchemaAdoption`
///                     ├─ SchemaComparison ─► changes ─ SchemaPolicy ─┼─ keep:   nothing is done
/// the program's ──────┘                                 └─ refuse: one message names them all
/// ```
public struct SchemaPlan: Sendable {
    /// All differences, in the order of the declared classes.
    public let changes: [SchemaChange]
    /// Classes of the file that the program does not declare; they stay.
    public let otherClasses: [String]
    /// The file's and the program's schema versions.
    public let versions: SchemaVersions
    private let policy: SchemaPolicy

    public init(_ declared: [ClassSchema], over stored: [ClassSchema], versions: SchemaVersions, by policy: SchemaPolicy) {
        changes = SchemaComparison(stored, declared, comparesLinks: policy.comparesLinks).changes
        let names = Set(exact: declared.map(\.name))
        otherClasses = stored.map(\.name).filter { !names.contains($0) }
        self.versions = versions
        self.policy = policy
    }

    /// The changes that a rule holds for.
    public func changes(_ rule: SchemaPolicy.Rule) -> [SchemaChange] { changes(rule, isRaised: versions.isRaised) }

    /// The changes that a rule holds for, if the program's schema version is higher than the file's, or if it is not.
    public func changes(_ rule: SchemaPolicy.Rule, isRaised: Bool) -> [SchemaChange] {
        changes.filter { policy.rule(for: $0.kind, isRaised: isRaised) == rule }
    }

    /// Why the file cannot be used with the program's classes; nil if it can, once the changes are applied.
    public var refusal: String? { versions.refusal ?? Self.message(about: changes(.refuse)) }

    /// The message that names changes which have to be made in a migration; nil if there are none.
    static func message(about changes: [SchemaChange]) -> String? {
        if changes.isEmpty { return nil }
        return "Migration is required due to the following errors:\n" + changes.map { "- \($0)" }.joined(separator: "\n")
    }
}

/// The version numbers of a file's classes and of a program's.
public struct SchemaVersions: Sendable {
    /// The schema version of the file; nil if no program has set one.
    public let stored: UInt64?
    /// The schema version of the program; nil if it states none.
    public let declared: UInt64?
    /// Whether the file has neither a version nor classes: there is nothing to migrate.
    public let isNew: Bool

    /// - Parameter classes: the classes of the file.
    public init(stored: UInt64?, declared: UInt64?, classes: [ClassSchema]) {
        self.stored = stored
        self.declared = declared
        isNew = stored == nil && classes.isEmpty
    }

    /// Whether the program's version is higher than the file's, which counts as 0 if it has none.
    public var isRaised: Bool { !isNew && declared ?? 0 > stored ?? 0 }

    /// Why a program of an older version cannot use the file; nil if its version is not older.
    public var refusal: String? {
        guard let stored, let declared, declared < stored else { return nil }
        return "Provided schema version \(declared) is less than last set version \(stored)."
    }
}
