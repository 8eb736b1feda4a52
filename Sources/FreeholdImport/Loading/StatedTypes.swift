import FreeholdEngine

/// The properties whose type was declared, by an option or by the class as it was before the import; the types of the
/// others were inferred.
struct StatedTypes {
    private let options: ImportOptions
    /// By class, the properties that it had before the import.
    private let existing: TextMap<Set<ExactText>>

    init(before transaction: WriteTransaction, _ options: ImportOptions) {
        self.options = options
        existing = TextMap(uniqueKeysWithValues: transaction.classes.map { ($0.name, Set(exact: $0.properties.map(\.name))) })
    }

    /// - Parameter lineage: the class and its superclasses.
    func has(_ property: String, of className: String, lineage: Set<ExactText>) -> Bool {
        if options.declaredTypes["\(className).\(property)"] != nil { return true }
        if lineage.contains(options.className), options.declaredTypes[property] != nil { return true }
        return lineage.contains { existing[$0.text]?.contains(property) ?? false }
    }
}
