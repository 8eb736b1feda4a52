public import Foundation
import FreeholdEngine

/// The values that the objects of a collection have in one property: `list.projectTo.name`. As live as the collection.
///
/// ```swift
/// class Card: Projection<Person> {
///     @Projected(\Person.dogs.projectTo.name) var dogNames: ProjectedCollection<String>
/// }
/// ```
public struct ProjectedCollection<Element: RealmCollectionValue>: RandomAccessCollection, CustomStringConvertible {
    let elements: ProjectedElements<Element>

    init(_ elements: ProjectedElements<Element>) { self.elements = elements }

    public var startIndex: Int { 0 }
    public var endIndex: Int { elements.count }

    /// The value of the object at a position; setting it sets the object's property.
    public subscript(position: Int) -> Element {
        get { elements.value(at: position) }
        nonmutating set { elements.set(newValue, at: position) }
    }

    /// The first position of a value; nil if no object has it.
    public func index(of value: Element) -> Int? { firstIndex(of: value) }

    /// The position of the first object that meets a condition; nil if none does.
    public func index(matching predicate: String, _ arguments: Any...) -> Int? { elements.place { try ObjectQuery($0.arguments(arguments), predicate) } }

    /// The position of the first object for which a predicate is true; nil if there is none.
    public func index(matching predicate: NSPredicate) -> Int? { elements.place { try $0.query(predicate) } }

    public var description: String { described(depth: 5) }
}

extension ProjectedCollection: DescribedCollection {
    func described(depth: Int) -> String {
        if depth <= 0 { return "<Maximum depth exceeded>" }
        let lines = enumerated().map { "\t[\($0)] \(ObjectBase.indented(ObjectBase.described($1, depth: depth)))\n" }
        return "ProjectedCollection<\(DescribedElements.name(of: Element.self))> {\n\(lines.joined())}"
    }
}

extension ProjectedCollection: ThreadConfined {
    /// The realm; nil if the collection belongs to an unmanaged object.
    public var realm: Realm? { elements.confined.realm }
    /// Whether the collection's object has been deleted.
    public var isInvalidated: Bool { elements.confined.isInvalidated }
    /// A frozen copy, readable from any thread.
    public func freeze() -> ProjectedCollection { frozen() }
    /// The collection in a live realm of the caller's thread, queue or actor; nil if the collection's object was
    /// deleted.
    public func thaw() -> ProjectedCollection? { thawed() }

    public func _handover(_ purpose: _HandoverPurpose) -> _Handover? {
        let elements = elements
        return elements.confined._handover(purpose)?.map { found in elements.same(of: found).map { ProjectedCollection($0) } }
    }
}

@available(*, unavailable, message: "live collections belong to their thread, queue or actor; pass a Frozen or a ThreadSafeReference")
extension ProjectedCollection: Sendable {}

/// The step between a collection of objects and one of their properties: see `ProjectedCollection`.
@dynamicMemberLookup
public struct CollectionElementMapper<Model: ObjectBase> {
    fileprivate let objects: AnyRealmCollection<Model>

    /// The values that the objects have in a property.
    public subscript<Element: RealmCollectionValue>(dynamicMember property: KeyPath<Model, Element>) -> ProjectedCollection<Element> {
        ProjectedCollection(PropertyElements(objects, property))
    }
}

extension RealmCollection where Element: ObjectBase {
    /// The values that the objects have in a property: `dogs.projectTo.name`.
    public var projectTo: CollectionElementMapper<Element> { CollectionElementMapper(objects: AnyRealmCollection(self)) }
}

/// The elements of a projected collection, whatever the class of the objects.
class ProjectedElements<Element> {
    /// The collection of the objects.
    let confined: any ThreadConfined
    /// The key path from each object.
    let property: AnyKeyPath

    init(_ confined: any ThreadConfined, _ property: AnyKeyPath) {
        self.confined = confined
        self.property = property
    }

    var count: Int { 0 }
    func value(at position: Int) -> Element { preconditionFailure("unreachable: a subclass knows the class of the objects") }
    func set(_ value: Element, at position: Int) {}
    func place(_ query: (QuerySubject) throws -> ObjectQuery) -> Int? { nil }
    /// The elements for the corresponding collection in another realm.
    func same(of collection: Any) -> ProjectedElements? { nil }
}

private final class PropertyElements<Model: ObjectBase, Element>: ProjectedElements<Element> {
    private let objects: AnyRealmCollection<Model>
    private let keyPath: KeyPath<Model, Element>

    init(_ objects: AnyRealmCollection<Model>, _ keyPath: KeyPath<Model, Element>) {
        self.objects = objects
        self.keyPath = keyPath
        super.init(objects, keyPath)
    }

    override var count: Int { objects.count }
    override func value(at position: Int) -> Element { objects[position][keyPath: keyPath] }
    override func place(_ query: (QuerySubject) throws -> ObjectQuery) -> Int? { objects.place(query) }
    override func same(of collection: Any) -> ProjectedElements<Element>? { (collection as? AnyRealmCollection<Model>).map { PropertyElements($0, keyPath) } }

    override func set(_ value: Element, at position: Int) {
        guard let keyPath = keyPath as? ReferenceWritableKeyPath<Model, Element> else { return Misuse.report("KeyPath is not writable") }
        objects[position][keyPath: keyPath] = value
    }
}
