public import FreeholdEngine

/// Queries over objects. Their results are live and can be queried further.
///
/// ```swift
/// let owners = realm.objects(Person.self)
/// let old = owners.filter("age > %@ AND ANY dogs.name BEGINSWITH[c] %@", 60, "f").sorted(byKeyPath: "name")
/// let same = owners.where { $0.age > 60 && $0.dogs.name.starts(with: "f", options: .caseInsensitive) }.sorted(by: \.name)
/// ```
/// The query language is in docs/queries.md; names are those of the Swift class. A query with an error (an unknown
/// property, a value of another type, too few arguments) is reported as misuse, with the position in the string, and
/// has no results. `filter(parsing:)` throws instead, for strings that users type.
extension RealmCollection {
    /// The objects that meet a condition; steps after it, as `SORT(age DESC) LIMIT(10)`, apply to those objects.
    ///
    /// - Parameter arguments: the values for `%@` or `$0`: values, objects of the realm, collections for `IN`.
    public func filter(_ predicate: String, _ arguments: Any...) -> Results<Element> { refined { try ObjectQuery($0.arguments(arguments), predicate) } }

    /// The objects that meet a condition with named arguments.
    ///
    /// ```swift
    /// dogs.filter("age BETWEEN {$least, $most}", named: ["least": 2, "most": 9])
    /// ```
    public func filter(_ predicate: String, _ arguments: Any..., named: [String: Any]) -> Results<Element> {
        refined { try ObjectQuery(predicate, $0.arguments(arguments), named: $0.arguments(named)) }
    }

    /// The objects that meet a condition in a string that may contain errors.
    ///
    /// - Throws: `FreeholdError`, with the error in the string and its position.
    public func filter(parsing predicate: String, _ arguments: Any...) throws -> Results<Element> {
        let subject = try querySubject()
        return Results(found: try subject.refined(by: ObjectQuery(subject.arguments(arguments), predicate)))
    }

    /// The objects that meet a query built elsewhere, which uses the names of the Swift class.
    public func filter(_ query: ObjectQuery) -> Results<Element> { refined { _ in query } }

    /// The objects sorted by a path of property names; the sort is stable. Sorting sorted results makes the new order
    /// the first one, and the earlier order decides between equals.
    ///
    /// - Parameter collation: the language whose order strings have; nil for the order of their bytes.
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true, collation: Collation? = nil) -> Results<Element> {
        sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending, collation: collation)])
    }

    /// The objects sorted by the first descriptor, equal ones by the second, and so on.
    public func sorted(by descriptors: some Sequence<SortDescriptor>) -> Results<Element> {
        refined { _ in
            var keys: [QuerySort] = []
            for descriptor in descriptors { keys.append(try descriptor.step()) }
            return keys.isEmpty ? ObjectQuery() : ObjectQuery(.constant(true), [.sort(keys)])
        }
    }

    /// The objects without duplicates: of those with equal values in some properties only the first.
    public func distinct(by keyPaths: some Sequence<String>) -> Results<Element> {
        refined { _ in
            var paths: [PropertyPath] = []
            for keyPath in keyPaths { paths.append(try PropertyPath(parsing: keyPath)) }
            return paths.isEmpty ? ObjectQuery() : ObjectQuery(.constant(true), [.distinct(paths)])
        }
    }

    /// The first `count` objects. Sorting ten of a million costs less than sorting them all.
    public func limit(_ count: Int) -> Results<Element> { refined { _ in ObjectQuery(.constant(true), [.limit(Swift.max(0, count))]) } }

    /// The objects without the first `count`.
    public func offset(_ count: Int) -> Results<Element> { refined { _ in ObjectQuery(.constant(true), [.offset(Swift.max(0, count))]) } }

    /// The position of the first object that meets a condition; nil if none does.
    public func index(matching predicate: String, _ arguments: Any...) -> Int? { place { try ObjectQuery($0.arguments(arguments), predicate) } }

    /// The query plan of these results: the index or scan used, the condition tested for each object, and the steps
    /// after it.
    ///
    /// ```
    /// Person: index for city == "Oslo", 1000 objects of 1000000
    ///   then age > 30  (a cluster at a time)
    /// SORT(age DESC)
    /// ```
    /// For observed results it adds how they are kept up to date, and how much work the last change was:
    /// `observed: followed object by object; last: followed 1 object`.
    public func explain() -> String {
        told("") { try ((self as? Results<Element>)?.source as? QuerySource ?? QuerySource(querySubject())).explanation() }
    }
}

