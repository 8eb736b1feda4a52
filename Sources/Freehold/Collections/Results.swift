import FreeholdEngine

/// The objects of a class, or those that a query finds: live, and created on access.
///
/// ```swift
/// let dogs = realm.objects(Dog.self)
/// print(dogs.count, dogs.first?.name ?? "none")
/// for dog in dogs.filter("age > 2").sorted(byKeyPath: "name") { print(dog.name) }
/// ```
/// Results always show the current objects, also within a write transaction. For a whole class counting and indexing
/// take logarithmic time at most. A query runs on first access, and again after a change that could affect it. Page
/// through many results by slicing: `dogs[100..<120]`.
public struct Results<Element: RealmCollectionValue> {
    let source: ResultsSource

    init(_ source: ResultsSource) { self.source = source }

    /// The number of elements.
    public var count: Int { source.count }

    /// Whether there are no elements.
    public var isEmpty: Bool { source.isEmpty }

    /// The element at a position, counted from 0.
    public subscript(position: Int) -> Element {
        if position >= 0, let found = source.element(at: position), let element = found as? Element { return element }
        Misuse.report(position < 0 ? "Cannot pass a negative value for 'index'."
            : "Index \(position) is out of bounds (must be less than \(count)).")
        return Element._zero
    }
}

extension Results: RandomAccessCollection {
    public typealias Index = Int
    public var startIndex: Int { 0 }
    public var endIndex: Int { count }

    /// Iterates over the elements that exist when the iteration begins. Changes within the loop do not change its
    /// order, but elements deleted meanwhile are skipped.
    public func makeIterator() -> RLMIterator<Element> { RLMIterator(source.cursor()) }

    /// The first element; nil if there is none.
    public var first: Element? { source.first.flatMap { $0 as? Element } }
    /// The last element; nil if there is none.
    public var last: Element? { source.element(at: count - 1).flatMap { $0 as? Element } }
}

extension Results {
    /// The position of an element; nil if it is not in the results.
    public func index(of object: Element) -> Int? { source.position(of: object) }
}

/// Results are equal only to themselves and their copies.
extension Results: Equatable {
    public static func == (one: Results, other: Results) -> Bool { one.source === other.source }
}
