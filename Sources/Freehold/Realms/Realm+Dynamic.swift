import FreeholdEngine

/// Access to classes by name, including classes of the file that the program does not declare.
extension Realm {
    /// The classes that the realm was opened with.
    public var schema: Schema { Schema(core.schema.classes.map { ObjectSchema($0) }) }

    /// Every class of the file in the realm's version, including classes of other programs.
    public var storedSchema: Schema {
        guard core.enter() else { return Schema([]) }
        return core.attempt(Schema([])) {
            Schema(try core.storedClasses().map { ObjectSchema(try core.engineTable($0.name).schema, superclass: $0.superclass) })
        }
    }

    /// The objects of a class and its subclasses, by the class's name in the file.
    ///
    /// ```swift
    /// for person in realm.dynamicObjects("Person") { print(person["name"] ?? "nobody") }
    /// ```
    public func dynamicObjects(_ typeName: String) -> Results<DynamicObject> { Results(TableSource(dynamicClass(typeName), in: core)) }

    /// The object with a primary key of a class, by the class's name in the file; nil if there is none.
    public func dynamicObject(ofType typeName: String, forPrimaryKey key: Any) -> DynamicObject? {
        guard let live = dynamicClass(typeName) else { return nil }
        return core.attempt(nil) { try live.object(primaryKey: key) as? DynamicObject }
    }

    /// Creates an object of a class, by its name in the file, from a dictionary, an array or another object; the rules
    /// are those of `create`.
    @discardableResult
    public func dynamicCreate(_ typeName: String, value: Any = [String: Any](), update: UpdatePolicy = .error) -> DynamicObject {
        guard core.enter(), core.requireWrite(), dynamicClass(typeName) != nil else { return DynamicObject() }
        return core.attempt(nil) { try DynamicWriting(core: core).create(typeName, value, update) } ?? DynamicObject()
    }

    private func dynamicClass(_ name: String) -> LiveClass? {
        guard core.enter() else { return nil }
        do { return try core.dynamicClass(named: name, as: DynamicObject.self) } catch {
            Misuse.report("Object type '\(name)' is not managed by the Realm.", hint: "\(error.message)")
            return nil
        }
    }
}
