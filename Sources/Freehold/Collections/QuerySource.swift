import FreeholdEngine
import Synchronization

/// A query result that is kept up to date while it has an observer.
struct FollowedAnswer {
    let query: LiveQuery
    /// Whether it has a version of its own, instead of the version of the realm's other observers.
    let isApart: Bool
}

/// The objects that a query finds.
///
/// 1. A result is valid for one moment of the realm (`RealmCore.moment`); then the next access re-evaluates the query.
/// 2. While the results are observed, the query is not re-evaluated: the observers' up-to-date result is used.
/// 3. In a frozen realm a result is valid permanently, and for every thread.
final class QuerySource: ResultsSource, KeySource {
    private let asked: QuerySubject
    private var known: Answer?
    private let frozenKeys = Mutex<[ObjectKey]?>(nil)
    /// The result that an observer keeps up to date.
    var followed: FollowedAnswer?

    private struct Answer {
        let moment: RealmMoment
        let prepared: PreparedQuery
        var keys: [ObjectKey]?
    }

    init(_ subject: QuerySubject) {
        asked = subject
        super.init(in: subject.core)
    }

    override var subject: QuerySubject? { asked }

    // MARK: Asking

    /// Throws if the query cannot be evaluated, or does not return objects.
    func requireObjects() throws(FreeholdError) {
        guard asked.core.enter() else { throw .misuse }
        _ = try prepared()
        if asked.query.steps.contains(where: { if case .group = $0 { true } else { false } }) {
            throw FreeholdError(.malformedInput, "the query has groups, not objects; remove GROUP, or use grouped(by:select:)")
        }
    }

    private func prepared() throws(FreeholdError) -> PreparedQuery {
        let core = asked.core
        if !core.isFrozen, let known, known.moment == core.moment { return known.prepared }
        var prepared = try asked.live.held().table.prepare(asked.query)
        // Once the results were used, no commit may end the program by what it leaves.
        prepared.isContinued = known != nil
        if !core.isFrozen { known = Answer(moment: core.moment, prepared: prepared) }
        return prepared
    }

    func keys() throws -> [ObjectKey] {
        if asked.core.isFrozen {
            if let keys = frozenKeys.withLock({ $0 }) { return keys }
            let found = try find(prepared())
            frozenKeys.withLock { $0 = found }
            return found
        }
        if known?.moment == asked.core.moment, let keys = known?.keys { return keys }
        let prepared = try prepared(), found = try upToDate?.keys ?? find(prepared)
        known?.keys = found
        return found
    }

    /// The result that is kept up to date, if it is that of the current moment.
    private var upToDate: LiveQuery? {
        guard let followed else { return nil }
        let isNow = followed.isApart ? asked.core.shows(followed.query.version) : asked.core.isAtObservers
        return isNow ? followed.query : nil
    }

    private func find(_ prepared: PreparedQuery) throws -> [ObjectKey] {
        switch asked.origin {
        case .table: try prepared.keys()
        case .keys(let source): try prepared.keys(among: source.keys())
        }
    }

    /// The keys, if the query has been evaluated.
    private var found: [ObjectKey]? {
        if asked.core.isFrozen { return frozenKeys.withLock { $0 } }
        return known?.moment == asked.core.moment ? known?.keys : nil
    }

    var isStale: Bool { if case .keys(let source) = asked.origin { source.isStale } else { false } }
    private var isOfTable: Bool { if case .table = asked.origin { true } else { false } }

    func groups() throws(FreeholdError) -> [QueryGroup] {
        guard asked.core.enter() else { throw .misuse }
        let prepared = try prepared()
        guard case .keys(let source) = asked.origin else { return try prepared.groups() }
        do { return try prepared.groups(among: source.keys()) } catch let error as FreeholdError { throw error } catch {
            throw FreeholdError(.invalidArgument, "\(error)")
        }
    }

    /// How well an object fits the full-text searches; 0 for objects of other realms.
    func score(of object: ObjectBase) throws -> Double {
        guard let key = key(of: object) else { return 0 }
        return try prepared().scores(of: [key])[0]
    }

    /// The distance of an object; nil for one without a place, and for objects of other realms.
    func distance(of object: ObjectBase) throws -> Double? {
        guard let key = key(of: object) else { return nil }
        return try prepared().distances(of: [key])[0]
    }

