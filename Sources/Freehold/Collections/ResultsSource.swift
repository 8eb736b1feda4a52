import FreeholdEngine

/// The source of the elements of results. This base class is empty: it serves results that misuse was reported for.
class ResultsSource {
    /// The realm; nil for an unmanaged source.
    let core: RealmCore?
    private let generation: UInt8
    /// Whether the realm was invalidated since, and has not been read again.
    var isInvalidated: Bool { core.map { $0.readGeneration != $0.generation && $0.generation != generation } ?? false }

    init(in core: RealmCore?) {
        self.core = core
        generation = core?.generation ?? 0
    }

    var count: Int { 0 }
    var isEmpty: Bool { count == 0 }
    var first: Any? { element(at: 0) }
    func element(at position: Int) -> Any? { nil }
    func position(of element: Any) -> Int? { nil }
    func cursor<Element>() -> ElementCursor<Element> { ElementCursor() }
    /// A cursor over the elements that are at the given positions now.
    func cursor<Element>(over positions: [Int]) -> ElementCursor<Element> { ElementCursor() }

    /// A function that creates this source in another realm of the file, without keeping this realm; it returns nil if
    /// that is impossible there.
    func unbound() -> (RealmCore) -> ResultsSource? { { _ in nil } }

    /// The element that is shown for an object, or for a value.
    func shown(_ element: Any?) -> Any? { element }
    /// The source of the objects behind the elements.
    var objects: ResultsSource { self }

    /// The subject of a query over the elements; nil if they cannot be queried.
    var subject: QuerySubject? { nil }
}

/// A type that represents objects of a class without being the class, such as a projection.
protocol ObjectView {
    /// The class of the objects.
    static var viewed: ObjectBase.Type { get }
    /// The source of these elements, from the source of their objects.
    static func source(over objects: ResultsSource) -> ResultsSource
}

extension Results {
    /// Results of a source of objects, with elements that represent them.
    init(found objects: ResultsSource) { self.init((Element.self as? any ObjectView.Type)?.source(over: objects) ?? objects) }
}

/// The source of all objects of a class.
final class TableSource: ResultsSource {
    /// The index of the class in the realm's schema; nil for a class that the realm does not have.
    private let classNumber: Int16?
    private let owner: RealmCore
    private var known: (moment: RealmMoment, positions: TablePositions)?

    init(_ live: LiveClass?, in core: RealmCore) {
        classNumber = live.map { Int16($0.number) }
        owner = core
        super.init(in: core)
    }

    /// The class, as read by this thread.
    private var live: LiveClass? { classNumber.map { owner.live($0) } }

    override func unbound() -> (RealmCore) -> ResultsSource? {
        let model = live?.model
        return { core in TableSource(model.flatMap { core.live(like: $0) }, in: core) }
    }

    override var count: Int {
        guard owner.enter(), let live else { return 0 }
        return owner.attempt(0) { try live.held().table.count }
    }

    override func element(at position: Int) -> Any? {
        guard owner.enter(), let live else { return nil }
        return owner.attempt(nil) { try positions(live).key(at: position).flatMap { try live.object($0) } }
    }

    override func position(of element: Any) -> Int? {
        guard owner.enter(), let live, let object = element as? ObjectBase, object.core === owner, !object.isStale else { return nil }
        return owner.attempt(nil) { try positions(live).position(of: ObjectKey(object._key)) }
    }

    private func positions(_ live: LiveClass) throws -> TablePositions {
        // In a frozen realm the positions belong to the thread's own class.
        if owner.isFrozen { return try live.frozenPositions() }
        if let known, known.moment == owner.moment { return known.positions }
        let positions = try live.held().table.positions()
        known = (owner.moment, positions)
        return positions
    }

    override func cursor<Element>() -> ElementCursor<Element> {
        guard owner.enter(), let live else { return ElementCursor() }
        return TableCursor(live, in: owner)
    }

    override var subject: QuerySubject? { live.map { QuerySubject(core: owner, live: $0, origin: .table, query: ObjectQuery()) } }
}
