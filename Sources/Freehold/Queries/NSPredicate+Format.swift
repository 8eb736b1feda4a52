public import Foundation
import FreeholdEngine

/// Predicates as texts, where Foundation has those of blocks only.
///
/// ```swift
/// let predicate = NSPredicate(format: "color = %@ AND name BEGINSWITH %@", "brown", "B")
/// let dogs = realm.objects(Dog.self).filter(predicate)
/// ```
/// The text is in the language of docs/queries.md. `NSCompoundPredicate` joins such predicates. Evaluated by itself (`evaluate(with:)`),
/// one is for objects of realms; and it cannot be archived, nor does `predicateFormat` tell its text.
extension NSPredicate {
    /// What a text says, with arguments for `%@` and `%K`. It is read when it is used.
    public convenience init(format: String, _ arguments: Any?...) { self.init(text: format, arguments: arguments.map { $0 as Any }) }

    /// The same with its arguments as an array.
    public convenience init(format: String, argumentArray arguments: [Any]?) { self.init(text: format, arguments: arguments ?? []) }

    private convenience init(text: String, arguments: [Any]) {
        // Safe: the block is called by who has the predicate, where that is used.
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

/// What asks a predicate for its text.
private final class PredicateProbe {
    var text: String?
    var arguments: [Any] = []

    /// Whether the object is as the text says.
    static func evaluate(_ text: String, _ arguments: [Any], _ object: Any?) -> Bool {
        guard let object = object as? ObjectBase, let core = object.core else {
            Misuse.report("A predicate made of a text can only be evaluated with objects that belong to a realm.")
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
    /// What a predicate of Foundation says.
    func query(_ predicate: NSPredicate) throws(FreeholdError) -> ObjectQuery {
        if let compound = predicate as? NSCompoundPredicate { return ObjectQuery(try condition(compound)) }
        for constant in [true, false] where predicate.isEqual(NSPredicate(value: constant)) { return ObjectQuery(.constant(constant)) }
        let probe = PredicateProbe()
        _ = predicate.evaluate(with: probe)
        guard let text = probe.text else {
            throw FreeholdError(.malformedInput, "Only predicates made of a text can be asked: a block cannot be looked into. Use the filter of Swift's collections for it.")
        }
        return try ObjectQuery(text, arguments(probe.arguments))
    }

    private func condition(_ compound: NSCompoundPredicate) throws(FreeholdError) -> QueryCondition {
        var parts: [QueryCondition] = []
        for part in compound.subpredicates {
            let query = try query(part)
            guard query.steps.isEmpty else {
                throw FreeholdError(.malformedInput, "'\(query)' cannot be a part of another predicate: only conditions can be joined")
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
    /// The objects that a predicate is true of.
    public func filter(_ predicate: NSPredicate) -> Results<Element> { refined { try $0.query(predicate) } }

    /// The place of the first object that a predicate is true of; nil if there is none.
    public func index(matching predicate: NSPredicate) -> Int? { place { try $0.query(predicate) } }
}

extension Map {
    /// The objects that a predicate is true of.
    public func filter<Model: ObjectBase>(_ predicate: NSPredicate) -> Results<Model> where Value == Model? { refined { try $0.query(predicate) } }
}
