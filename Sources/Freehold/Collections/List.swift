import FreeholdEngine

/// Values or objects in an order of the program's own.
///
/// ```swift
/// class Person: Object {
///     @Persisted var dogs: List<Dog>
/// }
/// try realm.write { person.dogs.append(Dog(value: ["name": "Rex"])) }
/// for dog in person.dogs { print(dog.name) }
/// ```
/// A list by itself, or of an object by itself, holds what it is given; one of a managed object reads the file each time. Inserting
/// and removing take logarithmic time anywhere. Taking an object out does not delete it, unless it lives within this one only.
///
/// Elements may be collections themselves (`List<List<Int>>`): those are live, too, and go by their place: what stands at it.
public final class List<Element: RealmCollectionValue> {
    var own: [Element] = []
    /// The list of an object of a realm; nil while it is by itself.
    var place: CollectionPlace?

    /// An empty list by itself.
    public init() {}

    init(_ place: CollectionPlace) { self.place = place }

    init?(moving place: CollectionPlace?) {
        guard let place else { return nil }
        self.place = place
    }

    /// How many elements there are.
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
            place.change("List") { writer in
                try writer.list { try place.replace(newValue, at: position, in: $0) }
            }
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
    public func makeIterator() -> RLMIterator<Element> { RLMIterator(place.map { CollectionCursor($0) } ?? PositionCursor(self)) }
    /// The first element; nil if there is none.
    public var first: Element? { isEmpty ? PathRecorder.element(of: self) : self[0] }
    /// The last element; nil if there is none.
    public var last: Element? { isEmpty ? PathRecorder.element(of: self) : self[count - 1] }
    /// Whether the list was one of an object that has been deleted, or of a value that was replaced.
    public var isInvalidated: Bool { place.map { $0.view(quietly: true) == nil } ?? false }
}

extension List {
    /// The first position of an element; nil if there is none. An object is found whatever instance stands for it.
    public func index(of element: Element) -> Int? { position(of: element) }

    /// Whether an element is among these.
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
