// Adapting a file's classes to those of a program.
//
// Safe throughout: definitions passed in lie one `size` apart, as many as the caller states.
import CFreehold
import CShims
import FreeholdEngine

extension HeldTransaction {
    /// Adapts the file's classes to the definitions, all or nothing.
    fileprivate func apply(_ adoption: SchemaAdoption) throws {
        defer { reader.schemaChanged() }
        try transaction.nested {
            if let refusal = adoption.plan.refusal {
                throw FreeholdError(.schemaMismatch, "\(refusal)\nChange the file's classes in a migration, or the definitions.")
            }
            do { try adoption.apply(uniqueLater: isMigrating) } catch let failure as SchemaFailure { throw failure.cause }
        }
    }
}

@c @implementation
public func freehold_schema_adopt(
    _ transaction: OpaquePointer?, _ count: Int, _ definitions: UnsafePointer<freehold_class_definition_t>?
) -> freehold_error_code_t {
    done {
        let held = try Handles.transaction(transaction), wanted = try classSchemas(definitions, count)
        try held.apply(SchemaAdoption(wanted, version: nil, in: held.transaction, by: .definitions))
    }
}

/// The error of a migration whose callback did not return FREEHOLD_OK.
private struct MigrationRefused: Error {
    let code: freehold_error_code_t

    /// Returns the code. If a call within the callback failed with it, that error is the last one already; another code
    /// becomes the last error.
    func told() -> freehold_error_code_t {
        if freehold_shim_last_error_code() != code {
            record(FreeholdError(FreeholdError.Code(rawValue: code), "the migration's callback returned \(code)"))
        }
        return code
    }
}

@c @implementation
public func freehold_schema_update(
    _ database: OpaquePointer?, _ version: UInt64, _ count: Int, _ definitions: UnsafePointer<freehold_class_definition_t>?,
    _ callback: freehold_migration_callback_t?, _ context: UnsafeMutableRawPointer?
) -> freehold_error_code_t {
    outcome {
        let owner = try Handles.object(database, OpenDatabase.self), wanted = try classSchemas(definitions, count)
        let (held, handle) = try HeldTransaction.make(try owner.database.beginWrite(), of: owner)
        do {
            try update(held, handle, to: version, wanted, callback, context)
            try held.end()
            try Handles.end(handle, HeldTransaction.self)
            _ = try held.commit(.full)
            return Outcome.ok
        } catch {
            // After a failed commit the handle has ended.
            _ = try? held.end()
            _ = try? Handles.end(handle, HeldTransaction.self)
            held.rollback()
            if let refused = error as? MigrationRefused { return refused.told() }
            throw error
        }
    }
}

private func update(
    _ held: HeldTransaction, _ handle: OpaquePointer, to version: UInt64, _ wanted: [ClassSchema],
    _ callback: freehold_migration_callback_t?, _ context: UnsafeMutableRawPointer?
) throws {
    let adoption = SchemaAdoption(wanted, version: version, in: held.transaction, by: .definitions), versions = adoption.versions
    if let refusal = versions.refusal { throw FreeholdError(.schemaMismatch, "\(refusal) Use a newer program.") }
    if versions.isRaised, let callback {
        held.isMigrating = true
        let code = callback(context, handle, versions.stored ?? 0, version)
        held.isMigrating = false
        guard code == Outcome.ok else { throw MigrationRefused(code: code) }
        _ = try Handles.transaction(handle)
    }
    try held.apply(adoption)
    try held.transaction.setSchemaVersion(version)
}
