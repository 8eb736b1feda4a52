public import Foundation
import FreeholdEngine

/// Foundation's predicates, which the compiler checks.
///
/// ```swift
/// let limit = 5
/// let dogs = realm.objects(Dog.self).filter(#Predicate { $0.age > limit && $0.owner?.name == "Ann" })
/// ```
/// Queries know comparisons, `&&`, `||`, `!`, arithmetic, ranges, `contains`, `starts(with:)`, optional chaining, and
/// of collections `count`, `isEmpty`, `contains`, `contains(where:)`, `allSatisfy` and `filter { }.count`. Others are told as mistakes.
extension RealmCollection {
    /// The objects that a predicate is true of.
    public func filter(_ predicate: Predicate<Element>) -> Results<Element> { refined { try PredicateTranslation.query(predicate, of: $0) } }

    /// The place of the first object that a predicate is true of; nil if there is none.
    public func index(matching predicate: Predicate<Element>) -> Int? { place { try PredicateTranslation.query(predicate, of: $0) } }
}

extension Map {
    /// The objects that a predicate is true of.
    public func filter<Model: ObjectBase>(_ predicate: Predicate<Model>) -> Results<Model> where Value == Model? {
        refined { try PredicateTranslation.query(predicate, of: $0) }
    }
}
