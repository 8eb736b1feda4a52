public import FreeholdEngine

/// Queries over objects: their results are live, and can be asked further.
///
/// ```swift
/// let owners = realm.objects(Person.self)
/// let old = owners.filter("age > %@ AND ANY dogs.name BEGINSWITH[c] %@", 60, "f").sorted(byKeyPath: "name")
/// let same = owners.where { $0.age > 60 && $0.dogs.name.starts(with: "f", options: .caseInsensitive) }.sorted(by: \.name)
/// ```
/// The text's grammar is in docs/queries.md; names are those of the Swift class. A query that says nothing of use (an unknown property, a
/// value of another type, too few arguments) is a mistake of the program: it is told, with the place in the text, and has no results.
/// `filter(parsing:)` throws instead, for texts that users type.
extension RealmCollection {
    /// The objects that meet a condition; what follows it, as `SORT(age DESC) LIMIT(10)`, is done with them.
    ///
    /// - Parameter arguments: what stands for `%@` or `$0`: values, objects of the realm, collections for `IN`.
    public func filter(_ predicate: String, _ arguments: Any...) -> Results<Element> { refined { try ObjectQuery($0.arguments(arguments), predicate) } }

    /// The same with names for what is compared with.
    ///
    /// ```swift
    /// dogs.filter("age BETWEEN {$least, $most}", named: ["least": 2, "most": 9])
    /// ```
    public func filter(_ predicate: String, _ arguments: Any..., named: [String: Any]) -> Results<Element> {
        refined { try ObjectQuery(predicate, $0.arguments(arguments), named: $0.arguments(named)) }
    }

    /// The same of a text that need not be right.
    ///
    /// - Throws: `FreeholdError`: what is wrong, and where.
    public func filter(parsing predicate: String, _ arguments: Any...) throws -> Results<Element> {
        let subject = try querySubject()
        return Results(found: try subject.refined(by: ObjectQuery(subject.arguments(arguments), predicate)))
    }

    /// The objects that a query asks for which was made elsewhere, by the names of the Swift class.
    public func filter(_ query: ObjectQuery) -> Results<Element> { refined { _ in query } }

    /// The objects in the order of what a path of names leads to; those that are equal stay in the order they had. Sorting results that were
    /// sorted makes the new order the first one, the other what decides between equals.
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Element> {
        sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
    }

    /// The objects in the order of what the first descriptor says, of equal ones what the second says, and so on.
    public func sorted(by descriptors: some Sequence<SortDescriptor>) -> Results<Element> {
        refined { _ in
            var keys: [QuerySort] = []
            for descriptor in descriptors { keys.append(try descriptor.step()) }
            return keys.isEmpty ? ObjectQuery() : ObjectQuery(.constant(true), [.sort(keys)])
        }
    }

    /// The first of the objects that have the same values in some properties.
    public func distinct(by keyPaths: some Sequence<String>) -> Results<Element> {
        refined { _ in
            var paths: [PropertyPath] = []
            for keyPath in keyPaths { paths.append(try PropertyPath(parsing: keyPath)) }
            return paths.isEmpty ? ObjectQuery() : ObjectQuery(.constant(true), [.distinct(paths)])
        }
    }

    /// So many of the objects, from the first on. Sorting ten of a million costs less than sorting them all.
    public func limit(_ count: Int) -> Results<Element> { refined { _ in ObjectQuery(.constant(true), [.limit(Swift.max(0, count))]) } }

    /// The objects but for so many of the first ones.
    public func offset(_ count: Int) -> Results<Element> { refined { _ in ObjectQuery(.constant(true), [.offset(Swift.max(0, count))]) } }

    /// The place of the first object that meets a condition; nil if none does.
    public func index(matching predicate: String, _ arguments: Any...) -> Int? { place { try ObjectQuery($0.arguments(arguments), predicate) } }

    /// How these results are found: the index or scan that leads to them, what is asked of each object, and what is done with those found.
    ///
    /// ```
    /// Person: index for city == "Oslo", 1000 objects of 1000000
    ///   then age > 30  (a cluster at a time)
    /// SORT(age DESC)
    /// ```
    /// Of results that are observed also how they are kept up to date, and how much that was for the last change:
    /// `observed: followed object by object; last: followed 1 object`.
    public func explain() -> String {
        told("") { try ((self as? Results<Element>)?.source as? QuerySource ?? QuerySource(querySubject())).explanation() }
    }
}

/// What has properties to sort and to tell apart by, told by key paths: objects and their projections.
public protocol KeypathSortable {}

extension ObjectBase: KeypathSortable {}

extension RealmCollection where Element: KeypathSortable {
    /// The objects in the order of a property.
    public func sorted<Value: _Storable>(by keyPath: KeyPath<Element, Value>, ascending: Bool = true) -> Results<Element> {
        sorted(byKeyPath: PropertyNames.required(keyPath), ascending: ascending)
    }

    /// The first of the objects that have the same values in some properties.
    public func distinct(by keyPaths: some Sequence<PartialKeyPath<Element>>) -> Results<Element> {
        distinct(by: keyPaths.map { PropertyNames.required($0) })
    }
}

extension RealmCollection {
    func querySubject() throws(FreeholdError) -> QuerySubject {
        if let queryable = self as? any QueryableCollection { return try queryable.subject() }
        throw FreeholdError(.typeMismatch, "Querying is currently only implemented for arrays of Realm Objects")
    }

    /// What is asked further; a mistake in it is told.
    func refined(_ query: (QuerySubject) throws -> ObjectQuery) -> Results<Element> {
        told(Results(ResultsSource(in: nil))) {
            let subject = try querySubject()
            return Results(found: try subject.refined(by: query(subject)))
        }
    }

    /// The first place whose object meets a condition.
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

/// Tells what a query's author got wrong.
func told<Result>(_ fallback: @autoclosure () -> Result, _ body: () throws -> Result) -> Result {
    do { return try body() } catch let error as FreeholdError {
        if !error.message.isEmpty { Misuse.report(error.message) }
    } catch {
        Misuse.report("\(error)")
    }
    return fallback()
}

extension QuerySubject {
    /// Arguments as the engine has them.
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
