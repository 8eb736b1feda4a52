/// A class with its number and the layout of its rows. Immutable; a class of its own, so that passing it on counts one
/// reference instead of one for each array and string in it.
final class StoredClass: Sendable, Equatable {
    let number: UInt32
    let name: String
    let properties: [StoredProperty]
    /// The indices of the primary key's properties; usually one.
    let primaryKeys: [Int]
    /// The index of a primary key of one property; nil if there are none or several.
    let primaryKey: Int?
    /// The number of the class it extends: then its objects and properties are in the root's table (`Family`).
    let superclass: UInt32?
    /// All its direct and indirect subclasses, by number.
    let heirs: [StoredHeir]
    /// The class with all its subclasses; nil if it has none.
    let family: Family?
    let isEmbedded: Bool
    /// Indexes over several properties.
    let indexes: [StoredIndex]
    /// What it has that came after version 1 of the format.
    let additions: ClassAdditions
    /// The numbers of what is added next.
    let next: NextNumbers
    let layout: RowLayout
    /// The kind of leaf each column has.
    let leafKinds: [UInt8]
    /// The columns of one property that have an ordered tree.
    let treeColumns: [Int]
    /// Distinguishes classes in which a property has another position (`TableState+Columns`).
    let stamp: UInt64
    /// Columns that hold collections.
    let collectionColumns: [Int]
    /// The types of columns whose values can be written without further checks; nil for others: links, mixed values,
    /// collections, unique ones, and those that some objects do not have.
    let plainTypes: [PropertyType?]

    /// Whether there is any ordered tree.
    var hasTrees: Bool { !treeColumns.isEmpty || !indexes.isEmpty }

    /// Derived indexes: full text and the like.
    var derived: [StoredDerived] { additions.derived }
    /// How its objects are synced; nil for a class that is not.
    var sync: StoredSync? { additions.sync }

    var nextPropertyNumber: UInt32 { next.property }
    var nextIndexNumber: UInt32 { next.index }
    var nextDerivedNumber: UInt32 { next.derived }

    /// The index that makes a primary key of several properties unique; it is the first one then.
    var keyIndex: StoredIndex? { primaryKeys.count > 1 ? indexes.first : nil }

    /// The maximum that the references of one table root allow, with a tree and a dictionary for each.
    static let maximumProperties = 900
    /// The maximum that leaves room for the trees and dictionaries of all properties.
    static let maximumIndexes = 64

    /// - Parameter nextPropertyNumber: nil for the maximum in use plus one; likewise those of indexes.
    init(number: UInt32, name: String, properties: [StoredProperty], primaryKeys: [Int] = [], superclass: UInt32? = nil,
         isEmbedded: Bool = false, indexes: [StoredIndex] = [], nextPropertyNumber: UInt32? = nil, nextIndexNumber: UInt32? = nil,
         heirs: [StoredHeir] = [], derived: [StoredDerived] = [], nextDerivedNumber: UInt32? = nil,
         sync: StoredSync? = nil) {
        self.number = number
        self.name = name
        self.properties = properties
        self.primaryKeys = primaryKeys
        primaryKey = primaryKeys.count == 1 ? primaryKeys[0] : nil
        self.superclass = superclass
        self.isEmbedded = isEmbedded
        self.indexes = indexes
        additions = ClassAdditions(derived: derived, sync: sync)
        next = NextNumbers(property: nextPropertyNumber ?? properties.map { $0.number + 1 }.max() ?? 0,
                           index: nextIndexNumber ?? indexes.map { $0.number + 1 }.max() ?? 0,
                           derived: nextDerivedNumber ?? derived.map { $0.number + 1 }.max() ?? 0)
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
            && left.additions == right.additions && left.next == right.next
            && left.heirs == right.heirs
    }

    /// Whether the primary key is the object key.
    var isKeyedByInteger: Bool { primaryKey.map { properties[$0].isObjectKey } ?? false }

    /// The position of a property of the class itself, not of a subclass.
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

    /// The error for a property of another class.
    func foreign(_ column: Column) -> FreeholdError {
        FreeholdError(.invalidArgument, "the \(column.type.name) property given belongs to another class than '\(name)'; look it "
            + "up by name in the table of '\(name)'")
    }
}

/// What a class has in the sections of a schema after the classes.
struct ClassAdditions: Sendable, Equatable {
    let derived: [StoredDerived]
    let sync: StoredSync?
}

/// The numbers of the property, index and derived index added next to a class: those of dropped ones are not reused.
struct NextNumbers: Sendable, Equatable {
    let property: UInt32
    let index: UInt32
    let derived: UInt32
}

/// An index over several columns, with its stable number.
struct StoredIndex: Sendable, Equatable {
    let number: UInt32
    /// Indices of the properties, the most significant first.
    let columns: [Int]
    let isUnique: Bool
    /// The subclass that declares it, to whose objects it is limited; nil for the table's own class.
    var owner: UInt32?

    /// The column number of its tree: the numbers of properties are below.
    var column: Int { Self.firstColumn + Int(number) }

    static let firstColumn = 1000
    /// Columns are numbers of 16 bits.
    static let maximumNumber = 60_000
}
