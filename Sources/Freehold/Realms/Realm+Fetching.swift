/// A type that a realm returns results of: objects, and projections of objects.
public protocol RealmFetchable: RealmCollectionValue {
    /// The name of the class in files.
    static func className() -> String
}

extension Object: RealmFetchable {}

extension Realm {
    /// The objects of a class, or projections of all of them, for generic code in which only the caller knows which.
    ///
    /// ```swift
    /// func all<Shown: RealmFetchable>(_ type: Shown.Type) -> [Shown] { Array(realm.objects(type)) }
    /// ```
    @_disfavoredOverload
    public func objects<Element: RealmFetchable>(_ type: Element.Type) -> Results<Element> {
        let model = (type as? any ObjectView.Type)?.viewed ?? type as? ObjectBase.Type
        return Results(found: TableSource(model.flatMap { core.present($0) }, in: core))
    }
}
