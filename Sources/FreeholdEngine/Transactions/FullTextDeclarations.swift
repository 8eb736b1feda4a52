/// A property whose strings a full-text index has.
///
/// ```swift
/// let fields: [FullTextField] = ["title", "author.name", .init("body", weight: 0.5)]
/// ```
public struct FullTextField: Sendable, Hashable, ExpressibleByStringLiteral {
    /// A string property of the class, or of the object that a to-one link leads to: `author.name`.
    public let path: String
    /// How much the field counts in scores, from 1/256 to 255.
    public let weight: Double

    public init(_ path: String, weight: Double = 1) {
        self.path = path
        self.weight = weight
    }

    public init(stringLiteral path: String) { self.init(path) }
}

/// A full-text index of a class, as a file has it.
public struct FullTextIndex: Sendable, Hashable {
    /// Its number among the derived indexes of the class, which is never reused.
    public let number: UInt32
    public let fields: [FullTextField]
}

/// The full-text indexes of a transaction's classes: added, dropped.
///
/// By an index `TEXT` finds what it finds object by object, sooner. `Table.fullTextIndexes` lists them.
///
/// ```swift
/// try database.write { try $0.fullText.add(["title", "body", "author.name"], to: "Article") }
/// try database.buildIndexes()
/// ```
public struct FullTextDeclarations {
    let transaction: WriteTransaction

    /// Adds a full-text index to a class.
    ///
    /// The commit builds it for up to 20,000 objects; `Database.buildIndexes` adds the rest in slices, while others read and
    /// write. Until then queries search object by object. If the class has no objects at the commit, nothing is to be built,
    /// whatever is loaded later. From then on, programs that do not know full-text indexes can read the file, and not write
    /// it.
    ///
    /// - Returns: the number by which the index can be dropped.
    /// - Throws: `.unknownClass`, `.unknownProperty`; `.invalidArgument` for properties that are no strings, too many fields,
    ///   and weights out of range.
    @discardableResult
    public func add(_ fields: [FullTextField], to className: String) throws(FreeholdError) -> UInt32 {
        var wanted: [DerivedSchema.Field] = []
        for field in fields {
            let names = field.path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard (1...2).contains(names.count), !names.contains("") else {
                throw FreeholdError(.invalidArgument, "'\(field.path)' is no field of a full-text index: write a property, or a link, a "
                    + "dot and a property")
            }
            let weight = (field.weight * 256).rounded()
            guard weight >= 1, weight < 65_536 else {
                throw FreeholdError(.invalidArgument, "the weight of '\(field.path)' is \(field.weight); a field counts from 1/256 to 255")
            }
            let options = weight == 256 ? [] : [UInt8(Int(weight) & 255), UInt8(Int(weight) >> 8)]
            wanted.append(DerivedSchema.Field(link: names.count == 2 ? names[0] : nil, property: names[names.count - 1], options: options))
        }
        return try transaction.derived.add(DerivedSchema(kind: FullTextKind.number, fields: wanted), to: className)
    }

    /// Drops a full-text index and frees its space. Its number is not reused.
    ///
    /// - Throws: `.unknownClass`; `.invalidArgument` if the class has no such index.
    public func drop(_ number: UInt32, from className: String) throws(FreeholdError) {
        try transaction.derived.drop(number, from: className)
    }
}

extension WriteTransaction {
    /// The full-text indexes of its classes.
    public var fullText: FullTextDeclarations { FullTextDeclarations(transaction: self) }
}

extension Table {
    /// The full-text indexes of the class and of those that it extends.
    public var fullTextIndexes: [FullTextIndex] {
        let stored = state.stored, schema = schemaOf, lineage = schema.lineage(of: Int(number))
        return stored.derived.filter { $0.kind == FullTextKind.number && $0.owner.map { lineage.contains(Int($0)) } ?? true }.map { index in
            FullTextIndex(number: index.number, fields: index.fields.map { field in
                let property = schema.classes[Int(field.table)].propertyName(numbered: field.property)
                let link = field.link.map { stored.propertyName(numbered: $0) + "." } ?? ""
                return FullTextField(link + property, weight: Double(FullTextKind.weight(field) ?? 256) / 256)
            })
        }
    }
}

extension StoredClass {
    fileprivate func propertyName(numbered number: UInt32) -> String { column(numbered: number).map { properties[$0].name } ?? "" }
}
