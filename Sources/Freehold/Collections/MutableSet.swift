import FreeholdEngine

/// A set of distinct values or objects, in the order in which files store them.
///
/// ```swift
/// class Person: Object {
///     @Persisted var tags: MutableSet<String>
/// }
/// try realm.write { person.tags.insert("early bird") }
/// ```
/// An unmanaged set keeps elements in the order of insertion.
public final class MutableSet<Element: RealmCollectionValue> {
    var own: [Element] = []
    /// The place of a managed object's set; nil while unmanaged.
    var place: CollectionPlace?

    /// Creates an empty unmanaged set.
    public init() {}

    init(_ place: CollectionPlace) { self.place = place }

    init?(moving place: CollectionPlace?) {
        guard let place else { return nil }
        self.place = place
    }

    /// The number of elements.
    public var count: Int { place.map { $0.view()?.count ?? 0 } ?? own.count }

    /// The element at a position in the set's order.
    public subscript(position: Int) -> Element {
        if place == nil, own.isEmpty, let element = PathRecorder.element(of: self, Element.self) { return element }
        guard position >= 0, position < count else {
            Misuse.report("Index \(position) is out of bounds (must be less than \(count)).")
            return Element._zero
        }
        guard let place else { return own[position] }
        guard let set = place.view()?.set else { return Element._zero }
        return place.core.attempt(Element._zero) { place.load(try set[position]) }
    }

    /// Whether the set contains an element.
    public func contains(_ element: Element) -> Bool {
        guard let place else { return own.contains { exact($0) == exact(element) } }
        if let object = element as? ObjectBase, object.core !== place.core { return false }
        guard let set = place.view()?.set else { return false }
        return place.core.attempt(false) { try set.contains(element._stored(in: StoringContext(place.core))) }
    }
}

extension MutableSet {
    // MARK: Changing

    /// Adds an element unless the set has it.
    public func insert(_ element: Element) { insert(CollectionOfOne(element)) }

    /// Adds the elements that the set does not have.
    public func insert(objectsIn elements: some Sequence<Element>) { insert(elements) }

    func insert(_ elements: some Sequence<Element>, _ context: StoringContext? = nil) {
        guard let place else {
            var known = Set(own.map { exact($0) })
            for element in elements where known.insert(exact(element)).inserted { own.append(element) }
            return
        }
        let context = context ?? StoringContext(place.core)
        place.changeSet { try $0.insert(contentsOf: elements.map { $0._stored(in: context) }) }
    }

    /// Removes an element if the set has it.
    public func remove(_ element: Element) {
        guard let place else { return own.removeAll { exact($0) == exact(element) } }
        place.changeSet { try $0.remove(element._stored(in: StoringContext(place.core))) }
    }

    /// Removes all elements.
    public func removeAll() {
        guard let place else { return own.removeAll() }
        place.changeSet { try $0.removeAll() }
    }

    // MARK: Two sets

    /// Whether another set has all elements of this one.
    public func isSubset(of other: MutableSet) -> Bool { allSatisfy { other.contains($0) } }

    /// Whether both sets have an element in common.
    public func intersects(_ other: MutableSet) -> Bool { contains { other.contains($0) } }

    /// Adds the elements of another set.
    public func formUnion(_ other: MutableSet) { insert(objectsIn: Array(other)) }

    /// Removes the elements that another set does not have.
    public func formIntersection(_ other: MutableSet) {
        for element in Array(self) where !other.contains(element) { remove(element) }
    }

    /// Removes the elements that another set has.
    public func subtract(_ other: MutableSet) {
        for element in Array(other) { remove(element) }
    }
}

extension MutableSet: RandomAccessCollection {
    public typealias Index = Int
    public var startIndex: Int { 0 }
    public var endIndex: Int { count }
    public func makeIterator() -> RLMIterator<Element> { RLMIterator(place.map { PlaceCursor($0) } ?? PositionCursor(self)) }
    /// The first element; nil if there is none.
    public var first: Element? { isEmpty ? PathRecorder.element(of: self) : self[0] }
    /// The last element; nil if there is none.
    public var last: Element? { isEmpty ? PathRecorder.element(of: self) : self[count - 1] }
    /// Whether the set belonged to an object that has been deleted.
    public var isInvalidated: Bool { place.map { $0.view(quietly: true) == nil } ?? false }
}

extension MutableSet {
    /// The position of an element in the set's order; nil if the set does not have it.
    public func index(of element: Element) -> Int? { position(of: element) }
}

/// Sets are equal if they have the same elements.
extension MutableSet: Hashable {
    public static func == (one: MutableSet, other: MutableSet) -> Bool {
        one.isSame(as: other) || one.count == other.count && one.isSubset(of: other)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(count) }
}

extension MutableSet: ExpressibleByArrayLiteral {
    public convenience init(arrayLiteral elements: Element...) {
        self.init()
        insert(objectsIn: elements)
    }
}

/// The identity of an element in a set: strings compare by their bytes, as in files.
private func exact(_ element: some Hashable) -> AnyHashable {
    if let text = element as? String { return AnyHashable(ExactText(text)) }
    if let value = element as? AnyRealmValue, case .string(let text) = value { return AnyHashable(ExactText(text)) }
    return AnyHashable(element)
}
