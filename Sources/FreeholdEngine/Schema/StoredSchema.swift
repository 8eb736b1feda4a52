/// The classes of one version, as the file stores them: numbers for classes and properties never change.
///
/// Immutable, so that snapshots of one schema share it.
final class StoredSchema: Sendable {
    /// The classes, by number; dropped ones have no name and no properties. Subclasses have no properties either: their
    /// table has them (`Family`).
    let classes: [StoredClass]
    /// The schema version of the programs that use the file; nil if none was set.
    let version: UInt64?
    /// For each class, the class whose table has its objects: itself, or the root of the classes it extends.
    let tables: [Int]
    private let numbers: TextMap<Int>
    /// The numbers of the classes, by name.
    var numbersByName: TextMap<Int> { numbers }
    /// For each table, the link properties (class number, column) that may point to objects in it; a mixed one may to any.
    let incoming: [[(table: Int, column: Int)]]

    /// For each table, its link properties that do more than clear the link when a target is deleted.
    let rules: [[LinkRule]]

    /// Whether a class has a derived index.
    let hasDerived: Bool
    /// For each table, the fields of derived indexes that lead into it through a link; empty if there are none.
    let derivedThrough: [[DerivedRoute]]
    /// The tables of synced classes.
    let synced: SyncedTables
    /// Whether a class is synced.
    var hasSynced: Bool { !synced.isEmpty }

    static let empty = StoredSchema([])

    /// The number of classes that a file may have: what the references of one top block allow.
    static let maximumClasses = 2000

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
        hasDerived = classes.contains { !$0.derived.isEmpty }
        derivedThrough = hasDerived ? DerivedRoute.routes(classes, tables) : []
        synced = SyncedTables(classes, tables)
    }

    /// The number of the class with this name.
    func number(of name: String) throws(FreeholdError) -> Int {
        if let number = numbers[name] { return number }
        let names = present.map(\.name).filter { !ClassSchema.isHidden($0) }
        throw FreeholdError(.unknownClass, "there is no class '\(shown(name))'" + suggestion(for: name, among: names))
    }

    func name(ofClass number: Int) throws(FreeholdError) -> String {
        if classes.indices.contains(number) { return classes[number].name }
        throw FreeholdError(.unknownClass, "there is no class number \(number)")
    }

    func find(_ name: String) -> StoredClass? { numbers[name].map { classes[$0] } }

    /// The class of this number; nil if there is none or it was dropped.
    func find(number: Int) -> StoredClass? { number < classes.count && !classes[number].isDropped ? classes[number] : nil }

    /// The class whose table has the objects of a class.
    func table(of number: Int) -> Int { tables[number] }

    /// The scope of a class's objects in its table; nil for all objects of the table.
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

/// The effect of deleting an object on the objects one of its properties links to.
struct LinkRule {
    let column: Int
    let rule: DeleteRule
    /// The number of the table linked to.
    let target: Int
    /// Whether its classes are embedded: its objects are deleted as soon as the property stops linking to them.
    let isOwned: Bool
}
