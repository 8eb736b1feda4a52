/// The classes of one version, as the file stores them: numbers for classes and properties never change.
///
/// Immutable, so that snapshots of one schema share it.
final class Schema: Sendable {
    /// By number; those dropped have no name and no properties.
    let classes: [StoredClass]
    private let numbers: [String: Int]
    /// For each class, the link properties (class number, column) that point to it.
    let incoming: [[(table: Int, column: Int)]]

    /// For each class, its link properties that do more than forget their targets when an object of it is deleted.
    let rules: [[LinkRule]]

    static let empty = Schema([])

    init(_ classes: [StoredClass]) {
        self.classes = classes
        numbers = Dictionary(uniqueKeysWithValues: classes.filter { !$0.isDropped }.map { ($0.name, Int($0.number)) })
        var incoming = Array(repeating: [(table: Int, column: Int)](), count: classes.count)
        for (table, stored) in classes.enumerated() {
            for (column, property) in stored.properties.enumerated() {
                if let target = property.linkTarget, Int(target) < classes.count { incoming[Int(target)].append((table, column)) }
            }
        }
        self.incoming = incoming
        rules = classes.map { stored in
            stored.properties.enumerated().compactMap { column, property in
                guard let target = property.linkTarget, Int(target) < classes.count else { return nil }
                let isOwned = classes[Int(target)].isEmbedded
                if property.deleteRule == .nullify && !isOwned { return nil }
                return LinkRule(column: column, rule: isOwned ? .cascade : property.deleteRule, target: Int(target), isOwned: isOwned)
            }
        }
    }

    /// The number of the class so named.
    func number(of name: String) throws(FreeholdError) -> Int {
        if let number = numbers[name] { return number }
        throw FreeholdError(.unknownClass, "there is no class '\(name)'" + suggestion(for: name, among: present.map(\.name)))
    }

    func find(_ name: String) -> StoredClass? { numbers[name].map { classes[$0] } }

    /// The class of this number, unless there is none or it was dropped.
    func find(number: Int) -> StoredClass? { number < classes.count && !classes[number].isDropped ? classes[number] : nil }

    /// The classes that were not dropped.
    var present: [StoredClass] { classes.filter { !$0.isDropped } }
}

/// What deleting an object does to those that one of its properties links to.
struct LinkRule {
    let column: Int
    let rule: DeleteRule
    /// The number of the class linked to.
    let target: Int
    /// Whether that class is embedded: its objects are deleted as soon as the property lets go of them.
    let isOwned: Bool
}

/// `; did you mean 'x'?` for the nearest name within two edits, or nothing.
func suggestion(for name: String, among names: [String]) -> String {
    let best = names.map { ($0, editDistance($0, name)) }.min { $0.1 < $1.1 }
    guard let best, best.1 <= 2, best.1 < name.count else { return "" }
    return "; did you mean '\(best.0)'?"
}

private func editDistance(_ left: String, _ right: String) -> Int {
    let left = Array(left.prefix(64)), right = Array(right.prefix(64))
    var row = Array(0...right.count)
    for (i, character) in left.enumerated() {
        var diagonal = row[0]
        row[0] = i + 1
        for (j, other) in right.enumerated() {
            let cost = character == other ? diagonal : min(diagonal, row[j], row[j + 1]) + 1
            diagonal = row[j + 1]
            row[j + 1] = cost
        }
    }
    return row[right.count]
}