/// A type whose properties can be named by key paths to sort by and to remove duplicates: objects and their
/// projections.
public protocol KeypathSortable {}

extension ObjectBase: KeypathSortable {}

extension RealmCollection where Element: KeypathSortable {
    /// The objects sorted by a property.
    ///
    /// - Parameter collation: the language whose order strings have; nil for the order of their bytes.
    public func sorted<Value: _Storable>(
        by keyPath: KeyPath<Element, Value>, ascending: Bool = true, collation: Collation? = nil
    ) -> Results<Element> {
        sorted(byKeyPath: PropertyNames.required(keyPath), ascending: ascending, collation: collation)
    }

    /// The objects without duplicates: of those with equal values in some properties only the first.
    public func distinct(by keyPaths: some Sequence<PartialKeyPath<Element>>) -> Results<Element> {
        distinct(by: keyPaths.map { PropertyNames.required($0) })
    }
}

extension RealmCollection {
    func querySubject() throws(FreeholdError) -> QuerySubject {
        if let queryable = self as? any QueryableCollection { return try queryable.subject() }
        throw FreeholdError(.typeMismatch, "Querying is currently only implemented for arrays of Realm Objects")
    }

    /// Runs a further query over these results; reports misuse if the query is wrong.
    func refined(_ query: (QuerySubject) throws -> ObjectQuery) -> Results<Element> {
        told(Results(ResultsSource(in: nil))) {
            let subject = try querySubject()
            return Results(found: try subject.refined(by: query(subject)))
        }
    }

    /// The position of the first object that meets a condition.
    func place(_ query: (QuerySubject) throws -> ObjectQuery) -> Int? {
        told(nil) { () throws -> Int? in
            let subject = try querySubject(), all = QuerySource(subject)
            guard case .table = subject.origin, subject.query.steps.isEmpty else {
                var bare = QuerySubject(core: subject.core, live: subject.live, origin: .table)
                bare = try bare.refined(by: query(subject)).subject ?? bare
                let source = QuerySource(bare)
                return try all.keys().firstIndex { try source.matches($0) }
            }
            return Results<Element>(found: try subject.refined(by: query(subject))).first.flatMap { index(of: $0) }
        }
    }
}

/// Reports misuse if a query is wrong, and returns the fallback.
func told<Result>(_ fallback: @autoclosure () -> Result, _ body: () throws -> Result) -> Result {
    do { return try body() } catch let error as FreeholdError {
        if !error.message.isEmpty { Misuse.report(error.message) }
    } catch {
        Misuse.report("\(error)")
    }
    return fallback()
}

extension QuerySubject {
    /// The arguments as engine values.
    func arguments(_ arguments: [Any]) throws(FreeholdError) -> [Value] {
        try arguments.map { argument throws(FreeholdError) in try QueryArgument.value(argument, in: core) }
    }
}

extension QuerySubject {
    fileprivate func arguments(_ named: [String: Any]) throws(FreeholdError) -> TextMap<FreeholdEngine.Value> {
        var values: TextMap<FreeholdEngine.Value> = [:]
        for (name, argument) in named { values[name] = try QueryArgument.value(argument, in: core) }
        return values
    }
}

extension ObjectQuery {
    init(_ arguments: [Value], _ text: String) throws(FreeholdError) { self = try ObjectQuery(text, arguments) }
}
