// Adapting a file's classes to those of a program.
//
// Safe throughout: definitions passed in lie one `size` apart, as many as the caller states.
import CFreehold
import CShims
import FreeholdEngine

/// Creates classes that a file lacks, and compares the existing ones with those wanted.
private struct SchemaAdoption {
    let transaction: WriteTransaction
    /// Whether indexes and uniqueness that are not wanted are removed, and delete rules replaced: true for a program
    /// that states that its schema is newer. Any other program does not know what programs beside it have declared.
    let isNewer: Bool

    func adopt(_ wanted: [ClassSchema]) throws {
        let known = Set<ExactText>(exact: transaction.classes.map(\.name)), missing = wanted.filter { !known.contains($0.name) }
        try transaction.createEach(missing)
        for schema in wanted where known.contains(schema.name) { try compare(schema) }
    }

    private func compare(_ wanted: ClassSchema) throws {
        let table = try transaction.table(wanted.name), there = table.schema
        let declared = transaction.classes.first { $0.name.isSame(as: wanted.name) }
        guard (declared?.superclass).isSame(as: wanted.superclass), there.isEmbedded == wanted.isEmbedded,
              wanted.superclass != nil || there.primaryKeys.isSame(as: wanted.primaryKeys) else {
            throw FreeholdError(.schemaMismatch, "class '\(wanted.name)' has another primary key or superclass in the file, or is embedded "
                + "there alone or here alone; change it in a migration")
        }
        for property in wanted.properties {
            guard let known = there.properties.first(where: { $0.name.isSame(as: property.name) }) else {
                try transaction.addProperty(property, to: wanted.name)
                continue
            }
            guard property.isAlike(known) else {
                throw FreeholdError(.schemaMismatch, "property '\(property.name)' of class '\(wanted.name)' is \(known.shown) in the file, "
                    + "and \(property.shown) here; change it in a migration")
            }
            try bring(known, to: property, wanted)
        }
    }

    /// Applies the changes that need no migration.
    private func bring(_ known: PropertySchema, to wanted: PropertySchema, _ schema: ClassSchema) throws {
        let isKey = schema.primaryKeys.has(wanted.name)
        if wanted.isUnique, !known.isUnique {
            try transaction.addIndex(IndexSchema([wanted.name], isUnique: true), to: schema.name)
        } else if isNewer, !wanted.isUnique, known.isUnique, !isKey {
            try transaction.endUniqueness(of: wanted.name, in: schema.name)
        }
        if !wanted.isUnique, !isKey, isNewer ? wanted.isIndexed != known.isIndexed : wanted.isIndexed && !known.isIndexed && !known.isUnique {
            try transaction.setIndexed(wanted.isIndexed, wanted.name, in: schema.name)
        }
        if isNewer, wanted.deleteRule != known.deleteRule { try transaction.setDeleteRule(wanted.deleteRule, of: wanted.name, in: schema.name) }
    }
}

extension PropertySchema {
    fileprivate func isAlike(_ other: PropertySchema) -> Bool {
        type == other.type && collections == other.collections && linkTarget.isSame(as: other.linkTarget) && isNullable == other.isNullable
    }

    /// The property's type in words.
    fileprivate var shown: String {
        let value = (linkTarget.map { "a link to '\($0)'" } ?? type.name) + (isNullable && linkTarget == nil ? " or null" : "")
        return collections.reversed().reduce(value) { "\($1.name) of \($0)" }
    }
}

@c @implementation
public func freehold_schema_adopt(
    _ transaction: OpaquePointer?, _ count: Int, _ definitions: UnsafePointer<freehold_class_definition_t>?
) -> freehold_error_code_t {
    done {
        let held = try Handles.transaction(transaction), wanted = try classSchemas(definitions, count)
        defer { held.reader.schemaChanged() }
        try held.transaction.nested { try SchemaAdoption(transaction: held.transaction, isNewer: false).adopt(wanted) }
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
    let transaction = held.transaction, before = transaction.schemaVersion
    if let before, before > version {
        throw FreeholdError(.schemaMismatch, "the file's classes are of version \(before), the program's of version \(version); use a newer program")
    }
    let isNew = before == nil && transaction.classes.isEmpty
    if !isNew, (before ?? 0) < version, let callback {
        let code = callback(context, handle, before ?? 0, version)
        guard code == Outcome.ok else { throw MigrationRefused(code: code) }
        _ = try Handles.transaction(handle)
    }
    try SchemaAdoption(transaction: transaction, isNewer: (before ?? 0) < version).adopt(wanted)
    try transaction.setSchemaVersion(version)
}
