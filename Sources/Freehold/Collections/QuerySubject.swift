import FreeholdEngine

/// What a query is asked about, and what was asked of it so far.
struct QuerySubject {
    let core: RealmCore
    /// The place of the objects' class among the realm's.
    private let classNumber: Int16
    let origin: QueryOrigin
    /// Names are those of the file.
    var query: ObjectQuery

    init(core: RealmCore, live: LiveClass, origin: QueryOrigin, query: ObjectQuery = ObjectQuery()) {
        self.core = core
        classNumber = Int16(live.number)
        self.origin = origin
        self.query = query
    }

    /// The class, as this thread reads it.
    var live: LiveClass { core.live(classNumber) }

    /// Asks more: objects have to meet this condition, too, and further steps are done with them.
    ///
    /// - Parameter more: names are those of the program.
    func refined(by more: ObjectQuery) throws(FreeholdError) -> QuerySource {
        var names = StoredNames(of: live.model, in: core)
        let more = try names.query(more)
        var refined = self
        // What was cut off before is not asked about: the condition is one of what is left.
        if query.isCut, more.condition != .constant(true) {
            refined = QuerySubject(core: core, live: live, origin: .keys(QuerySource(self)), query: more)
        } else {
            refined.query = ObjectQuery(query.condition && more.condition, query.steps + more.steps)
        }
        let source = QuerySource(refined)
        try source.requireObjects()
        return source
    }

    /// The same with groups as the last step: what `select` asks of each.
    func groups(by paths: [PropertyPath], select figures: [QueryAggregate]) throws(FreeholdError) -> [QueryGroup] {
        var names = StoredNames(of: live.model, in: core)
        var grouped = self
        grouped.query.steps += try names.query(ObjectQuery(.constant(true), [.group(by: paths, select: figures)])).steps
        return try QuerySource(grouped).groups()
    }
}

extension ObjectQuery {
    /// Whether only some of the objects are left that meet the condition.
    fileprivate var isCut: Bool {
        steps.contains { step in
            switch step {
            case .limit, .offset: true
            case .sort, .distinct, .group: false
            }
        }
    }
}

/// Where the objects come from that a query is asked about.
enum QueryOrigin {
    /// All of the class.
    case table
    /// Some of them, in an order.
    case keys(any KeySource)
}

/// Objects of one class, known by their keys.
protocol KeySource: AnyObject {
    /// Whether the object that they are chosen from was made invalid with its realm.
    var isStale: Bool { get }
    /// The keys as they are now.
    func keys() throws -> [ObjectKey]
    /// What finds the same in another realm of the file; nil where it is not there.
    func elsewhere() -> (RealmCore) -> (any KeySource)?
}

/// What can be asked about: collections of objects that belong to a realm.
protocol QueryableCollection {
    /// What a query over its elements is about. Throws where there is none: in a collection by itself, or one of values.
    func subject() throws(FreeholdError) -> QuerySubject
}

extension CollectionPlace: KeySource {
    /// Those of the elements that are there; none once the object is gone.
    func keys() throws -> [ObjectKey] {
        var keys: [ObjectKey] = []
        try forEachValue { if case .link(let key) = $0 { keys.append(key) } }
        return keys
    }

    func elsewhere() -> (RealmCore) -> (any KeySource)? {
        if isStale { return { _ in nil } }
        let (model, key, property, path, kinds, seen) = (live.model, key, property, path, kinds, core.seen)
        return { core in
            guard core.object(model, key.rawValue, seen: seen) != nil, let live = core.live(like: model) else { return nil }
            return CollectionPlace(core: core, live: live, key: key, property: property, path: path, kinds: kinds)
        }
    }

    /// What a query over the elements is about.
    func subject() throws(FreeholdError) -> QuerySubject {
        guard core.enter() else { throw .misuse }
        let property = described
        guard kinds.count == property.kind.collections.count, property.kind.type == .object, let type = property.kind.objectType else {
            throw FreeholdError(.typeMismatch, "Querying is currently only implemented for arrays of Realm Objects")
        }
        let isDynamic = live.model.isDynamic
        let live = try isDynamic ? property.targetName.map { name throws(FreeholdError) in try core.dynamicClass(named: name, as: type) } : core.live(type)
        guard let live else { throw .misuse }
        return QuerySubject(core: core, live: live, origin: .keys(self))
    }

    static func unmanaged(_ kind: String) -> FreeholdError {
        FreeholdError(.invalidArgument, "This method may only be called on \(kind) instances retrieved from an RLMRealm")
    }
}

extension FreeholdError {
    /// What was wrong has been told already.
    static var misuse: FreeholdError { FreeholdError(.invalidArgument, "") }
}

extension List: QueryableCollection {
    func subject() throws(FreeholdError) -> QuerySubject {
        guard let place else { throw CollectionPlace.unmanaged("RLMArray") }
        return try place.subject()
    }
}

extension MutableSet: QueryableCollection {
    func subject() throws(FreeholdError) -> QuerySubject {
        guard let place else { throw CollectionPlace.unmanaged("RLMSet") }
        return try place.subject()
    }
}

extension Map: QueryableCollection {
    func subject() throws(FreeholdError) -> QuerySubject {
        guard let place else { throw CollectionPlace.unmanaged("RLMDictionary") }
        return try place.subject()
    }
}

extension Results: QueryableCollection {
    func subject() throws(FreeholdError) -> QuerySubject {
        guard source.core?.enter() != false else { throw .misuse }
        if let subject = source.subject { return subject }
        throw FreeholdError(.typeMismatch, "Querying is currently only implemented for arrays of Realm Objects")
    }
}
