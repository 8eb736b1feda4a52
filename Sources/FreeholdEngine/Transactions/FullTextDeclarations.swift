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

    /// Adds a full-text index to a class. If the class has one over the same properties, that gets the weights, and is not
    /// built again; one with another language is dropped.
    ///
    /// The commit builds it for up to 20,000 objects; `Database.buildIndexes` adds the rest in slices, while others read and
    /// write. Until then queries search object by object. If the class has no objects at the commit, nothing is to be built,
    /// whatever is loaded later. From then on, programs that do not know full-text indexes can read the file, and not write
    /// it.
    ///
    /// An index with a language is built by programs on machines that have the library libstemmer. Others write to the class
    /// all the same, which leaves the index to be built anew.
    ///
    /// - Throws: `.unknownClass`, `.unknownProperty`; `.invalidArgument` for properties that are no strings, too many fields,
    ///   weights out of range, and unknown languages.
    public func add(_ index: FullTextIndex, to className: String) throws(FreeholdError) {
        if let complaint = index.language.flatMap(FullTextIndex.complaint) {
            throw FreeholdError(.invalidArgument, complaint, path: transaction.core.path)
        }
        let known = try find(index, of: className), options = FullTextIndexOptions(language: index.language)
        if let known, known.fullTextOptions == options { return try weigh(known, as: index, className) }
        var wanted: [DerivedSchema.Field] = []
        for field in index.fields { wanted.append(try DerivedSchema.Field(field)) }
        if let known { try transaction.derived.drop(known.number, from: className) }
        try transaction.derived.add(DerivedSchema(kind: FullTextKind.number, fields: wanted, options: options.bytes), to: className)
    }

    /// Adds the full-text indexes that classes declare.
    func addAll(of classes: [ClassSchema]) throws(FreeholdError) {
        for wanted in classes {
            for index in wanted.fullTextIndexes { try add(index, to: wanted.name) }
        }
    }

    /// Drops the full-text index of a class over these properties and frees its space. Weights and language do not count.
    ///
    /// - Throws: `.unknownClass`; `.invalidArgument` if the class has no such index.
    public func drop(_ index: FullTextIndex, from className: String) throws(FreeholdError) {
        guard let known = try find(index, of: className) else {
            throw FreeholdError(.invalidArgument, "class '\(className)' has no full-text index of '\(index.paths)'",
                                path: transaction.core.path)
        }
        try transaction.derived.drop(known.number, from: className)
    }

    /// The index that the class itself declares over the same properties.
    private func find(_ wanted: FullTextIndex, of className: String) throws(FreeholdError) -> StoredDerived? {
        let schema = transaction.schema, number = try schema.number(of: className)
        return schema.fullText(ofClass: number).first { schema.declaration(of: $0, in: number).hasSameFields(as: wanted) }
    }

    /// Gives an index other weights: only the schema has them.
    private func weigh(_ known: StoredDerived, as wanted: FullTextIndex, _ className: String) throws(FreeholdError) {
        try transaction.requireOpen()
        let schema = transaction.schema, number = try schema.number(of: className), table = schema.table(of: number)
        let changed = try schema.weighting(known, of: number, as: wanted)
        if changed.classes[table].derived == schema.classes[table].derived { return }
        let writer = try transaction.writer(table)
        try writer.open(keepingRows: true)
        writer.reshaping.rename(as: changed.classes[table])
        transaction.replaceSchema(by: changed)
    }
}

extension WriteTransaction {
    /// The full-text indexes of its classes.
    public var fullText: FullTextDeclarations { FullTextDeclarations(transaction: self) }
}

extension Table {
    /// The full-text indexes of the class and of those that it extends.
    public var fullTextIndexes: [FullTextIndex] {
        let schema = schemaOf
        return schema.lineage(of: Int(number)).flatMap { schema.fullTextIndexes(ofClass: $0) }
    }
}
