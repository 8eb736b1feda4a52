/// Spellings of Realm's first versions.
extension Realm {
    /// Adds an object; one with its primary key is changed if `update` is true.
    @available(*, deprecated, message: "say add(_:update: .all), or .error")
    public func add(_ object: Object, update: Bool) { add(object, update: update ? .all : .error) }

    /// Adds several objects; those with their primary keys are changed if `update` is true.
    @available(*, deprecated, message: "say add(_:update: .all), or .error")
    public func add<Objects: Sequence>(_ objects: Objects, update: Bool) where Objects.Element: Object { add(objects, update: update ? .all : .error) }

    /// Makes an object of values; one with its primary key is changed if `update` is true.
    @available(*, deprecated, message: "say create(_:value:update: .modified), or .error")
    @discardableResult
    public func create<Model: Object>(_ type: Model.Type, value: Any = [String: Any](), update: Bool) -> Model {
        create(type, value: value, update: update ? .modified : .error)
    }
}
