import FreeholdEngine

/// Sorting and removing duplicates in collections of values. Strings and data are ordered by their bytes; null comes
/// first. Enumerations and wrappers are ordered by the values they are stored as.
extension RealmCollection where Element.PersistedType: SortableType {
    /// The values, sorted; nil values come first.
    public func sorted(ascending: Bool = true) -> Results<Element> { valueResults(.sort(isAscending: ascending)) }
}

extension RealmCollection {
    /// The values without duplicates: the first of all equal ones.
    public func distinct() -> Results<Element> { valueResults(.distinct) }

    fileprivate func valueResults(_ step: ValueSource<Element>.Step) -> Results<Element> {
        if let results = self as? Results<Element>, let source = results.source as? ValueSource<Element> { return Results(source.followed(by: step)) }
        return told(Results(ResultsSource(in: nil))) {
            if let any = self as? AnyRealmCollection<Element> {
                func opened(_ base: some RealmCollection<Element>) -> Results<Element> { base.valueResults(step) }
                return opened(any.base)
            }
            let place = switch self {
            case let list as List<Element>: list.place
            case let set as MutableSet<Element>: set.place
            default: throw FreeholdError(.typeMismatch, "This method may only be called on collections of values; objects are sorted and made distinct by properties: sorted(byKeyPath:), distinct(by:)")
            }
            guard let place else { throw CollectionPlace.unmanaged("RLMArray") }
            return Results(ValueSource(place, [step]))
        }
    }
}

extension Map where Value.PersistedType: SortableType {
    /// The values, sorted; nil values come first.
    public func sorted(ascending: Bool = true) -> Results<Value> {
        told(Results(ResultsSource(in: nil))) {
            guard let place else { throw CollectionPlace.unmanaged("RLMDictionary") }
            return Results(ValueSource<Value>(place, [.sort(isAscending: ascending)]))
        }
    }
}
