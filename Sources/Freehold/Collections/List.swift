import FreeholdEngine

/// An ordered collection of values or objects, whose order the program decides.
///
/// ```swift
/// class Person: Object {
///     @Persisted var dogs: List<Dog>
/// }
/// try realm.write { person.dogs.append(Dog(value: ["name": "Rex"])) }
/// for dog in person.dogs { print(dog.name) }
/// ```
/// An unmanaged list holds its elements itself; the list of a managed object reads the file each time. Inserting and
/// removing take logarithmic time at any position. Removing an object does not delete it, unless it is embedded.
///
/// Elements may be collections themselves (`List<List<Int>>`). Those are live, too, and are identified by their
/// position: each shows what is at that position.
public final class List<Element: RealmCollectionValue> {
    var own: [Element] = []
    /// The place of a managed object's list; nil while unmanaged.
    var place: CollectionPlace?

    /// Creates an empty unmanaged list.
    public init() {}

    init(_ place: CollectionPlace) { self.place = place }

    init?(moving place: CollectionPlace?) {
        guard let place else { return nil }
        self.place = place
    }

    /// The number of elements.
    public var count: Int { place.map { $0.view()?.count ?? 0 } ?? own.count }

    /// The element at a position, counted from 0.
    public subscript(position: Int) -> Element {
        get {
            if place == nil, own.isEmpty, let element = PathRecorder.element(of: self, Element.self) { return element }
            guard isPosition(position, below: count) else { return Element._zero }
            guard let place else { return own[position] }
            return element(place, position) ?? Element._zero
        }
        set {
            guard isPosition(position, below: count) else { return }
            guard let place else { return own[position] = newValue }
            place.changeList { try place.replace(newValue, at: position, in: $0, StoringContext(place.core)) }
        }
    }

    private func element(_ place: CollectionPlace, _ position: Int) -> Element? {
        guard let list = place.view()?.list else { return nil }
        return place.core.attempt(nil) { try Element._element(of: place, at: .position(position)) { try list[position] } }
    }

    func isPosition(_ position: Int, below end: Int) -> Bool {
        if position >= 0, position < end { return true }
        Misuse.report(position < 0 ? "Cannot pass a negative value for 'index'."
            : "Index \(position) is out of bounds (must be less than \(end)).")
        return false
    }
}

extension List: RandomAccessCollection, MutableCollection {
    public typealias Index = Int
    public var startIndex: Int { 0 }
    public var endIndex: Int { count }
    public func makeIterator() -> RLMIterator<Element> { RLMIterator(place.map { PlaceCursor($0) } ?? PositionCursor(self)) }
    /// The first element; nil if there is none.
    public var first: Element? { isEmpty ? PathRecorder.element(of: self) : self[0] }
    /// The last element; nil if there is none.
    public var last: Element? { isEmpty ? PathRecorder.element(of: self) : self[count - 1] }
    /// Whether the list belonged to an object that has been deleted, or to a value that was replaced.
    public var isInvalidated: Bool { place.map { $0.view(quietly: true) == nil } ?? false }
}

extension List {
    /// The first position of an element; nil if there is none. Any instance that represents an object finds it.
    public func index(of element: Element) -> Int? { position(of: element) }

    /// Whether the list contains an element.
    public func contains(_ element: Element) -> Bool { position(of: element) != nil }
}

/// Lists are equal if their elements are, in the same order.
extension List: Hashable {
    public static func == (one: List, other: List) -> Bool {
        one.isSame(as: other) || one.count == other.count && one.elementsEqual(other)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(count) }
}

extension List: ExpressibleByArrayLiteral {
    public convenience init(arrayLiteral elements: Element...) {
        self.init()
        append(objectsIn: elements)
    }
}
