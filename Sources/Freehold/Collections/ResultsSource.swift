import FreeholdEngine

/// What results show. This one shows nothing: what was asked for cannot be had, which has been told.
class ResultsSource {
    /// The realm; nil for what belongs to none.
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
    /// Goes through the elements that are at some places now.
    func cursor<Element>(over positions: [Int]) -> ElementCursor<Element> { ElementCursor() }

    /// What makes the same of another realm of the file, without keeping this one; nil where it cannot be had there.
    func unbound() -> (RealmCore) -> ResultsSource? { { _ in nil } }

    /// What is shown for an object, or for a value.
    func shown(_ element: Any?) -> Any? { element }
    /// What finds the objects that are shown.
    var objects: ResultsSource { self }

    /// What a query over these is about; nil if none can be asked.
    var subject: QuerySubject? { nil }
}

/// What stands for objects of a class without being one.
protocol ObjectView {
    /// The class.
    static var viewed: ObjectBase.Type { get }
    /// What results of these show, of what shows the objects.
    static func source(over objects: ResultsSource) -> ResultsSource
}

extension Results {
    /// Results that show objects, as the elements that stand for them.
    init(found objects: ResultsSource) { self.init((Element.self as? any ObjectView.Type)?.source(over: objects) ?? objects) }
}

/// All objects of a class.
final class TableSource: ResultsSource {
    /// The place of the class among the realm's; nil for a class that the realm does not have.
    private let classNumber: Int16?
    private let owner: RealmCore
    private var known: (moment: RealmMoment, positions: TablePositions)?

    init(_ live: LiveClass?, in core: RealmCore) {
        classNumber = live.map { Int16($0.number) }
        owner = core
        super.init(in: core)
    }

    /// The class, as this thread reads it.
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
        // Those of a frozen realm stand with the thread's own class.
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
