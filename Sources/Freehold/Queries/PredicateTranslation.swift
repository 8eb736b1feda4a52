import Foundation
import FreeholdEngine

/// The translation of one part of a Foundation predicate into a query.
indirect enum TranslatedPredicate {
    case condition(QueryCondition)
    /// A property, perhaps over links; for each collection on the path, the number of steps that lead to it.
    case path(PropertyPath, collections: [Int])
    /// A value of the program, or a collection of values.
    case value(Any)
    case expression(QueryExpression)
    /// Elements of a collection that meet a condition, in which the variable stands for the element.
    case elements(PropertyPath, variable: String, QueryCondition)
}

/// A part of a Foundation predicate that queries support.
protocol TranslatablePredicate {
    func translated(_ translation: PredicateTranslation) throws(FreeholdError) -> TranslatedPredicate
}

/// Translates one Foundation predicate into a query.
final class PredicateTranslation {
    private let subject: QuerySubject
    private var variables: [PredicateExpressions.VariableID: TranslatedPredicate] = [:]
    private var variableCount = 0

    init(_ subject: QuerySubject) { self.subject = subject }

    static func query<Model>(_ predicate: Predicate<Model>, of subject: QuerySubject) throws(FreeholdError) -> ObjectQuery {
        let translation = PredicateTranslation(subject)
        translation.variables[predicate.variable.key] = .path(PropertyPath([]), collections: [])
        return ObjectQuery(try translation.condition(predicate.expression))
    }

    func translated(_ part: Any) throws(FreeholdError) -> TranslatedPredicate {
        if let known = part as? any TranslatablePredicate { return try known.translated(self) }
        throw FreeholdError(.malformedInput, "queries do not support \(Self.name(part)) of #Predicate")
    }

    private static func name(_ part: Any) -> String {
        let name = "\(type(of: part))"
        return String(name[..<(name.firstIndex(of: "<") ?? name.endIndex)])
    }

    // MARK: Variables

    func variable(_ id: PredicateExpressions.VariableID) throws(FreeholdError) -> TranslatedPredicate {
        if let known = variables[id] { return known }
        throw FreeholdError(.malformedInput, "a variable of a #Predicate is used outside of its closure")
    }

    /// Binds a variable to a meaning while a condition is translated.
    func binding<Result>(_ id: PredicateExpressions.VariableID, to meaning: TranslatedPredicate,
                         _ body: () throws(FreeholdError) -> Result) throws(FreeholdError) -> Result {
        variables[id] = meaning
        defer { variables[id] = nil }
        return try body()
    }

    /// A condition on the elements of a collection, with the collection's path and the variable that stands for the
    /// element.
    func elements(_ sequence: Any, _ id: PredicateExpressions.VariableID, _ test: Any) throws(FreeholdError) -> (PropertyPath, String, QueryCondition) {
        guard case .path(let path, _) = try translated(sequence) else {
            throw FreeholdError(.malformedInput, "in a #Predicate, a closure can only test a collection of objects")
        }
        variableCount += 1
        let name = "element\(variableCount)"
        let element = TranslatedPredicate.path(PropertyPath([], variable: name), collections: [])
        let condition: QueryCondition = try binding(id, to: element) { () throws(FreeholdError) -> QueryCondition in try self.condition(test) }
        return (path, name, condition)
    }

    // MARK: Conditions and expressions

    func condition(_ part: Any) throws(FreeholdError) -> QueryCondition {
        switch try translated(part) {
        case .condition(let condition): return condition
        case .value(let value):
            if let flag = value as? Bool { return .constant(flag) }
            throw FreeholdError(.malformedInput, "'\(value)' is not a condition")
        case .path(let path, let collections):
            return .comparison(QueryComparison(.path(path), .equal, .value(.bool(true)), quantifier: collections.isEmpty ? nil : .any))
        case .expression, .elements: throw FreeholdError(.malformedInput, "a #Predicate must be a condition")
        }
    }

    func expression(_ part: Any) throws(FreeholdError) -> QueryExpression {
        switch try translated(part) {
        case .path(let path, _): return .path(path)
        case .value(let value): return QueryArgument.expression(try self.value(value))
        case .expression(let expression): return expression
        case .condition, .elements: throw FreeholdError(.malformedInput, "a condition cannot be compared in a query")
        }
    }

    func value(_ value: Any) throws(FreeholdError) -> Value { try QueryArgument.value(value, in: subject.core) }

    func comparison(_ left: Any, _ relation: QueryComparison.Relation, _ right: Any) throws(FreeholdError) -> TranslatedPredicate {
        let one = try expression(left), other = try expression(right)
        return .condition(.comparison(QueryComparison(one, relation, other)))
    }

    /// The path of a property of another part.
    func path(_ root: Any, _ keyPath: AnyKeyPath) throws(FreeholdError) -> TranslatedPredicate {
        switch try translated(root) {
        case .path(let path, let collections):
            if let figure = CollectionKeyPath(keyPath) { return try self.figure(figure, of: path) }
            guard let names = PathRecorder.names(of: keyPath) else {
                throw FreeholdError(.unknownProperty, "\(keyPath) is not a persisted property and cannot be used in a query")
            }
            let steps = path.steps + names.map { .property($0) }
            return .path(PropertyPath(steps, variable: path.variable), collections: collections)
        case .elements(let path, let variable, let condition):
            let count = QueryExpression.subquery(path, variable: variable, condition)
            switch CollectionKeyPath(keyPath) {
            case .count: return .expression(count)
            case .isEmpty: return .condition(.comparison(QueryComparison(count, .equal, .value(.int(0)))))
            case nil: throw FreeholdError(.malformedInput, "filtered elements support only count and isEmpty in a query, not \(keyPath)")
            }
        case .value(let value):
            // A property of a value of the program is read now.
            guard let found = read(keyPath, of: value) else { throw FreeholdError(.malformedInput, "\(keyPath) cannot be read from '\(value)'") }
            return .value(found)
        case .condition, .expression: throw FreeholdError(.malformedInput, "\(keyPath) cannot be read from a condition or a number")
        }
    }

    private func figure(_ figure: CollectionKeyPath, of path: PropertyPath) throws(FreeholdError) -> TranslatedPredicate {
        let count = PropertyPath(path.steps + [.aggregate(.count)], variable: path.variable)
        switch figure {
        case .count: return .path(count, collections: [])
        case .isEmpty: return .condition(.comparison(QueryComparison(.path(count), .equal, .value(.int(0)))))
        }
    }
}

/// Key paths of collections that queries support.
private enum CollectionKeyPath {
    case count
    case isEmpty

    init?(_ keyPath: AnyKeyPath) {
        let type = Swift.type(of: keyPath)
        guard type.rootType is any Collection.Type || type.rootType is any RealmKeyedCollection.Type, !(type.rootType is any StringProtocol.Type) else { return nil }
        if type.valueType == Int.self { self = .count } else if type.valueType == Bool.self { self = .isEmpty } else { return nil }
    }
}

/// Reads a key path from a value of unknown type.
private func read(_ keyPath: AnyKeyPath, of root: some Any) -> Any? { root[keyPath: keyPath] }
