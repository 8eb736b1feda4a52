import FreeholdEngine

/// What opening a file with a configuration would do to its classes. `print` shows it line by line.
///
/// ```swift
/// print(try Realm.migrationPlan(for: configuration))
/// // people.freehold: schema version 1 → 2
/// // - Property 'Person.age' has been changed from 'int' to 'string'.
/// // - Property 'Person.nick' has been removed. Its values are dropped.
/// // The migration block is called.
/// ```
public struct MigrationPlan: Sendable, Equatable, CustomStringConvertible {
    /// The effect of opening the file.
    public enum Outcome: Sendable, Equatable {
        /// No change is needed.
        case nothing
        /// The file is new, or only additions are needed, which need no migration.
        case additions
        /// The schema version is raised: the file is migrated.
        case migration
        /// All content of the file is deleted (`deleteRealmIfMigrationNeeded`).
        case deletion
        /// Opening throws this message.
        case refusal(String)
    }

    /// The path or name of the file.
    public let file: String
    /// The schema version in the file; nil if it has none.
    public let oldSchemaVersion: UInt64?
    /// The schema version of the configuration.
    public let newSchemaVersion: UInt64
    /// The effect of opening the file.
    public let outcome: Outcome
    /// The differences between the file's classes and the program's, one sentence each.
    public let differences: [String]
    /// Whether a migration block would be called.
    public let callsBlock: Bool
    /// Classes of the file that the program does not have; they stay.
    public let otherClasses: [String]
    /// What to do about a refusal.
    let remedy: String

    public var description: String {
        let versions = oldSchemaVersion.map { "schema version \($0) → \(newSchemaVersion)" } ?? "no schema version → \(newSchemaVersion)"
        var lines = ["\(file): \(versions)"] + differences.map { "- \($0)" }
        switch outcome {
        case .nothing: lines.append("Nothing has to be changed.")
        case .additions: lines.append("The update is automatic.")
        case .migration: lines.append(callsBlock ? "The migration block is called." : "There is no migration block.")
        case .deletion: lines.append("All contents of the file are deleted first.")
        case .refusal(let message): lines.append("Opening throws: \(message)")
        }
        if !otherClasses.isEmpty { lines.append("Classes that the program does not declare are kept: \(otherClasses.joined(separator: ", ")).") }
        return lines.joined(separator: "\n")
    }
}

extension SchemaChange {
    /// The description of the change, and what a migration does about it.
    func consequence(raised: Bool) -> String {
        switch self {
        case .removedProperty where !raised, .removedIndex where !raised, .removedFullText where !raised, .removedPlaces where !raised,
             .removedVectors where !raised:
            "\(self) It is kept until the schema version is raised."
        case .removedProperty: "\(self) Its values are dropped."
        case .type(let old, let new, _) where raised:
            Self.converts(old, new) ? "\(self) Values are converted where the conversion is lossless." : "\(self) Its values are dropped, unless the block copies them."
        case .nullability(let property, _) where raised && !property.isNullable: "\(self) nil becomes 0, empty or false."
        default: "\(self)"
        }
    }
}
