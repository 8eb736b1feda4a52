import FreeholdEngine

/// Decides what opening a file with a program's classes does.
struct SchemaPlanning {
    let schema: ModelSchema
    /// The schema version of the program.
    let version: UInt64
    let hasBlock: Bool
    /// Whether a file that does not fit is emptied.
    let deletes: Bool
    /// The path or name of the file.
    let file: String

    /// The plan for opening a file with these classes.
    func plan(_ stored: UInt64?, _ classes: [ClassSchema]) -> MigrationPlan {
        let comparison = SchemaComparison(classes, schema), isNew = stored == nil && classes.isEmpty
        let raised = !isNew && version > stored ?? 0
        let outcome = outcome(comparison, isNew: isNew, stored)
        let changes = comparison.of(.difference) + comparison.of(.addition) + comparison.of(.removal)
        return MigrationPlan(file: file, oldSchemaVersion: stored, newSchemaVersion: version, outcome: outcome,
                             differences: changes.map { $0.consequence(raised: raised) },
                             callsBlock: outcome == .migration && hasBlock, otherClasses: comparison.others)
    }

    private func outcome(_ comparison: SchemaComparison, isNew: Bool, _ stored: UInt64?) -> MigrationPlan.Outcome {
        if isNew { return .additions }
        let old = stored ?? 0, differences = comparison.of(.difference)
        if deletes, version != old || !differences.isEmpty { return .deletion }
        if version < old { return .refusal("Provided schema version \(version) is less than last set version \(old).") }
        if version > old { return .migration }
        if !differences.isEmpty {
            return .refusal("Migration is required due to the following errors:\n" + differences.map { "- \($0)" }.joined(separator: "\n"))
        }
        return comparison.of(.addition).isEmpty ? .nothing : .additions
    }

    /// The error that opening throws for a plan that is a refusal.
    func refusal(_ plan: MigrationPlan) -> RealmError {
        guard case .refusal(let message) = plan.outcome else { return RealmError(.fail, plan.description) }
        let old = plan.oldSchemaVersion ?? 0
        if version < old { return RealmError(.fail, message, suggestion: "A newer program migrated the file; use its schema version, or newer classes.") }
        return RealmError(.schemaMismatch, message, suggestion: "Set schemaVersion to \(old + 1) or more, with a migrationBlock to keep values; "
            + "deleteRealmIfMigrationNeeded deletes the contents of the file.")
    }
}
