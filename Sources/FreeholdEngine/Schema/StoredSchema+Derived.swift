/// Derived indexes in a schema: declared, dropped, and what depends on them.
extension StoredSchema {
    /// The write features of the format that a version with this schema needs.
    var writeFeatures: UInt64 {
        let sync = hasSynced ? FormatFeatures.sync : 0
        if !hasDerived { return sync }
        let all = classes.flatMap(\.derived), kinds = Set(all.map(\.kind))
        let hasTextOptions = all.contains { $0.kind == StoredDerived.fullTextKind && !$0.options.isEmpty }
        return sync | FormatFeatures.derivedIndexes | (kinds.contains(StoredDerived.places) ? FormatFeatures.places : 0)
            | (kinds.contains(StoredDerived.collations) ? FormatFeatures.collations : 0)
            | (kinds.contains(StoredDerived.vectors) ? FormatFeatures.vectors : 0)
            | (hasTextOptions ? FormatFeatures.textOptions : 0)
    }

    /// The fields that lead into a table through a link.
    func derivedRoutes(into table: Int) -> [DerivedRoute] { derivedThrough.isEmpty ? [] : derivedThrough[table] }

    /// This schema with one more derived index in a class.
    func adding(_ wanted: DerivedSchema, to name: String) throws(FreeholdError) -> StoredSchema {
        let number = try number(of: name), old = classes[table(of: number)]
        var fields: [DerivedField] = []
        for field in wanted.fields { fields.append(try stored(field, of: number)) }
        let added = StoredDerived(number: old.nextDerivedNumber, kind: wanted.kind, owner: old.number == number ? nil : UInt32(number),
                                  fields: fields, options: wanted.options)
        var all = classes
        all[Int(old.number)] = old.with(derived: old.derived + [added], nextDerivedNumber: old.nextDerivedNumber + 1)
        let changed = StoredSchema(all, version: version)
        if let complaint = changed.complaint() { throw FreeholdError(.invalidArgument, complaint) }
        return changed
    }

    /// This schema without one derived index of a table; its number is not reused.
    func dropping(derived number: UInt32, of table: Int) -> StoredSchema {
        var all = classes
        all[table] = all[table].with(derived: all[table].derived.filter { $0.number != number })
        return StoredSchema(all, version: version)
    }

    /// This schema with the derived indexes that pass a test; a class without any forgets the numbers of former ones.
    func keeping(derived isKept: (StoredDerived) -> Bool) -> StoredSchema {
        if !classes.contains(where: { $0.nextDerivedNumber > 0 }) { return self }
        let all = classes.map { stored in
            let kept = stored.derived.filter(isKept)
            return stored.with(derived: kept, nextDerivedNumber: kept.isEmpty ? 0 : stored.nextDerivedNumber)
        }
        return StoredSchema(all, version: version)
    }

    private func stored(_ field: DerivedSchema.Field, of number: Int) throws(FreeholdError) -> DerivedField {
        let own = classes[table(of: number)]
        guard let link = field.link else {
            let place = try own.place(of: field.property, in: UInt32(number))
            return DerivedField(link: nil, table: own.number, property: own.properties[place].number, options: field.options)
        }
        let through = own.properties[try own.place(of: link, in: UInt32(number))]
        guard let target = through.linkTarget, through.collections.isEmpty else {
            throw FreeholdError(.invalidArgument, "property '\(link)' of class '\(classes[number].name)' is not a to-one link; an "
                + "index has properties of the class, and of objects that a to-one link leads to")
        }
        let other = classes[table(of: Int(target))]
        let place = try other.place(of: field.property, in: target)
        return DerivedField(link: through.number, table: other.number, property: other.properties[place].number, options: field.options)
    }

    /// Throws if other parts of the schema depend on a property that is to be dropped, or to get another number.
    func requireFree(_ stored: StoredClass, _ column: Int, to change: String) throws(FreeholdError) {
        try stored.requireFree(column, to: change)
        try requireNoField(stored, column, to: change)
    }

