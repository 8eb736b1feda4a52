import CFreehold
import FreeholdEngine

/// A class as one reader reads it, with properties looked up by number.
final class ReadClass {
    /// The reader of the class, which owns this object.
    unowned let reader: Reader
    let number: freehold_class_t
    let table: Table
    /// The schema, including the properties of superclasses.
    let schema: ClassSchema
    let columns: [Column]
    /// The class that each property links to, or `none`.
    let targets: [freehold_class_t]
    /// The primary key's number, or `none`.
    let primaryKey: freehold_property_t
    private var names: TextMap<KeptText> = [:]

    /// The number FREEHOLD_NONE, for no class or property.
    static let none = UInt32.max

    init(_ reader: Reader, _ table: Table, _ number: freehold_class_t, _ schemas: [ClassSchema]) {
        self.reader = reader
        self.table = table
        self.number = number
        schema = table.schema
        columns = table.columns
        targets = schema.properties.map { property in
            schemas.firstIndex { $0.name.isSame(as: property.linkTarget) }.map { UInt32($0) } ?? Self.none
        }
        let name = schema.primaryKey
        primaryKey = schema.properties.firstIndex { $0.name.isSame(as: name) }.map { UInt32($0) } ?? Self.none
    }

    /// The column of a property number.
    @inline(__always)
    func column(_ property: freehold_property_t) throws(FreeholdError) -> Column {
        guard property < columns.count else { throw unknown(property) }
        return columns[Int(property)]
    }

    /// The class that a property number links to.
    @inline(__always)
    func target(_ property: freehold_property_t) throws(FreeholdError) -> freehold_class_t {
        guard property < targets.count else { throw unknown(property) }
        return targets[Int(property)]
    }

    func unknown(_ property: freehold_property_t) -> FreeholdError {
        FreeholdError(.unknownProperty, "class '\(schema.name)' has no property number \(property); it has \(columns.count)")
    }

    /// A name for C, at the same address on every call.
    func kept(_ name: String) -> freehold_text_t {
        if let kept = names[name] { return kept.text }
        let kept = KeptText(name)
        names[name] = kept
        return kept.text
    }
}

/// The properties of a call: those listed, or the first ones in the schema's order.
struct PropertyList {
    private let listed: UnsafePointer<freehold_property_t>?
    let count: Int

    init(_ listed: UnsafePointer<freehold_property_t>?, _ count: Int, of read: ReadClass) throws(FreeholdError) {
        guard count >= 0, listed != nil || count <= read.columns.count else {
            throw FreeholdError(.unknownProperty, "class '\(read.schema.name)' has \(read.columns.count) properties; "
                + "\(count) were requested")
        }
        self.listed = listed
        self.count = count
    }

    /// The property number at an index.
    /// Safe: the caller states that there are `count` numbers; no index beyond them is requested.
    @inline(__always)
    subscript(_ index: Int) -> freehold_property_t { listed?[index] ?? freehold_property_t(index) }
}
