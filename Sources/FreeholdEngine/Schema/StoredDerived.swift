/// A derived index as a class declares it: a structure that is computed from the objects of a class, and stored so that
/// queries need not compute it (`docs/derived-indexes.md`).
struct StoredDerived: Sendable, Equatable {
    /// Its number in the table, which is never reused.
    let number: UInt32
    /// What it is: 1 full text, 2 places, 3 a collation, 4 vectors. A file may have kinds that this code does not know.
    let kind: UInt8
    /// 0; bits are for later programs.
    var flags: UInt8 = 0
    /// The subclass that declares it, to whose objects it is limited; nil for the table's own class.
    var owner: UInt32?
    /// What a document has, in this order.
    let fields: [DerivedField]
    /// The kind's options, as the kind encodes them.
    var options: [UInt8] = []

    /// The column number of its entry in the table root: the numbers of all other trees are below.
    var column: Int { Self.firstColumn + Int(number) }

    /// The kinds whose writers need a feature of their own.
    static let places: UInt8 = 2, collations: UInt8 = 3, vectors: UInt8 = 4

    static let firstColumn = StoredIndex.firstColumn + StoredIndex.maximumNumber
    /// The maximum number: columns are numbers of 16 bits.
    static let maximumNumber = 4_535
    /// The maximum number of derived indexes of one table, and of fields of one of them.
    static let maximumCount = 16, maximumFields = 16
}

/// A field of a derived index: a property of the class, or of the object that a to-one link of it leads to.
///
/// Properties are named by their numbers, which are never reused. Their positions move when a property before them is
/// dropped, and a property that gets another type gets another number.
struct DerivedField: Sendable, Equatable {
    /// The number of the link property; nil for a property of the class itself.
    var link: UInt32?
    /// The class whose table has the property.
    let table: UInt32
    /// The property's number in that table.
    let property: UInt32
    /// The kind's options for the field, as the kind encodes them.
    var options: [UInt8] = []
}

/// The fields of one derived index that lead through one link into a table, as columns of this schema.
struct DerivedRoute: Equatable {
    /// The table that has the index, and the number of the index.
    let table: Int
    let index: UInt32
    /// The column of the link in that table.
    let link: Int
    /// The columns of the fields in the table that the link leads to.
    let columns: [Int]
}

/// A derived index to be added to a class, with the names that programs use.
struct DerivedSchema: Sendable, Equatable {
    struct Field: Sendable, Equatable {
        /// The to-one link that leads to the object with the property; nil for a property of the class itself.
        var link: String?
        let property: String
        var options: [UInt8] = []
    }
    let kind: UInt8
    let fields: [Field]
    var options: [UInt8] = []
}

extension StoredClass {
    /// The position of the property with this number; nil if it was dropped, or given another type.
    func column(numbered number: UInt32) -> Int? { properties.firstIndex { $0.number == number } }

    /// The derived index with this number.
    func derived(numbered number: UInt32) -> StoredDerived? { derived.first { $0.number == number } }

    /// A derived index of this class that names one of its properties: as a field, or as a link to a field.
    func derived(naming column: Int) -> StoredDerived? {
        let wanted = properties[column].number
        return derived.first { index in index.fields.contains { $0.link == wanted || $0.link == nil && $0.property == wanted } }
    }
}

extension StoredDerived {
    var isCollation: Bool { kind == Self.collations && flags == 0 }

    /// The kind, as people read it.
    var kindName: String {
        if isFullText { return "full text" }
        if isCollation { return "collation" }
        return flags != 0 ? "kind \(kind)" : kind == Self.places ? "places" : kind == Self.vectors ? "vectors" : "kind \(kind)"
    }
}
