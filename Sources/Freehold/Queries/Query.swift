import FreeholdEngine

/// A property, or a condition on properties: the argument and the result of the closure of `where { }`.
///
/// ```swift
/// let puppies = realm.objects(Dog.self).where { $0.age < 2 && $0.name.starts(with: "f", options: .caseInsensitive) }
/// let owners = realm.objects(Person.self).where { ($0.dogs.age > 5 && $0.dogs.name == "Rex").count >= 1 || $0.address.city.in(["Oslo", "Rome"]) }
/// ```
/// The compiler checks names and types. A property of a collection's elements has many values: a condition is true if
/// at least one of them meets it.
@dynamicMemberLookup
public struct Query<T> {
    let node: QueryNode
    let asking: QueryAsking

    init(_ node: QueryNode, _ asking: QueryAsking) {
        self.node = node
        self.asking = asking
    }
}

/// What a query stands for.
enum QueryNode {
    case path(QueryPath)
    /// A condition, and the paths in it that have many values.
    case condition(QueryCondition, [PropertyPath: [Int]])
    /// The number of elements that meet a condition.
    case figure(QueryExpression)
}

/// A path, and for each collection on it the number of steps that lead to it.
struct QueryPath {
    var steps: [PathStep] = []
    var collections: [Int] = []

    func adding(_ step: PathStep, isMany: Bool = false) -> QueryPath {
        QueryPath(steps: steps + [step], collections: isMany ? collections + [steps.count + 1] : collections)
    }

    /// The path with an aggregate of its values; `@avg` goes directly after the collection.
    func aggregate(_ kind: AggregateKind) -> QueryPath {
        var path = QueryPath(steps: steps)
        var place = collections.last ?? steps.count
        if place < steps.count, [.keys, .values, .each].contains(steps[place]) { place += 1 }
        path.steps.insert(.aggregate(kind), at: place)
        return path
    }

    var path: PropertyPath { PropertyPath(steps) }
}

/// The realm of the objects that a query is about, and the first error in the query.
final class QueryAsking {
    private let core: RealmCore
    private(set) var error: FreeholdError?

    init(_ core: RealmCore) { self.core = core }

    func value(_ argument: Any) -> Value {
        do { return try QueryArgument.value(argument, in: core) } catch {
            note(error)
            return .null
        }
    }

    func bounds(_ lower: Any, _ upper: Any) -> QueryExpression { .list([.value(value(lower)), .value(value(upper))]) }

    func note(_ error: FreeholdError) { if self.error == nil { self.error = error } }
}

extension Query {
    /// The property at the end of a key path that begins here.
    func member<V: _Persistable>(_ keyPath: AnyKeyPath, _ type: V.Type) -> Query<V> {
        guard case .path(var path) = node, let names = PathRecorder.names(of: keyPath) else {
            asking.note(FreeholdError(.unknownProperty, "\(keyPath) is not a persisted property and cannot be used in a query"))
            return Query<V>(.path(QueryPath()), asking)
        }
        for name in names { path = path.adding(.property(name)) }
        let kind = V._kind
        if !kind.collections.isEmpty || kind.type == .linkingObjects { path.collections.append(path.steps.count) }
        return Query<V>(.path(path), asking)
    }

    /// The query with one more step on its path.
    func step<V>(_ step: PathStep, isMany: Bool = false) -> Query<V> { changed { $0.adding(step, isMany: isMany) } }

    func aggregate<V>(_ kind: AggregateKind) -> Query<V> {
        changed { path in
            if path.collections.isEmpty {
                asking.note(FreeholdError(.typeMismatch, "@\(kind.rawValue) needs a collection; '\(path.path)' has one value"))
            }
            return path.aggregate(kind)
        }
    }

    func changed<V>(_ change: (QueryPath) -> QueryPath) -> Query<V> {
        if case .path(let path) = node { return Query<V>(.path(change(path)), asking) }
        asking.note(FreeholdError(.malformedInput, "a condition has no properties"))
        return Query<V>(node, asking)
    }

    /// The expression, the paths in it with many values, and whether it has many itself.
    var operand: (expression: QueryExpression, paths: [PropertyPath: [Int]], isMany: Bool) {
        switch node {
        case .path(let path): return (.path(path.path), path.collections.isEmpty ? [:] : [path.path: path.collections], !path.collections.isEmpty)
        case .figure(let figure): return (figure, [:], false)
        case .condition:
            asking.note(FreeholdError(.malformedInput, "a condition cannot be compared"))
            return (.value(.null), [:], false)
        }
    }

