import FreeholdEngine

/// Objects that name their own class, a subclass of the class they are imported into.
extension RecordLoader {
    /// The class of an object imported into a class: the class it names, or else that class.
    func concreteName(_ object: ImportedObject, of name: String) throws(LoadFault) -> String {
        guard let told = object.className, told != .null else { return name }
        guard case .text(let wanted) = told else { throw .record("\(ImportedObject.classMember) is \(told.kindName), not the name of a class") }
        do throws(FreeholdError) {
            if try extends(wanted, name) { return wanted }
        } catch {
            throw .other(error)
        }
        throw .record("\(ImportedObject.classMember) names '\(wanted)', which is not '\(name)' and does not extend it")
    }

    /// Whether a class equals another one or extends it.
    func extends(_ name: String, _ base: String) throws(FreeholdError) -> Bool {
        if name.isSame(as: base) { return true }
        return try lineage(of: name).contains(base)
    }

    /// A class and its superclasses.
    func lineage(of name: String) throws(FreeholdError) -> Set<ExactText> {
        if let known = lineages[name] { return known }
        guard let transaction else { return [] }
        let classes = transaction.classes
        var line: Set<ExactText> = [], next: String? = name
        while let current = next, let schema = classes.first(where: { $0.name.isSame(as: current) }) {
            line.insert(current)
            next = schema.superclass
        }
        lineages[name] = line
        return line
    }
}
