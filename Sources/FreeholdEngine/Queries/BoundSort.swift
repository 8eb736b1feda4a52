/// A sort key with resolved names.
struct BoundSort {
    let path: BoundPath
    let isAscending: Bool
    /// The order of strings; nil for that of their bytes.
    let collation: LanguageOrder?

    /// The key in the sorter's form; nil if its path is more than links and a property.
    var term: SortTerm? {
        var term = path.sortTerm(isAscending: isAscending)
        term?.collation = collation
        return term
    }

    /// The value to sort by.
    func value(_ context: QueryContext) throws(FreeholdError) -> SortValue {
        let value = try path.sortValue(context)
        guard let collation, case .value(.string(var text)) = value else { return value }
        return .collated(text.withUTF8 { collation.key(of: UnsafeRawBufferPointer($0)) })
    }
}
