import FreeholdEngine

/// Objects that have the same values, and figures of them.
public struct ResultsGroup<Key: Hashable>: Hashable {
    /// What the objects have in common.
    public let key: Key
    /// The figures, in the order in which they were asked for.
    public let figures: [AnyRealmValue]

    /// A figure by its place among those asked for.
    public subscript(figure: Int) -> AnyRealmValue { figures[figure] }
}

extension ResultsGroup: CustomStringConvertible {
    /// The key and the figures, in the manner of objects.
    public var description: String {
        "ResultsGroup {\n\tkey = \(ObjectBase.line(key));\n\tfigures = \(figures);\n}"
    }
}

/// A figure of the objects of a group: how many they are, or something of a property of theirs. Null values do not count.
///
/// A text stands for one: `"@count"`, `"age.@avg"`, `"dogs.@count"`.
public struct GroupFigure<Model>: ExpressibleByStringLiteral {
    let aggregate: () throws -> QueryAggregate

    private init(_ aggregate: @escaping () throws -> QueryAggregate) { self.aggregate = aggregate }

    /// The figure that a text names: `@count`, or a path and one of `@count`, `@sum`, `@min`, `@max`, `@avg`.
    public init(_ text: String) {
        self.init {
            guard case .group(_, let figures) = try ObjectQuery("GROUP() SELECT(\(text))").steps.first, figures.count == 1 else {
                throw FreeholdError(.malformedInput, "'\(text)' is no figure")
            }
            return figures[0]
        }
    }

    public init(stringLiteral text: String) { self.init(text) }

    /// How many objects there are.
    public static var count: GroupFigure { GroupFigure { QueryAggregate(.count, nil) } }
}

extension GroupFigure where Model: KeypathSortable {
    private init(_ kind: AggregateKind, _ keyPath: PartialKeyPath<Model>) {
        self.init { QueryAggregate(kind, try PropertyPath(parsing: PropertyNames.required(keyPath))) }
    }

    /// The sum; 0 of nothing.
    public static func sum<Value>(of keyPath: KeyPath<Model, Value>) -> GroupFigure { GroupFigure(.sum, keyPath) }
    /// The least value; none of nothing.
    public static func min<Value>(of keyPath: KeyPath<Model, Value>) -> GroupFigure { GroupFigure(.min, keyPath) }
    /// The greatest value; none of nothing.
    public static func max<Value>(of keyPath: KeyPath<Model, Value>) -> GroupFigure { GroupFigure(.max, keyPath) }
    /// The average; none of nothing.
    public static func average<Value>(of keyPath: KeyPath<Model, Value>) -> GroupFigure { GroupFigure(.avg, keyPath) }
}

/// Figures of groups: made by the engine, without an object. They are of the moment at which they are asked for.
extension RealmCollection where Element: KeypathSortable {
    /// Figures of the objects, one group for each value that occurs in a property, in the order of those.
    ///
    /// ```swift
    /// for group in people.grouped(by: \.city, select: .count, .average(of: \.age)) { print(group.key, group[0], group[1]) }
    /// ```
    public func grouped<Key: _Storable & Hashable>(by keyPath: KeyPath<Element, Key>, select figures: GroupFigure<Element>...) -> [ResultsGroup<Key>] {
        groups([PropertyNames.required(keyPath)], figures) { values, core in Key._load(values[0], core) }
    }

    /// The same for each combination of values that occurs in some properties. With no paths there is one group of all.
    ///
    /// ```swift
    /// let figures = people.grouped(by: ["city", "employer.name"], select: "@count", "age.@max")
    /// ```
    public func grouped(by keyPaths: [String], select figures: GroupFigure<Element>...) -> [ResultsGroup<[AnyRealmValue]>] {
        groups(keyPaths, figures) { values, core in values.map { AnyRealmValue._load($0, core) } }
    }

    private func groups<Key>(_ keyPaths: [String], _ figures: [GroupFigure<Element>], _ key: ([FreeholdEngine.Value], RealmCore) -> Key) -> [ResultsGroup<Key>] {
        told([]) {
            let subject = try querySubject(), core = subject.core
            let groups = try subject.groups(by: keyPaths.map { try PropertyPath(parsing: $0) }, select: figures.map { try $0.aggregate() })
            return groups.map { ResultsGroup(key: key($0.values, core), figures: $0.figures.map { AnyRealmValue._load($0, core) }) }
        }
    }
}
