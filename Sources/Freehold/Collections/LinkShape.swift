/// What leads to objects of a class, as a field's type: for each class there is another one, so the type is made of the class here. The run
/// time would look through all conformances of all libraries for each of them.
enum LinkShape: FieldShape, CaseIterable {
    case link, list, set, map, linking
    case declaredList, declaredSet, declaredMap, declaredLinking

    /// Has the fields of classes read with these.
    static func makeKnown() { ClassFields.use(shapes: allCases, models: ModelDiscovery.model) }

    /// The field's type for a class; nil if there is none.
    func type(for target: ObjectBase.Type) -> Any.Type? {
        switch self {
        case .linking: (target as? Object.Type).map { ($0 as any LinkSource.Type).linking }
        case .declaredLinking: (target as? Object.Type).map { ($0 as any LinkSource.Type).declaredLinking }
        default: (target as any LinkTarget.Type).type(self)
        }
    }
}

/// A class that properties lead to: through its type as an existential a generic type is made of it.
private protocol LinkTarget: ObjectBase {}
extension ObjectBase: LinkTarget {}

extension LinkTarget {
    fileprivate static func type(_ shape: LinkShape) -> Any.Type? {
        switch shape {
        case .link: Persisted<Self?>.self
        case .list: Persisted<List<Self>>.self
        case .set: Persisted<MutableSet<Self>>.self
        case .map: Persisted<Map<String, Self?>>.self
        case .declaredList: List<Self>.self
        case .declaredSet: MutableSet<Self>.self
        case .declaredMap: Map<String, Self?>.self
        case .linking, .declaredLinking: nil
        }
    }
}

private protocol LinkSource: Object {}
extension Object: LinkSource {}

extension LinkSource {
    fileprivate static var linking: Any.Type { Persisted<LinkingObjects<Self>>.self }
    fileprivate static var declaredLinking: Any.Type { LinkingObjects<Self>.self }
}
