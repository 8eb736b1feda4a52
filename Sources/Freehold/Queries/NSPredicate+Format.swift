public import Foundation
import FreeholdEngine

/// Predicates from strings, where Foundation has block predicates only.
///
/// ```swift
/// let predicate = NSPredicate(format: "color = %@ AND name BEGINSWITH %@", "brown", "B")
/// let dogs = realm.objects(Dog.self).filter(predicate)
/// ```
/// The string is in the language of docs/queries.md. `NSCompoundPredicate` joins such predicates. `evaluate(with:)`
/// works for managed objects only. Such a predicate cannot be archived, and `predicateFormat` does not return its
/// string.
extension NSPredicate {
    /// Creates a predicate from a string, with arguments for `%@` and `%K`. The string is parsed when the predicate is
    /// used.
    public convenience init(format: String, _ arguments: Any?...) { self.init(text: format, arguments: arguments.map { $0 as Any }) }

    /// Creates a predicate from a string, with an array of arguments for `%@` and `%K`.
    public convenience init(format: String, argumentArray arguments: [Any]?) { self.init(text: format, arguments: arguments ?? []) }

    private convenience init(text: String, arguments: [Any]) {
        // Safe: the block runs where the predicate's owner uses it.
        nonisolated(unsafe) let arguments = arguments
        self.init(block: { object, _ in
            if let probe = object as? PredicateProbe {
                (probe.text, probe.arguments) = (text, arguments)
                return true
            }
            return PredicateProbe.evaluate(text, arguments, object)
        })
    }
}

/// Passed to a predicate as the object to evaluate, to get its string and arguments.
private final class PredicateProbe {
    var text: String?
    var arguments: [Any] = []

    /// Whether the object meets the condition in the string.
    static func evaluate(_ text: String, _ arguments: [Any], _ object: Any?) -> Bool {
        guard let object = object as? ObjectBase, let core = object.core else {
            Misuse.report("A predicate created from a format string can only be evaluated with managed objects.")
            return false
        }
        guard core.enter() else { return false }
        return told(false) {
            let subject = QuerySubject(core: core, live: object.live(in: core), origin: .table)
            return try subject.refined(by: ObjectQuery(text, subject.arguments(arguments))).matches(ObjectKey(object._key))
        }
    }
}

extension QuerySubject {
    /// The query that a Foundation predicate stands for.
    func query(_ predicate: NSPredicate) throws(FreeholdError) -> ObjectQuery {
        if let compound = predicate as? NSCompoundPredicate { return ObjectQuery(try condition(compound)) }
        for constant in [true, false] where predicate.isEqual(NSPredicate(value: constant)) { return ObjectQuery(.constant(constant)) }
        let probe = PredicateProbe()
        _ = predicate.evaluate(with: probe)
        guard let text = probe.text else {
            throw FreeholdError(.malformedInput, "Only predicates created from a format string can be queried; a block cannot be translated. Filter the collection in Swift instead.")
        }
        return try ObjectQuery(text, arguments(probe.arguments))
    }

    private func condition(_ compound: NSCompoundPredicate) throws(FreeholdError) -> QueryCondition {
        var parts: [QueryCondition] = []
        for part in compound.subpredicates {
            let query = try query(part)
            guard query.steps.isEmpty else {
                throw FreeholdError(.malformedInput, "'\(query)' cannot be part of another predicate: only conditions can be combined")
            }
            parts.append(query.condition)
        }
        return switch compound.compoundPredicateType {
        case .and: .all(parts)
        case .or: .any(parts)
        case .not: .not(parts.first ?? .constant(true))
        }
    }
}

extension RealmCollection {
    /// The objects for which a predicate is true.
    public func filter(_ predicate: NSPredicate) -> Results<Element> { refined { try $0.query(predicate) } }

    /// The position of the first object for which a predicate is true; nil if there is none.
    public func index(matching predicate: NSPredicate) -> Int? { place { try $0.query(predicate) } }
}

extension Map {
    /// The objects for which a predicate is true.
    public func filter<Model: ObjectBase>(_ predicate: NSPredicate) -> Results<Model> where Value == Model? { refined { try $0.query(predicate) } }
}
