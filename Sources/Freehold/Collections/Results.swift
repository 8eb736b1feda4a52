import FreeholdEngine

/// The objects of a class, or those of them that a query asks for: live, and made when they are asked for.
///
/// ```swift
/// let dogs = realm.objects(Dog.self)
/// print(dogs.count, dogs.first?.name ?? "none")
/// for dog in dogs.filter("age > 2").sorted(byKeyPath: "name") { print(dog.name) }
/// ```
/// Results show what there is whenever they are asked, also within a write transaction. Of a whole class counting and indexing take
/// logarithmic time at most; a query is asked when its results are first looked at, and again once something may have changed. Page
/// through many by slicing: `dogs[100..<120]`.
public struct Results<Element: RealmCollectionValue> {
    let source: ResultsSource

    init(_ source: ResultsSource) { self.source = source }

    /// How many there are.
    public var count: Int { source.count }

    /// Whether there is none.
    public var isEmpty: Bool { source.isEmpty }

    /// The object at a place, counted from 0.
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

    /// Goes through those that there are at the beginning: what the loop changes does not change where it goes, but it leaves out what
    /// was deleted meanwhile.
    public func makeIterator() -> RLMIterator<Element> { RLMIterator(source.cursor()) }

    /// The first one; nil if there is none.
    public var first: Element? { source.first.flatMap { $0 as? Element } }
    /// The last one; nil if there is none.
    public var last: Element? { source.element(at: count - 1).flatMap { $0 as? Element } }
}

extension Results {
    /// The place of an object; nil if it is none of them.
    public func index(of object: Element) -> Int? { source.position(of: object) }
}

/// Results are equal to themselves and their copies only.
extension Results: Equatable {
    public static func == (one: Results, other: Results) -> Bool { one.source === other.source }
}
