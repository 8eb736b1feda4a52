/// The indexes in a collation of a transaction's classes: added, dropped.
///
/// By an index `SORT(name COLLATE "de")` gives the first of many objects, or most of them, without computing the sort key of each.
///
/// ```swift
/// try database.write { try $0.collations.add("name", "de", to: "Person") }
/// try database.buildIndexes()
/// ```
/// The version of ICU that computes the order is recorded in the index. A program with another one sorts without the index; if it
/// changes strings that the index has, the index loses its entries, until a program with that version or a newer one builds it.
public struct CollationDeclarations {
    let transaction: WriteTransaction

    /// Adds an index of a string property in the order of a language. If the class has this one, nothing changes.
    ///
    /// The commit builds it for up to 20,000 objects; `Database.buildIndexes` adds the rest in slices, while others read and
    /// write. Until then queries sort the objects. From then on, programs that do not know indexes in a collation can read the
    /// file, and not write it.
    ///
    /// - Parameter collation: the language and its options, as a BCP 47 tag: `"de"`, `"de-u-co-phonebk-kn"`.
    /// - Throws: `.unknownClass`, `.unknownProperty`; `.invalidArgument` for a property of another type; `.malformedInput` for a
    ///   tag or an option that ICU does not know; `.system` without ICU.
    public func add(_ property: String, _ collation: String, to className: String) throws(FreeholdError) {
        try add(CollationIndex(property, collation: collation), to: className)
    }

    /// Adds an index in a collation as a class declares it. If the class has it, nothing changes.
    ///
    /// - Throws: as `add` of a property.
    public func add(_ index: CollationIndex, to className: String) throws(FreeholdError) {
        if try find(index, of: className) != nil { return }
        _ = try LanguageOrder(index.collation, transaction.core.session.system)
        let field = DerivedSchema.Field(link: nil, property: index.property)
        try transaction.derived.add(
            DerivedSchema(kind: CollationKind.number, fields: [field], options: Array(index.collation.utf8)), to: className)
    }

    /// Adds the indexes in a collation that classes declare.
    func addAll(of classes: [ClassSchema]) throws(FreeholdError) {
        for wanted in classes {
            for index in wanted.collationIndexes { try add(index, to: wanted.name) }
        }
    }

    /// Drops the index of a property in a collation and frees its space.
    ///
    /// - Throws: `.unknownClass`; `.invalidArgument` if the class itself has none.
    public func drop(_ property: String, _ collation: String, from className: String) throws(FreeholdError) {
        try drop(CollationIndex(property, collation: collation), from: className)
    }

    /// Drops an index in a collation and frees its space.
    ///
    /// - Throws: `.unknownClass`; `.invalidArgument` if the class itself has none.
    public func drop(_ index: CollationIndex, from className: String) throws(FreeholdError) {
        guard let known = try find(index, of: className) else {
            throw FreeholdError(.invalidArgument, "class '\(className)' has no index of '\(index.property)' in the collation "
                + "\"\(index.collation.abridged)\"", path: transaction.core.path)
        }
        try transaction.derived.drop(known.number, from: className)
    }

    /// The indexes in a collation that a class itself declares, damaged ones included.
    ///
    /// - Throws: `.unknownClass`.
    public func indexes(of className: String) throws(FreeholdError) -> [CollationIndex] {
        let schema = transaction.schema
        return schema.collationIndexes(ofClass: try schema.number(of: className))
    }

    private func find(_ wanted: CollationIndex, of className: String) throws(FreeholdError) -> StoredDerived? {
        let schema = transaction.schema, number = try schema.number(of: className)
        return schema.collations(ofClass: number).first { schema.collationIndex($0, in: number) == wanted }
    }
}

extension WriteTransaction {
    /// The indexes in a collation of its classes.
    public var collations: CollationDeclarations { CollationDeclarations(transaction: self) }
}

extension StoredSchema {
    /// The indexes in a collation that a class itself declares.
    fileprivate func collations(ofClass number: Int) -> [StoredDerived] {
        let stored = classes[table(of: number)], owner = Int(stored.number) == number ? nil : UInt32(number)
        return stored.derived.filter { $0.isCollation && $0.owner == owner }
    }

    /// The indexes in a collation that a class itself declares, as programs declare them.
    func collationIndexes(ofClass number: Int) -> [CollationIndex] {
        collations(ofClass: number).map { collationIndex($0, in: number) }
    }

    /// An index in a collation as programs declare it.
    func collationIndex(_ index: StoredDerived, in number: Int) -> CollationIndex {
        CollationIndex(paths(of: index, in: number).joined(), collation: CollationKind.tag(of: index) ?? "")
    }
}
