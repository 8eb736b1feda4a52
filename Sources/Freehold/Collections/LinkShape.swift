/// What leads to objects of a class, as a field's type: for each class there is another one, so the type is made of the class here. The run
/// time would look through all conformances of all libraries for each of them.
enum LinkShape: FieldShape, CaseIterable {
    case link, list, set, map, linking
    case declaredList, declaredSet, declaredMap, declaredLinking

    /// Has the fields of classes read with these.
    static func makeKnown() { ClassFields.use(shapes: allCases, models: ModelDiscovery.model) }

    /// The field's type for a class; nil if there is none.
    func type(for target: ObjectBase.Type) -> Any.Type? {
        Self.target(target).type(self)
    }

    /// A class as an existential, put together by hand: where a class in a variable is made one, an optimised build takes it for the class that
    /// the variable is declared with.
    ///
    /// Safe: an existential type of one protocol is the metadata and the way it conforms, which classes inherit.
    private static func target(_ type: ObjectBase.Type) -> any LinkTarget.Type {
        let base = unsafeBitCast(ObjectBase.self as any LinkTarget.Type, to: (UInt, UInt).self)
        return unsafeBitCast((unsafeBitCast(type, to: UInt.self), base.1), to: (any LinkTarget.Type).self)
    }
}

/// A class that properties lead to: through its type as an existential a generic type is made of it.
private protocol LinkTarget: ObjectBase {}
extension ObjectBase: LinkTarget {}

extension LinkTarget {
    fileprivate static func type(_ shape: LinkShape) -> Any.Type {
        switch shape {
        case .link: Persisted<Self?>.self
        case .list: Persisted<List<Self>>.self
        case .set: Persisted<MutableSet<Self>>.self
        case .map: Persisted<Map<String, Self?>>.self
        case .declaredList: List<Self>.self
        case .declaredSet: MutableSet<Self>.self
        case .declaredMap: Map<String, Self?>.self
        case .linking: Persisted<LinkingObjects<Self>>.self
        case .declaredLinking: LinkingObjects<Self>.self
        }
    }
}
