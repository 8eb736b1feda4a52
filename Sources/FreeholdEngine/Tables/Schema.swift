/// The classes of one version, as the file stores them: numbers for classes and properties never change.
///
/// Immutable, so that snapshots of one schema share it.
final class Schema: Sendable {
    let classes: [StoredClass]
    private let numbers: [String: Int]
    /// For each class, the link properties (class number, column) that point to it.
    let incoming: [[(table: Int, column: Int)]]

    static let empty = Schema([])

    init(_ classes: [StoredClass]) {
        self.classes = classes
        numbers = Dictionary(uniqueKeysWithValues: classes.enumerated().map { ($1.name, $0) })
        var incoming = Array(repeating: [(table: Int, column: Int)](), count: classes.count)
        for (table, stored) in classes.enumerated() {
            for (column, property) in stored.properties.enumerated() {
                if let target = property.linkTarget, Int(target) < classes.count { incoming[Int(target)].append((table, column)) }
            }
        }
        self.incoming = incoming
    }

    /// The number of the class so named.
    func number(of name: String) throws(FreeholdError) -> Int {
        if let number = numbers[name] { return number }
        throw FreeholdError(.unknownClass, "there is no class '\(name)'" + suggestion(for: name, among: classes.map(\.name)))
    }

    func find(_ name: String) -> StoredClass? { numbers[name].map { classes[$0] } }
}

/// A class with its number and the layout of its rows. Immutable; a class of its own, so that passing it on counts one
/// reference instead of one for each array and string in it.
final class StoredClass: Sendable, Equatable {
    let number: UInt32
    let name: String
    let properties: [StoredProperty]
    /// The index of the primary key among the properties.
    let primaryKey: Int?
    let layout: RowLayout
    /// The kind of leaf each column has.
    let leafKinds: [UInt8]
    /// Columns with an ordered tree.
    let treeColumns: [Int]

    /// As many as the references of one table root allow, with a tree and a dictionary for each.
    static let maximumProperties = 900

    init(number: UInt32, name: String, properties: [StoredProperty], primaryKey: Int?) {
        self.number = number
        self.name = name
        self.properties = properties
        self.primaryKey = primaryKey
        layout = RowLayout(properties)
        leafKinds = properties.map { BlockKind.leaf(of: $0.type).rawValue }
        treeColumns = properties.indices.filter { properties[$0].hasTree }
    }

    static func == (left: StoredClass, right: StoredClass) -> Bool {
        left === right || left.number == right.number && left.name == right.name && left.properties == right.properties
            && left.primaryKey == right.primaryKey
    }

    /// Whether the primary key is the object key.
    var isKeyedByInteger: Bool { primaryKey.map { properties[$0].isObjectKey } ?? false }

    func index(of property: String) throws(FreeholdError) -> Int {
        if let index = properties.firstIndex(where: { $0.name == property }) { return index }
        throw FreeholdError(.unknownProperty, "class '\(name)' has no property '\(property)'"
            + suggestion(for: property, among: properties.map(\.name)))
    }

    func column(_ index: Int) -> Column {
        let property = properties[index]
        return Column(table: number, index: index, type: property.type, isNullable: property.isNullable,
                      isObjectKey: property.isObjectKey)
    }

    /// What is wrong with a property of another class.
    func foreign(_ column: Column) -> FreeholdError {
        FreeholdError(.invalidArgument, "a \(column.type.name) property of another class was given for class '\(name)'; ask "
            + "the table of '\(name)' for its own by name")
    }
}

/// A property with its stable number; its place in its class is its column. A class for the same reason.
final class StoredProperty: Sendable, Equatable {
    let number: UInt32
    let name: String
    let type: PropertyType
    let isNullable: Bool
    let isIndexed: Bool
    let isUnique: Bool
    /// Whether this is the integer primary key: then no column stores it.
    let isObjectKey: Bool
    /// The class number a link points to.
    let linkTarget: UInt32?

    /// Whether an ordered tree over its values is kept: asked for, needed for a key, or for following links back.
    let hasTree: Bool

    init(number: UInt32, name: String, type: PropertyType, isNullable: Bool, isIndexed: Bool, isUnique: Bool,
         isObjectKey: Bool, linkTarget: UInt32?) {
        self.number = number
        self.name = name
        self.type = type
        self.isNullable = isNullable
        self.isIndexed = isIndexed
        self.isUnique = isUnique
        self.isObjectKey = isObjectKey
        self.linkTarget = linkTarget
        hasTree = (isIndexed || isUnique || type == .link) && !isObjectKey
    }

    static func == (left: StoredProperty, right: StoredProperty) -> Bool {
        left.number == right.number && left.name == right.name && left.type == right.type
            && left.isNullable == right.isNullable && left.isIndexed == right.isIndexed && left.isUnique == right.isUnique
            && left.isObjectKey == right.isObjectKey && left.linkTarget == right.linkTarget
    }
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
