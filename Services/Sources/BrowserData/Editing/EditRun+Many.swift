import FreeholdEngine

/// Changing many objects at once.
extension EditRun {
    func setAll(_ className: String, _ selection: EditOperation.Selection, _ property: String, _ value: NewValue) throws {
        let entry = try book.entry(className), place = try entry.place(of: property), declared = entry.schema.properties[place]
        if book.isEmbedded(declared) { throw OperationMistake("'\(property)' holds embedded objects: set them one by one") }
        if case .upload = value { throw OperationMistake("an upload can become the value of one object only") }
        let new = try build(value, declared), column = entry.columns[place], bytes = ValueMeasure.bytes(of: new)
        for key in try keys(selection, entry) {
            guard let row = try entry.table.row(key) else {
                note(gone(className, key))
                continue
            }
            // One that has the value already stays as it is; long texts and collections are not read for that.
            if declared.collections.isEmpty, declared.type != .data, declared.type != .mixed,
                try row.value(column).isExactly(new) { continue }
            let own = entry.hasSubclasses ? try row.className : className
            try effects.change(key, own, declared.name) { try ValueMeasure.bytes(of: row, column, declared) + bytes }
            try transaction.set(key, in: entry.table, column, to: new)
        }
    }

    func deleteAll(_ className: String, _ selection: EditOperation.Selection) throws {
        let entry = try book.entry(className)
        if book.declaration(className)?.isEmbedded == true {
            throw OperationMistake("objects of class '\(className)' are embedded in others: remove them there")
        }
        var present: [ObjectKey] = [], seen: Set<ObjectKey> = []
        let named = try keys(selection, entry)
        if case .query = selection {
            present = named
        } else {
            for key in named where seen.insert(key).inserted {
                if try entry.table.contains(key) { present.append(key) } else { note(gone(className, key)) }
            }
        }
        if present.isEmpty { return }
        try delete([className: present])
    }

    /// The objects meant, in this transaction.
    private func keys(_ selection: EditOperation.Selection, _ entry: ClassEntry) throws -> [ObjectKey] {
        switch selection {
        case .keys(let keys): return keys
        case .query(let text):
            let query = try ObjectQuery(text)
            if query.steps.contains(where: { if case .group = $0 { true } else { false } }) {
                throw OperationMistake("the query groups objects; a query that only selects them is needed")
            }
            return try entry.table.keys(matching: query)
        }
    }
}
