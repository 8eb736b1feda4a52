import FreeholdEngine

/// The objects of a class, as the realm shows them: live, and made when they are asked for.
///
/// ```swift
/// let dogs = realm.objects(Dog.self)
/// print(dogs.count, dogs.first?.name ?? "none")
/// for dog in dogs { print(dog.name) }
/// ```
/// Counting and indexing take logarithmic time at most; nothing is copied. Page through a large class by slicing: `dogs[100..<120]`.
public struct Results<Element: ObjectBase> {
    let source: ResultsSource

    init(_ source: ResultsSource) { self.source = source }

    /// How many objects there are.
    public var count: Int { source.count }

    /// The object at a place, counted from 0.
    public subscript(position: Int) -> Element {
        if position >= 0, let object = source.object(at: position) as? Element { return object }
        Misuse.report(position < 0 ? "Cannot pass a negative value for 'index'."
            : "Index \(position) is out of bounds (must be less than \(count)).")
        return Element()
    }
}

extension Results: RandomAccessCollection {
    public typealias Index = Int
    public var startIndex: Int { 0 }
    public var endIndex: Int { count }
    public func makeIterator() -> RLMIterator<Element> { RLMIterator(source.cursor()) }
    /// The first object; nil if there is none.
    public var first: Element? { source.object(at: 0) as? Element }
    /// The last object; nil if there is none.
    public var last: Element? { source.object(at: count - 1) as? Element }
}

extension Results {
    /// The place of an object; nil if it is none of them.
    public func index(of object: Element) -> Int? { source.position(of: object) }
}

/// Results are equal to themselves and their copies only.
extension Results: Equatable {
    public static func == (one: Results, other: Results) -> Bool { one.source === other.source }
}

/// What results show.
final class ResultsSource {
    let core: RealmCore
    /// The place of the class among the realm's; nil for a class that the realm does not have.
    private let classNumber: Int16?
    private var known: (epoch: UInt64, positions: TablePositions)?

    init(_ live: LiveClass?, in core: RealmCore) {
        self.core = core
        classNumber = live.map { Int16($0.number) }
    }

    /// The class, as this thread reads it.
    private var live: LiveClass? { classNumber.map { core.live($0) } }

    /// What makes the same of another realm of the file, without keeping this one.
    func unbound() -> (RealmCore) -> ResultsSource {
        let model = live?.model
        return { core in ResultsSource(model.flatMap { core.live(like: $0) }, in: core) }
    }

    var count: Int {
        guard core.enter(), let live else { return 0 }
        return core.attempt(0) { try live.held().table.count }
    }

    func object(at position: Int) -> ObjectBase? {
        guard core.enter(), let live else { return nil }
        return core.attempt(nil) { try positions(live).key(at: position).flatMap { try live.object($0) } }
    }

    func position(of object: ObjectBase) -> Int? {
        guard core.enter(), let live, object.core === core else { return nil }
        return core.attempt(nil) { try positions(live).position(of: ObjectKey(object._key)) }
    }

    private func positions(_ live: LiveClass) throws -> TablePositions {
        // Those of a frozen realm stand with the thread's own class.
        if core.isFrozen { return try live.frozenPositions() }
        if let known, known.epoch == core.epoch, core.transaction == nil { return known.positions }
        let positions = try live.held().table.positions()
        known = (core.epoch, positions)
        return positions
    }

    func cursor<Element: ObjectBase>() -> ElementCursor<Element> {
        guard core.enter(), let live else { return ElementCursor() }
        return TableCursor(live, in: core)
    }
}