    /// Throws if a derived index names a property, of its own class or of one that it links to.
    func requireNoField(_ stored: StoredClass, _ column: Int, to change: String) throws(FreeholdError) {
        guard hasDerived else { return }
        if let index = stored.derived(naming: column) { throw fieldError(stored, column, index, of: stored, change) }
        for route in derivedRoutes(into: Int(stored.number)) where route.columns.contains(column) {
            guard let index = classes[route.table].derived(numbered: route.index) else { continue }
            throw fieldError(stored, column, index, of: classes[route.table], change)
        }
    }

    private func fieldError(_ stored: StoredClass, _ column: Int, _ index: StoredDerived, of table: StoredClass,
                            _ change: String) -> FreeholdError {
        let owner = classes[Int(index.owner ?? table.number)].name
        return FreeholdError(.invalidArgument, "property '\(stored.properties[column].name)' of class '\(stored.name)' is a field of a "
            + "derived index of class '\(owner)'; drop the index before the property is \(change)")
    }
}

extension DerivedRoute {
    /// The routes into each table; leaves out what a damaged file says of properties that do not exist.
    static func routes(_ classes: [StoredClass], _ tables: [Int]) -> [[DerivedRoute]] {
        var routes = Array(repeating: [DerivedRoute](), count: classes.count)
        for (table, stored) in classes.enumerated() {
            for index in stored.derived {
                for link in Set(index.fields.compactMap(\.link)).sorted() {
                    guard let column = stored.column(numbered: link), let target = stored.properties[column].linkTarget,
                          Int(target) < classes.count else { continue }
                    let place = tables[Int(target)]
                    let columns = index.fields.filter { $0.link == link && Int($0.table) == place }
                        .compactMap { classes[place].column(numbered: $0.property) }
                    routes[place].append(DerivedRoute(table: table, index: index.number, link: column, columns: columns))
                }
            }
        }
        return routes
    }
}

extension StoredSchema {
    /// The reason why a class's derived indexes are invalid, or nil.
    func derivedComplaint(of stored: StoredClass) -> String? {
        if stored.derived.isEmpty, stored.nextDerivedNumber == 0 { return nil }
        if stored.superclass != nil { return "class '\(stored.name)' has derived indexes outside the table of the class it extends" }
        let numbers = stored.derived.map(\.number)
        if numbers.count > StoredDerived.maximumCount {
            return "a class has at most \(StoredDerived.maximumCount) derived indexes; class '\(stored.name)' would have \(numbers.count)"
        }
        if Set(numbers).count < numbers.count || numbers.contains(where: { $0 >= stored.nextDerivedNumber }) {
            return "two derived indexes of class '\(stored.name)' have the same number"
        }
        if stored.nextDerivedNumber > StoredDerived.maximumNumber + 1 { return "class '\(stored.name)' has had too many derived indexes" }
        for index in stored.derived {
            if let complaint = complaint(about: index, of: stored) { return "\(complaint) (class '\(stored.name)')" }
        }
        return nil
    }

    private func complaint(about index: StoredDerived, of stored: StoredClass) -> String? {
        guard (1...StoredDerived.maximumFields).contains(index.fields.count) else {
            return "a derived index has 1 to \(StoredDerived.maximumFields) fields"
        }
        if let owner = index.owner, stored.family?.member(owner) == nil || owner == stored.number {
            return "a derived index belongs to a class that does not extend it"
        }
        for (place, field) in index.fields.enumerated() {
            if index.fields[..<place].contains(where: { $0.link == field.link && $0.property == field.property }) {
                return "an index names a property twice"
            }
            var number = index.owner ?? stored.number
            if let link = field.link {
                guard let column = stored.column(numbered: link), stored.columns(of: number).contains(column),
                      stored.properties[column].collections.isEmpty, let target = stored.properties[column].linkTarget else {
                    return "a field of a derived index leads through no to-one link"
                }
                number = target
            }
            let other = classes[table(of: Int(number))]
            guard other.number == field.table, let column = other.column(numbered: field.property), !other.properties[column].isClass,
                  other.columns(of: number).contains(column) else { return "a field of a derived index is no property" }
        }
        return nil
    }
}
