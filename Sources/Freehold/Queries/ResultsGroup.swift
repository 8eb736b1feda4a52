import FreeholdEngine

/// A group of objects that have the same values, and its aggregates.
public struct ResultsGroup<Key: Hashable>: Hashable {
    /// The values that the objects have in common.
    public let key: Key
    /// The aggregates, in the order in which they were requested.
    public let figures: [AnyRealmValue]

    /// The aggregate at a position in the order in which they were requested.
    public subscript(figure: Int) -> AnyRealmValue { figures[figure] }
}

extension ResultsGroup: CustomStringConvertible {
    /// The key and the aggregates, formatted like an object.
    public var description: String {
        "ResultsGroup {\n\tkey = \(ObjectBase.line(key));\n\tfigures = \(figures);\n}"
    }
}

/// An aggregate of the objects of a group: their count, or an aggregate of one of their properties. Null values do not
/// count.
///
/// A string literal works as well: `"@count"`, `"age.@avg"`, `"dogs.@count"`.
public struct GroupFigure<Model>: ExpressibleByStringLiteral {
    let aggregate: () throws -> QueryAggregate

    private init(_ aggregate: @escaping () throws -> QueryAggregate) { self.aggregate = aggregate }

    /// The aggregate named by a string: `@count`, or a path and one of `@count`, `@sum`, `@min`, `@max`, `@avg`.
    public init(_ text: String) {
        self.init {
            guard case .group(_, let figures) = try ObjectQuery("GROUP() SELECT(\(text))").steps.first, figures.count == 1 else {
                throw FreeholdError(.malformedInput, "'\(text)' is not an aggregate")
            }
            return figures[0]
        }
    }

    public init(stringLiteral text: String) { self.init(text) }

    /// The number of objects.
    public static var count: GroupFigure { GroupFigure { QueryAggregate(.count, nil) } }
}

extension GroupFigure where Model: KeypathSortable {
    private init(_ kind: AggregateKind, _ keyPath: PartialKeyPath<Model>) {
        self.init { QueryAggregate(kind, try PropertyPath(parsing: PropertyNames.required(keyPath))) }
    }

    /// The sum; 0 if the group is empty.
    public static func sum<Value>(of keyPath: KeyPath<Model, Value>) -> GroupFigure { GroupFigure(.sum, keyPath) }
    /// The minimum; nil if there is no value.
    public static func min<Value>(of keyPath: KeyPath<Model, Value>) -> GroupFigure { GroupFigure(.min, keyPath) }
    /// The maximum; nil if there is no value.
    public static func max<Value>(of keyPath: KeyPath<Model, Value>) -> GroupFigure { GroupFigure(.max, keyPath) }
    /// The average; nil if there is no value.
    public static func average<Value>(of keyPath: KeyPath<Model, Value>) -> GroupFigure { GroupFigure(.avg, keyPath) }
}

/// Aggregates of groups, computed by the engine without creating objects. They are not live.
extension RealmCollection where Element: KeypathSortable {
    /// Groups the objects by a property, and returns the aggregates of each group, in the order of the property's
    /// values.
    ///
    /// ```swift
    /// for group in people.grouped(by: \.city, select: .count, .average(of: \.age)) { print(group.key, group[0], group[1]) }
    /// ```
    public func grouped<Key: _Storable & Hashable>(by keyPath: KeyPath<Element, Key>, select figures: GroupFigure<Element>...) -> [ResultsGroup<Key>] {
        groups([PropertyNames.required(keyPath)], figures) { values, core in Key._load(values[0], core) }
    }

    /// Groups the objects by each combination of values of some properties. With no paths there is one group of all
    /// objects.
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
