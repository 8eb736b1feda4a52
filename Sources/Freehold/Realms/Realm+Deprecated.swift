/// Deprecated spellings of Realm's first versions.
extension Realm {
    /// Adds an object. If `update` is true, an existing object with its primary key is changed.
    @available(*, deprecated, message: "use add(_:update: .all), or .error")
    public func add(_ object: Object, update: Bool) { add(object, update: update ? .all : .error) }

    /// Adds several objects. If `update` is true, existing objects with their primary keys are changed.
    @available(*, deprecated, message: "use add(_:update: .all), or .error")
    public func add<Objects: Sequence>(_ objects: Objects, update: Bool) where Objects.Element: Object { add(objects, update: update ? .all : .error) }

    /// Creates an object from values. If `update` is true, an existing object with its primary key is changed.
    @available(*, deprecated, message: "use create(_:value:update: .modified), or .error")
    @discardableResult
    public func create<Model: Object>(_ type: Model.Type, value: Any = [String: Any](), update: Bool) -> Model {
        create(type, value: value, update: update ? .modified : .error)
    }
}
