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
        let versions = SchemaVersions(stored: stored, declared: version, classes: classes)
        let plan = SchemaPlan(schema.classSchemas, over: classes, versions: versions, by: .models), outcome = outcome(plan)
        let changes = [.refuse, .apply, .keep].flatMap { plan.changes($0, isRaised: false) }
        return MigrationPlan(file: file, oldSchemaVersion: stored, newSchemaVersion: version, outcome: outcome,
                             differences: changes.map { $0.consequence(raised: versions.isRaised) },
                             callsBlock: outcome == .migration && hasBlock, otherClasses: plan.otherClasses, remedy: remedy(plan))
    }

    private func outcome(_ plan: SchemaPlan) -> MigrationPlan.Outcome {
        if plan.versions.isNew { return .additions }
        if deletes, version != plan.versions.stored ?? 0 || !plan.changes(.refuse, isRaised: false).isEmpty { return .deletion }
        if let refusal = plan.refusal { return .refusal(refusal) }
        if plan.versions.isRaised { return .migration }
        return plan.changes(.apply).isEmpty ? .nothing : .additions
    }

    /// What to do about a refusal.
    private func remedy(_ plan: SchemaPlan) -> String {
        if plan.versions.refusal != nil { return "A newer program migrated the file; use its schema version, or newer classes." }
        for case .superclass(_, _, let name) in plan.changes(.refuse, isRaised: true) {
            return "Give the class '\(name)' another name, and move its objects in the migration block."
        }
        return "Set schemaVersion to \((plan.versions.stored ?? 0) + 1) or more, with a migrationBlock to keep values; "
            + "deleteRealmIfMigrationNeeded deletes the contents of the file."
    }

    /// The error that opening throws for a plan that is a refusal.
    func refusal(_ plan: MigrationPlan) -> RealmError {
        guard case .refusal(let message) = plan.outcome else { return RealmError(.fail, plan.description) }
        return RealmError(version < plan.oldSchemaVersion ?? 0 ? .fail : .schemaMismatch, message, suggestion: plan.remedy)
    }
}
