public import Foundation
import FreeholdEngine

/// Queries from Foundation predicates, which the compiler checks.
///
/// ```swift
/// let limit = 5
/// let dogs = realm.objects(Dog.self).filter(#Predicate { $0.age > limit && $0.owner?.name == "Ann" })
/// ```
/// Supported are comparisons, `&&`, `||`, `!`, arithmetic, ranges, `contains`, `starts(with:)`, optional chaining, and
/// for collections `count`, `isEmpty`, `contains`, `contains(where:)`, `allSatisfy` and `filter { }.count`. Any other
/// expression is reported as misuse.
extension RealmCollection {
    /// The objects for which a predicate is true.
    public func filter(_ predicate: Predicate<Element>) -> Results<Element> { refined { try PredicateTranslation.query(predicate, of: $0) } }

    /// The position of the first object for which a predicate is true; nil if there is none.
    public func index(matching predicate: Predicate<Element>) -> Int? { place { try PredicateTranslation.query(predicate, of: $0) } }
}

extension Map {
    /// The objects for which a predicate is true.
    public func filter<Model: ObjectBase>(_ predicate: Predicate<Model>) -> Results<Model> where Value == Model? {
        refined { try PredicateTranslation.query(predicate, of: $0) }
    }
}
