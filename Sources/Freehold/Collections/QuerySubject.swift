import FreeholdEngine

/// The objects that a query runs on, and the query so far.
struct QuerySubject {
    let core: RealmCore
    /// The index of the objects' class in the realm's schema.
    private let classNumber: Int16
    let origin: QueryOrigin
    /// The query, with the file's names.
    var query: ObjectQuery

    init(core: RealmCore, live: LiveClass, origin: QueryOrigin, query: ObjectQuery = ObjectQuery()) {
        self.core = core
        classNumber = Int16(live.number)
        self.origin = origin
        self.query = query
    }

    /// The class, as read by this thread.
    var live: LiveClass { core.live(classNumber) }

    /// Adds a condition that objects must also meet, and further steps.
    ///
    /// - Parameter more: a query with the program's names.
    func refined(by more: ObjectQuery) throws(FreeholdError) -> QuerySource {
        var names = StoredNames(of: live.model, in: core)
        let more = try names.query(more)
        var refined = self
        // Objects that were cut off before stay out: the new condition applies to the remaining ones.
        if query.isCut, more.condition != .constant(true) {
            refined = QuerySubject(core: core, live: live, origin: .keys(QuerySource(self)), query: more)
        } else {
            refined.query = ObjectQuery(query.condition && more.condition, query.steps + more.steps)
        }
        let source = QuerySource(refined)
        try source.requireObjects()
        return source
    }

    /// Groups the objects as the last step; `select` names the aggregates of each group.
    func groups(by paths: [PropertyPath], select figures: [QueryAggregate]) throws(FreeholdError) -> [QueryGroup] {
        var names = StoredNames(of: live.model, in: core)
        var grouped = self
        grouped.query.steps += try names.query(ObjectQuery(.constant(true), [.group(by: paths, select: figures)])).steps
        return try QuerySource(grouped).groups()
    }
}

extension ObjectQuery {
    /// Whether a limit or offset excludes some objects that meet the condition.
    fileprivate var isCut: Bool {
        steps.contains { step in
            switch step {
            case .limit, .offset, .nearest, .fuse: true
            case .sort, .distinct, .group: false
            }
        }
    }
}

/// The source of the objects that a query runs on.
enum QueryOrigin {
    /// All objects of the class.
    case table
    /// Some objects of the class, in an order.
    case keys(any KeySource)
}

/// Objects of one class, identified by their keys.
protocol KeySource: AnyObject {
    /// Whether the object that the keys come from was invalidated with its realm.
    var isStale: Bool { get }
    /// The current keys.
    func keys() throws -> [ObjectKey]
    /// A function that finds these keys' source in another realm of the file; it returns nil if it is not there.
    func elsewhere() -> (RealmCore) -> (any KeySource)?
}

/// A collection that can be queried: one of objects that belong to a realm.
protocol QueryableCollection {
    /// The subject of a query over the collection's elements. Throws for an unmanaged collection, or one of values.
    func subject() throws(FreeholdError) -> QuerySubject
}

extension CollectionPlace: KeySource {
    /// The keys of the elements that exist; empty once the object is deleted.
    func keys() throws -> [ObjectKey] {
        var keys: [ObjectKey] = []
        try forEachValue { if case .link(let key) = $0 { keys.append(key) } }
        return keys
    }

    func elsewhere() -> (RealmCore) -> (any KeySource)? {
        if isStale { return { _ in nil } }
        return reopening()
    }

    /// The subject of a query over the elements.
    func subject() throws(FreeholdError) -> QuerySubject {
        guard core.enter() else { throw .misuse }
        let property = described
        guard depth == property.kind.collections.count, property.kind.type == .object, let type = property.kind.objectType else {
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
    /// An error for misuse that has been reported already.
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
