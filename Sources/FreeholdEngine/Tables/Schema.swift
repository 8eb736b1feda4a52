/// The classes of one version, as the file stores them: numbers for classes and properties never change.
///
/// Immutable, so that snapshots of one schema share it.
final class Schema: Sendable {
    /// By number; those dropped have no name and no properties. Those that extend another one have no properties either: its
    /// table has them (`Family`).
    let classes: [StoredClass]
    /// What the programs that use the file count their classes' versions by; nil: none has said.
    let version: UInt64?
    /// For each class the one whose table has its objects: itself, or the first of those it extends.
    let tables: [Int]
    private let numbers: TextMap<Int>
    /// The classes' numbers by their names.
    var numbersByName: TextMap<Int> { numbers }
    /// For each table, the link properties (class number, column) that may point to objects in it; a mixed one may to any.
    let incoming: [[(table: Int, column: Int)]]

    /// For each table, its link properties that do more than forget their targets when an object of it is deleted.
    let rules: [[LinkRule]]

    static let empty = Schema([])

    init(_ given: [StoredClass], version: UInt64? = nil) {
        self.version = version
        let (classes, tables) = Family.join(given)
        self.classes = classes
        self.tables = tables
        numbers = TextMap(uniqueKeysWithValues: classes.filter { !$0.isDropped }.map { ($0.name, Int($0.number)) })
        var incoming = Array(repeating: [(table: Int, column: Int)](), count: classes.count)
        for (table, stored) in classes.enumerated() {
            for (column, property) in stored.properties.enumerated() {
                if let target = property.linkTarget, Int(target) < classes.count { incoming[tables[Int(target)]].append((table, column)) }
                guard property.type == .mixed else { continue }
                for target in classes.indices where !classes[target].isEmbedded && tables[target] == target {
                    incoming[target].append((table, column))
                }
            }
        }
        self.incoming = incoming
        rules = classes.map { stored in
            stored.properties.enumerated().compactMap { column, property in
                guard let target = property.linkTarget, Int(target) < classes.count else { return nil }
                let isOwned = classes[Int(target)].isEmbedded
                if property.deleteRule == .nullify && !isOwned { return nil }
                return LinkRule(column: column, rule: isOwned ? .cascade : property.deleteRule, target: tables[Int(target)], isOwned: isOwned)
            }
        }
    }

    /// The number of the class so named.
    func number(of name: String) throws(FreeholdError) -> Int {
        if let number = numbers[name] { return number }
        throw FreeholdError(.unknownClass, "there is no class '\(name)'" + suggestion(for: name, among: present.map(\.name)))
    }

    func name(ofClass number: Int) throws(FreeholdError) -> String {
        if classes.indices.contains(number) { return classes[number].name }
        throw FreeholdError(.unknownClass, "there is no class number \(number)")
    }

    func find(_ name: String) -> StoredClass? { numbers[name].map { classes[$0] } }

    /// The class of this number, unless there is none or it was dropped.
    func find(number: Int) -> StoredClass? { number < classes.count && !classes[number].isDropped ? classes[number] : nil }

    /// The class whose table has the objects of a class.
    func table(of number: Int) -> Int { tables[number] }

    /// Which objects of the table are those of a class: nil for all of them.
    func scope(of number: Int, withSubclasses: Bool) -> ClassScope? {
        guard let member = classes[tables[number]].family?.member(UInt32(number)) else { return nil }
        if withSubclasses, tables[number] == number { return nil }
        return withSubclasses ? member.scope : member.exactScope
    }

    /// The classes that have a table of their own.
    var presentTables: [StoredClass] { present.filter { $0.superclass == nil } }

    /// The classes that were not dropped.
    var present: [StoredClass] { classes.filter { !$0.isDropped } }
}

/// What deleting an object does to those that one of its properties links to.
struct LinkRule {
    let column: Int
    let rule: DeleteRule
    /// The number of the table linked to.
    let target: Int
    /// Whether its classes are embedded: its objects are deleted as soon as the property lets go of them.
    let isOwned: Bool
}