    /// A comparison of this with an expression; of many values at least one has to meet it.
    func compared(_ relation: QueryComparison.Relation, _ right: QueryExpression, _ options: TextOptions = []) -> Query<Bool> {
        let (left, paths, isMany) = operand
        return Query<Bool>(.condition(.comparison(QueryComparison(left, relation, right, quantifier: isMany ? .any : nil, options: options)), paths), asking)
    }

    func compared(_ relation: QueryComparison.Relation, with value: Any, _ options: TextOptions = []) -> Query<Bool> {
        memberwise(relation, value) ?? compared(relation, QueryArgument.expression(asking.value(value)), options)
    }

    func compared(_ relation: QueryComparison.Relation, with other: Query<some Any>, _ options: TextOptions = []) -> Query<Bool> {
        compared(relation, other.operand.expression, options)
    }

    /// Both conditions joined, by `&&` or `||`.
    func joined(with other: Query<Bool>, _ join: (QueryCondition, QueryCondition) -> QueryCondition) -> Query<Bool> {
        let (one, paths) = condition, (second, more) = other.condition
        return Query<Bool>(.condition(join(one, second), paths.merging(more) { $1 }), asking)
    }

    /// The condition that this stands for; a property alone has to be true.
    var condition: (QueryCondition, [PropertyPath: [Int]]) {
        if case .condition(let condition, let paths) = node { return (condition, paths) }
        guard case .condition(let condition, let paths) = compared(.equal, .value(.bool(true))).node else { return (.constant(false), [:]) }
        return (condition, paths)
    }
}

// MARK: Properties

extension Query where T: ObjectBase {
    /// A property of the object.
    public subscript<V: _Persistable>(dynamicMember member: KeyPath<T, V>) -> Query<V> { self.member(member, V.self) }
}

extension Query {
    /// A property of the linked object.
    public subscript<Model: ObjectBase, V: _Persistable>(dynamicMember member: KeyPath<Model, V>) -> Query<V> where T == Model? {
        self.member(member, V.self)
    }
}

extension Query where T: RealmCollection, T.Element: ObjectBase {
    /// A property of the elements.
    public subscript<V: _Persistable>(dynamicMember member: KeyPath<T.Element, V>) -> Query<V> { self.member(member, V.self) }
}

extension Query where T: PersistableEnum {
    /// The raw value that the case is stored as.
    public subscript<V>(dynamicMember member: KeyPath<T, V>) -> Query<V> { raw(T.self, member) }
}

extension Query {
    /// The raw value that the case is stored as.
    public subscript<Case: PersistableEnum, V>(dynamicMember member: KeyPath<Case, V>) -> Query<V?> where T == Case? { raw(Case.self, member) }

    func raw<Case: PersistableEnum, V>(_ type: Case.Type, _ member: PartialKeyPath<Case>) -> Query<V> {
        if !Case.allCases.allSatisfy({ "\($0[keyPath: member])" == "\($0.rawValue)" }) {
            asking.note(FreeholdError(.unknownProperty, "\(member) is not a persisted property and cannot be used in a query"))
        }
        return changed { $0 }
    }
}

extension Query where T: PersistableEnum {
    /// The raw value that the case is stored as.
    public var persistableValue: Query<T.RawValue> { changed { $0 } }
}

extension Query where T: CustomPersistable {
    /// The value as it is stored.
    public var persistableValue: Query<T.PersistedType> { changed { $0 } }
}

extension Query where T: FailableCustomPersistable {
    /// The value as it is stored.
    public var persistableValue: Query<T.PersistedType> { changed { $0 } }
}

extension Query where T: _OptionalValue, T.Wrapped: CustomPersistable {
    /// The value as it is stored.
    public var persistableValue: Query<T.Wrapped.PersistedType?> { changed { $0 } }
}

extension Query where T: _OptionalValue, T.Wrapped: FailableCustomPersistable {
    /// The value as it is stored.
    public var persistableValue: Query<T.Wrapped.PersistedType?> { changed { $0 } }
}

extension Query where T == AnyRealmValue {
    /// The element at a position of a mixed value that is a list.
    public subscript(position: Int) -> Query<AnyRealmValue> { step(.position(position)) }
    /// The value of a key of a mixed value that is a dictionary.
    public subscript(key: String) -> Query<AnyRealmValue> { step(.key(key)) }
    /// Every element of a mixed value that is a list or a dictionary.
    public var any: Query<AnyRealmValue> { step(.each, isMany: true) }
}
