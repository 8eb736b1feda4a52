import FreeholdEngine

/// The argument of a migration block: the objects of a file before the migration, and as they will be after it.
///
/// ```swift
/// configuration.schemaVersion = 2
/// configuration.migrationBlock = { migration, oldVersion in
///     if oldVersion < 1 { migration.renameProperty(onType: "Person", from: "mail", to: "email") }
///     if oldVersion < 2 {
///         migration.enumerateObjects(ofType: "Person") { old, new in
///             new!["fullName"] = "\(old!["firstName"]!) \(old!["lastName"]!)"
///         }
///     }
/// }
/// ```
/// Property names are those in the file; for other names old and new objects accept those of the program's class, too
/// (`propertiesMapping()`). `renameProperty` takes names in the file only. All changes by the block are committed at
/// once, after it has returned: if it throws, or objects do not fit the new classes, the file stays as it was and
/// opening it throws.
public final class Migration {
    /// The classes of the file before the migration.
    public let oldSchema: Schema
    /// The classes of the program.
    public let newSchema: Schema
    let old: RealmCore
    let new: RealmCore
    private let steps: MigrationSteps
    private let oldNames: Set<ExactText>
    private let newNames: Set<ExactText>
    /// The first error; it fails the migration.
    private(set) var failure: RealmError?
    /// Classes that the program does not have and that are dropped at the end.
    private(set) var dropped: [String] = []

    init(_ steps: MigrationSteps, old: RealmCore, new: RealmCore) throws {
        self.steps = steps
        self.old = old
        self.new = new
        let stored = try old.storedClasses()
        oldSchema = Schema(try stored.map { ObjectSchema(try old.engineTable($0.name).schema, superclass: $0.superclass) })
        newSchema = Schema(steps.schema.classes.map { ObjectSchema($0) })
        oldNames = Set(exact: stored.map(\.name))
        newNames = Set(exact: steps.schema.classes.map(\.name))
    }

    /// Calls `block` with each object of a class, in its old and its new state.
    ///
    /// For a class that the program no longer has the new object is nil; for a new class the old object is nil. Objects
    /// that the block has deleted are left out.
    public func enumerateObjects(ofType typeName: String, _ block: (_ old: MigrationObject?, _ new: MigrationObject?) throws -> Void) rethrows {
        let isNew = newNames.contains(typeName)
        guard oldNames.contains(typeName) else {
            for key in isNew ? keys(typeName, new) : [] { if let object = object(typeName, key, new) { try block(nil, object) } }
            return
        }
        for key in keys(typeName, old) {
            let changed = isNew ? object(typeName, key, new) : nil
            if isNew, changed == nil { continue }
            try block(object(typeName, key, old), changed)
        }
    }

    private func keys(_ name: String, _ core: RealmCore) -> [ObjectKey] { core.attempt([]) { try core.engineTable(name).keys() } }

    private func object(_ name: String, _ key: ObjectKey, _ core: RealmCore) -> MigrationObject? {
        core.attempt(nil) { try core.dynamicClass(named: name, as: DynamicObject.self).object(key) as? DynamicObject }
    }

    /// Creates an object of a class that the program has. See `Realm.create`.
    @discardableResult
    public func create(_ typeName: String, value: Any = [String: Any]()) -> MigrationObject {
        guard newNames.contains(typeName) else {
            fail("Cannot create an object of class '\(typeName)': the program has no such class.")
            return DynamicObject()
        }
        return new.attempt(nil) { try DynamicWriting(core: new).create(typeName, value, .error) } ?? DynamicObject()
    }

    /// Deletes an object, given in its old or its new state.
    public func delete(_ object: MigrationObject) {
        guard object.core === old else { return new.delete([object]) }
        if let changed = self.object(object.className, ObjectKey(object._key), new) { new.delete([changed]) }
    }

    /// Deletes every object of a class; a class that the program no longer has is dropped.
    ///
    /// - Returns: whether the file had the class.
    @discardableResult
    public func deleteData(forType typeName: String) -> Bool {
        guard oldNames.contains(typeName) else { return false }
        do { try steps.deleteObjects(of: typeName) } catch { fail("\(error)") }
        if !newNames.contains(typeName), !dropped.has(typeName) { dropped.append(typeName) }
        new.schemaChanged()
        return true
    }

    /// Renames a property that the program no longer has, so that its values are kept.
    ///
    /// Both have to be of the same type; a property that cannot be renamed fails the migration.
    public func renameProperty(onType typeName: String, from oldName: String, to newName: String) {
        do {
            try steps.rename(oldName, to: newName, in: typeName)
            new.schemaChanged()
        } catch let error as RealmError { fail(error.message) } catch { fail("\(error)") }
    }

    private func fail(_ message: String) {
        if failure == nil { failure = RealmError(.fail, message) }
    }
}

/// Converts a file of an older schema version to the newer one.
///
/// - Parameter oldSchemaVersion: the schema version of the file.
/// - Throws: any error, to fail the migration; opening the file rethrows it.
public typealias MigrationBlock = @Sendable (_ migration: Migration, _ oldSchemaVersion: UInt64) throws -> Void

/// An object within a migration.
public typealias MigrationObject = DynamicObject

/// Called with each object of a class in a migration, in its old and its new state.
public typealias MigrationObjectEnumerateBlock = (_ oldObject: MigrationObject?, _ newObject: MigrationObject?) -> Void
