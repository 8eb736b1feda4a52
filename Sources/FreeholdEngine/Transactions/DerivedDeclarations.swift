/// The derived indexes of a transaction's classes: added, dropped, listed.
///
/// A version with a derived index has write feature 0, and so has every later one: programs that do not know the
/// feature are refused to write, because they could not keep the index up to date.
struct DerivedDeclarations {
    let transaction: WriteTransaction

    /// Adds a derived index to a class. It is built by the commit, and answers nothing before.
    ///
    /// - Returns: the number of the index in the class's table.
    /// - Throws: `.unknownClass`, `.unknownProperty`; `.invalidArgument` for fields and options that the kind refuses.
    @discardableResult
    func add(_ wanted: DerivedSchema, to className: String) throws(FreeholdError) -> UInt32 {
        try transaction.requireOpen()
        let changed = try transaction.schema.adding(wanted, to: className)
        let table = changed.table(of: try changed.number(of: className)), stored = changed.classes[table]
        guard let index = stored.derived.last, let kind = DerivedKinds.kind(of: index, in: transaction.pending.access) else {
            throw FreeholdError(.invalidArgument, "this Freehold does not know derived indexes of kind \(wanted.kind)",
                                path: transaction.core.path)
        }
        let fields = index.fields.compactMap { field in
            changed.classes[Int(field.table)].column(numbered: field.property).map { changed.classes[Int(field.table)].properties[$0] }
        }
        if let complaint = kind.complaint(about: index, fields: fields) {
            throw FreeholdError(.invalidArgument, "\(complaint) (class '\(className)')", path: transaction.core.path)
        }
        let writer = try transaction.writer(table)
        try writer.open(keepingRows: true)
        writer.reshaping.rename(as: stored)
        transaction.replaceSchema(by: changed)
        return index.number
    }

    /// Adds the full-text indexes and the indexes of places, of vectors and in a collation that classes declare.
    func addAll(of classes: [ClassSchema]) throws(FreeholdError) {
        try transaction.fullText.addAll(of: classes)
        try transaction.places.addAll(of: classes)
        try transaction.vectors.addAll(of: classes)
        try transaction.collations.addAll(of: classes)
    }

    /// Takes over the derived indexes of a schema whose objects have been copied, of the kinds that this program knows.
    /// The commit begins to build them.
    func adopt(_ schema: StoredSchema) throws(FreeholdError) {
        let access = transaction.pending.access, whole = schema.keeping { DerivedKinds.kind(of: $0, in: access) != nil }.withoutSync()
        guard whole.hasDerived else { return }
        for stored in whole.presentTables where !stored.derived.isEmpty {
            let writer = try transaction.writer(Int(stored.number))
            try writer.open(keepingRows: true)
            writer.reshaping.rename(as: stored)
        }
        transaction.replaceSchema(by: whole)
    }

    /// Drops the derived indexes that have a property as a field, or as a link to a field, also those of other classes.
    func drop(naming property: String, of className: String) throws(FreeholdError) {
        guard transaction.schema.hasDerived else { return }
        while true {
            let schema = transaction.schema, number = try schema.number(of: className), table = schema.table(of: number)
            let stored = schema.classes[table], column = try stored.place(of: property, in: UInt32(number))
            if let index = stored.derived(naming: column) {
                try drop(index.number, from: className)
            } else if let route = schema.derivedRoutes(into: table).first(where: { $0.columns.contains(column) }) {
                try drop(route.index, from: schema.classes[route.table].name)
            } else {
                return
            }
        }
    }

    /// Drops a derived index and frees its blocks; its number is not reused.
    ///
    /// - Throws: `.unknownClass`; `.invalidArgument` if the class has no such index.
    func drop(_ number: UInt32, from className: String) throws(FreeholdError) {
        try transaction.requireOpen()
        let schema = transaction.schema, table = schema.table(of: try schema.number(of: className))
        guard let index = schema.classes[table].derived(numbered: number) else {
            throw FreeholdError(.invalidArgument, "class '\(className)' has no derived index \(number)", path: transaction.core.path)
        }
        let changed = schema.dropping(derived: number, of: table)
        try transaction.undoingIfSteady { () throws(FreeholdError) in
            try transaction.writer(table).reshaping.drop(index, becoming: changed.classes[table])
            transaction.replaceSchema(by: changed)
        }
    }
}

extension WriteTransaction {
    /// The derived indexes of its classes.
    var derived: DerivedDeclarations { DerivedDeclarations(transaction: self) }
}
