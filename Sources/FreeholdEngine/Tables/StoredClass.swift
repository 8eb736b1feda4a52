/// A class with its number and the layout of its rows. Immutable; a class of its own, so that passing it on counts one
/// reference instead of one for each array and string in it.
final class StoredClass: Sendable, Equatable {
    let number: UInt32
    let name: String
    let properties: [StoredProperty]
    /// The indices of the primary key among the properties; mostly one.
    let primaryKeys: [Int]
    /// The only one of them; nil where there are none or several.
    let primaryKey: Int?
    /// The number of the class it extends: then its objects and properties are in the table of the first of those (`Family`).
    let superclass: UInt32?
    /// The classes that extend it, at whatever distance, by number.
    let heirs: [StoredHeir]
    /// All of them and itself; nil where no class extends it.
    let family: Family?
    let isEmbedded: Bool
    /// Indexes over several properties.
    let indexes: [StoredIndex]
    /// The number of the property added next: those of dropped properties are not given again.
    let nextPropertyNumber: UInt32
    /// The number of the index added next, likewise.
    let nextIndexNumber: UInt32
    let layout: RowLayout
    /// The kind of leaf each column has.
    let leafKinds: [UInt8]
    /// Columns of one property with an ordered tree.
    let treeColumns: [Int]
    /// Tells classes apart in which a property has another place (`TableState+Columns`).
    let stamp: UInt64
    /// Columns that hold collections.
    let collectionColumns: [Int]
    /// The types of columns whose values need no more than to be written; nil for others: links, mixed values, collections, unique ones,
    /// and those that some objects do not have.
    let plainTypes: [PropertyType?]

    /// Whether there is any ordered tree.
    var hasTrees: Bool { !treeColumns.isEmpty || !indexes.isEmpty }

    /// The index that makes a primary key of several properties unique; it is the first one then.
    var keyIndex: StoredIndex? { primaryKeys.count > 1 ? indexes.first : nil }

    /// As many as the references of one table root allow, with a tree and a dictionary for each.
    static let maximumProperties = 900
    /// As many as leave room for the trees and dictionaries of all properties.
    static let maximumIndexes = 64

    /// - Parameter nextPropertyNumber: nil for one above those in use; likewise `nextIndexNumber`.
    init(number: UInt32, name: String, properties: [StoredProperty], primaryKeys: [Int] = [], superclass: UInt32? = nil,
         isEmbedded: Bool = false, indexes: [StoredIndex] = [], nextPropertyNumber: UInt32? = nil, nextIndexNumber: UInt32? = nil,
         heirs: [StoredHeir] = []) {
        self.number = number
        self.name = name
        self.properties = properties
        self.primaryKeys = primaryKeys
        primaryKey = primaryKeys.count == 1 ? primaryKeys[0] : nil
        self.superclass = superclass
        self.isEmbedded = isEmbedded
        self.indexes = indexes
        self.nextPropertyNumber = nextPropertyNumber ?? properties.map { $0.number + 1 }.max() ?? 0
        self.nextIndexNumber = nextIndexNumber ?? indexes.map { $0.number + 1 }.max() ?? 0
        layout = RowLayout(properties)
        leafKinds = properties.map { BlockKind.leaf(of: $0.storageType).rawValue }
        collectionColumns = properties.indices.filter { properties[$0].shape != nil }
        plainTypes = properties.map { $0.isPlain ? $0.type : nil }
        treeColumns = properties.indices.filter { properties[$0].hasTree }
        stamp = Self.stamp(number, properties)
        self.heirs = heirs
        family = heirs.isEmpty ? nil : Family(number, name, heirs, properties, layout)
    }

    static func == (left: StoredClass, right: StoredClass) -> Bool {
        left === right || left.number == right.number && left.name.isSame(as: right.name) && left.properties == right.properties
            && left.primaryKeys == right.primaryKeys && left.superclass == right.superclass
            && left.isEmbedded == right.isEmbedded && left.indexes == right.indexes
            && left.nextPropertyNumber == right.nextPropertyNumber && left.nextIndexNumber == right.nextIndexNumber
            && left.heirs == right.heirs
    }

    /// Whether the primary key is the object key.
    var isKeyedByInteger: Bool { primaryKey.map { properties[$0].isObjectKey } ?? false }

    /// The place of a property of the class itself, not of one that extends it.
    func index(of property: String) throws(FreeholdError) -> Int {
        if let index = properties.firstIndex(where: { $0.name.isSame(as: property) && $0.owner == nil && !$0.isClass }) { return index }
        throw FreeholdError(.unknownProperty, "class '\(name)' has no property '\(property)'"
            + suggestion(for: property, among: properties.filter { $0.owner == nil }.map(\.name)))
    }

    func column(_ index: Int) -> Column {
        let property = properties[index]
        return Column(table: number, number: property.number, place: Int32(index), stamp: stamp, type: property.type, isNullable: property.isNullable,
                      isObjectKey: property.isObjectKey, isCollection: property.shape != nil)
    }

    /// What is wrong with a property of another class.
    func foreign(_ column: Column) -> FreeholdError {
        FreeholdError(.invalidArgument, "a \(column.type.name) property of another class was given for class '\(name)'; ask "
            + "the table of '\(name)' for its own by name")
    }
}

/// An index over several columns, with its stable number.
struct StoredIndex: Sendable, Equatable {
    let number: UInt32
    /// Indices of the properties, the most significant first.
    let columns: [Int]
    let isUnique: Bool
    /// The subclass that declares it, and whose objects are all that it has; nil for the table's own class.
    var owner: UInt32?

    /// The column its tree goes by: those of properties are below.
    var column: Int { Self.firstColumn + Int(number) }

    static let firstColumn = 1000
    /// Columns are numbers of 16 bits.
    static let maximumNumber = 60_000
}
