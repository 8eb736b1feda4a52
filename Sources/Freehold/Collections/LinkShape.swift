/// Type of a field that leads to objects of a class. Each class has its own such type, so the type is created from the
/// class here: the runtime would search all conformances of all libraries for each of them.
enum LinkShape: FieldShape, CaseIterable {
    case link, list, set, map, linking
    case declaredList, declaredSet, declaredMap, declaredLinking

    /// Registers these shapes for reading the fields of classes.
    static func makeKnown() { ClassFields.use(shapes: allCases, models: ModelDiscovery.model) }

    /// The field's type for a class; nil if there is none.
    func type(for target: ObjectBase.Type) -> Any.Type? {
        Self.target(target).type(self)
    }

    /// A class as an existential, built by hand: when a class in a variable is converted, an optimised build takes the
    /// variable's declared class instead.
    ///
    /// Safe: an existential type of one protocol is the metadata and the conformance, which subclasses inherit.
    private static func target(_ type: ObjectBase.Type) -> any LinkedClass.Type {
        let base = unsafeBitCast(ObjectBase.self as any LinkedClass.Type, to: (UInt, UInt).self)
        return unsafeBitCast((unsafeBitCast(type, to: UInt.self), base.1), to: (any LinkedClass.Type).self)
    }
}

/// A class that properties lead to; its existential type allows a generic type to be created from it.
private protocol LinkedClass: ObjectBase {}
extension ObjectBase: LinkedClass {}

extension LinkedClass {
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