    /// What the full-text searches find in an object; nothing in objects of other realms.
    func foundTexts(in object: ObjectBase) throws -> [FoundText] {
        guard let key = key(of: object) else { return [] }
        return try prepared().foundTexts(in: key)
    }

    private func key(of object: ObjectBase) -> ObjectKey? {
        asked.core.enter() && object.core === asked.core && !object.isStale ? ObjectKey(object._key) : nil
    }

    /// Whether an object meets the condition, at any position.
    func matches(_ key: ObjectKey) throws -> Bool { try prepared().matches(key) }

    /// A description of how the query is evaluated, and of how its result is kept up to date if it is observed.
    func explanation() throws -> String {
        guard asked.core.enter() else { return "" }
        let found = try prepared().explanation()
        return upToDate.map { "\(found)\nobserved: \($0.explanation)" } ?? found
    }

    // MARK: Results

    override var count: Int {
        guard asked.core.enter() else { return 0 }
        if let upToDate { return upToDate.count }
        return asked.core.attempt(0) { isOfTable && found == nil ? try prepared().count() : try keys().count }
    }

    override var isEmpty: Bool {
        guard asked.core.enter() else { return true }
        if let upToDate { return upToDate.count == 0 }
        return asked.core.attempt(true) { isOfTable && found == nil ? try prepared().first() == nil : try keys().isEmpty }
    }

    override var first: Any? {
        guard asked.core.enter() else { return nil }
        if upToDate != nil { return element(at: 0) }
        return asked.core.attempt(nil) { try (isOfTable && found == nil ? prepared().first() : keys().first).flatMap { try asked.live.object($0) } }
    }

    override func element(at position: Int) -> Any? {
        guard asked.core.enter() else { return nil }
        return asked.core.attempt(nil) {
            if let upToDate { return position >= 0 && position < upToDate.count ? try asked.live.object(upToDate[position]) : nil }
            let keys = try keys()
            return keys.indices.contains(position) ? try asked.live.object(keys[position]) : nil
        }
    }

    override func position(of element: Any) -> Int? {
        guard asked.core.enter(), let object = element as? ObjectBase, object.core === asked.core, !object.isStale else { return nil }
        return asked.core.attempt(nil) {
            let keys = try keys(), key = ObjectKey(object._key)
            guard isOfTable, asked.query.steps.isEmpty else { return keys.firstIndex(of: key) }
            let place = keys.partitioningIndex { $0.rawValue >= key.rawValue }
            return place < keys.count && keys[place] == key ? place : nil
        }
    }

    override func cursor<Element>() -> ElementCursor<Element> {
        guard asked.core.enter() else { return ElementCursor() }
        return asked.core.attempt(ElementCursor()) { KeyCursor(try keys(), of: asked.live, in: asked.core) }
    }

    override func cursor<Element>(over positions: [Int]) -> ElementCursor<Element> {
        guard asked.core.enter() else { return ElementCursor() }
        return asked.core.attempt(ElementCursor()) {
            let keys = try keys()
            return KeyCursor(positions.map { keys[$0] }, of: asked.live, in: asked.core)
        }
    }

    // MARK: Elsewhere

    override func unbound() -> (RealmCore) -> ResultsSource? {
        let find = elsewhere()
        return { find($0) as? QuerySource }
    }

    func elsewhere() -> (RealmCore) -> (any KeySource)? {
        let (model, query) = (asked.live.model, asked.query)
        let origin: (RealmCore) -> QueryOrigin? = switch asked.origin {
        case .table: { _ in .table }
        case .keys(let source): { [find = source.elsewhere()] core in find(core).map { .keys($0) } }
        }
        return { core in
            guard let live = core.live(like: model), let origin = origin(core) else { return nil }
            return QuerySource(QuerySubject(core: core, live: live, origin: origin, query: query))
        }
    }
}

extension Array {
    /// The first index whose element satisfies the condition, which all later elements satisfy, too.
    fileprivate func partitioningIndex(_ isFar: (Element) -> Bool) -> Int {
        var low = 0, high = count
        while low < high {
            let middle = (low + high) / 2
            if isFar(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
