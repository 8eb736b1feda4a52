/// Changes of the schema of a file that others have open. Each version has its own schema: readers continue with
/// theirs, and the next writer begins with the new one. A change that fails half-way leaves nothing behind.
extension WriteTransaction {
    /// The hidden classes, which `classes` leaves out.
    public var hiddenClasses: [ClassSchema] {
        schema.present.filter { ClassSchema.isHidden($0.name) }.map { schema.publicClass(Int($0.number)) }
    }

    /// Drops a property of a class, with its values and its index. Its number is never given again.
    ///
    /// - Throws: `.unknownProperty`; `.invalidArgument` for the primary key, part of an index over several properties, or while there are
    ///   embedded objects of the class that it leads to.
    public func dropProperty(_ name: String, from className: String) throws(FreeholdError) {
        try reshape(className) { writer, stored, number throws(FreeholdError) in
            let column = try stored.place(declared: name, by: number)
            try schema.requireFree(stored, column, to: "dropped")
            try requireNothingOwned(stored, column)
            let changed = stored.dropping(column)
            try writer.reshaping.drop(column, becoming: changed)
            return changed
        }
    }

    /// Renames a property. Columns looked up before stay valid.
    ///
    /// - Throws: `.unknownProperty`; `.invalidArgument` if the name is empty or taken.
    public func renameProperty(_ name: String, to newName: String, in className: String) throws(FreeholdError) {
        try reshape(className) { writer, stored, number throws(FreeholdError) in
            let column = try stored.place(declared: name, by: number)
            let changed = stored.replacing(column, by: stored.properties[column].with(name: newName))
            if let complaint = changed.complaint() { throw FreeholdError(.invalidArgument, complaint) }
            writer.reshaping.rename(as: changed)
            return changed
        }
    }

    /// Renames a class. Links to it stay.
    ///
    /// - Throws: `.unknownClass`; `.invalidArgument` if the name is empty, `.schemaMismatch` if it is taken.
    public func renameClass(_ name: String, to newName: String) throws(FreeholdError) {
        guard newName.isSame(as: name) || schema.find(newName) == nil else {
            throw FreeholdError(.schemaMismatch, "class '\(newName)' already exists", path: core.path)
        }
        guard !newName.isEmpty else { throw FreeholdError(.invalidArgument, "a class needs a name", path: core.path) }
        let number = try schema.number(of: name)
        if schema.classes[number].superclass != nil {
            try requireSteady()
            let changed = schema.renaming(heir: schema.classes[number], to: newName)
            try writer(number).reshaping.rename(as: changed.classes[schema.table(of: number)])
            return replaceSchema(by: changed)
        }
        try reshape(name) { writer, stored, _ throws(FreeholdError) in
            let changed = stored.renamed(newName)
            writer.reshaping.rename(as: changed)
            return changed
        }
    }

    /// Drops a class, with its objects. Its number is never given again; a file has room for 2,000 of them.
    ///
    /// The objects of a class that extends another one are deleted as `delete` does it: links to them from the classes that stay become
    /// null, and delete rules act.
    ///
    /// - Throws: `.unknownClass`; `.invalidArgument` if another class links to it, or extends it; `.deleteDenied`.
    public func dropClass(_ name: String) throws(FreeholdError) {
        try requireSteady()
        let number = try schema.number(of: name)
        if schema.classes[number].superclass != nil { return try drop(heir: schema.classes[number]) }
        for rule in schema.rules[number] { try requireNothingOwned(schema.classes[number], rule.column) }
        let changed = try schema.dropping(schema.classes[number])
        try undoing { () throws(FreeholdError) in
            try cutMixedLinks(toClass: number)
            try writer(number).reshaping.empty()
        }
        replaceSchema(by: changed)
    }

    /// Drops a subclass: its objects, its indexes and properties, and with the last of its kind the hidden column that
    /// tells classes apart.
    private func drop(heir: StoredClass) throws(FreeholdError) {
        _ = try schema.dropping(heir)
        let table = try table(heir.name, withSubclasses: false), writer = try own(table)
        try undoing { () throws(FreeholdError) in
            try delete(try table.keys(), from: table)
            try writer.reshaping.drop(indexesOf: heir.number)
            while let column = writer.stored.properties.lastIndex(where: { $0.owner == heir.number }) {
                try writer.reshaping.drop(column, becoming: writer.stored.dropping(column))
            }
            let heirs = writer.stored.heirs.filter { $0.number != heir.number }
            if heirs.isEmpty, let column = writer.stored.properties.firstIndex(where: \.isClass) {
                try writer.reshaping.drop(column, becoming: writer.stored.dropping(column))
            }
            writer.reshaping.rename(as: writer.stored.with(heirs: heirs))
        }
        replaceSchema(by: schema.dropping(heir: heir, leaving: writer.stored))
    }

    /// Throws if embedded objects may live in the property to be dropped.
    private func requireNothingOwned(_ stored: StoredClass, _ column: Int) throws(FreeholdError) {
        guard let rule = schema.rules[Int(stored.number)].first(where: { $0.column == column && $0.isOwned }),
              try writer(rule.target).state.count > 0 else { return }
        throw FreeholdError(.invalidArgument, "property '\(stored.properties[column].name)' of class '\(stored.name)' cannot be dropped while there "
            + "are objects of the embedded class '\(schema.classes[rule.target].name)'; delete them first")
    }

    private func cutMixedLinks(toClass number: Int) throws(FreeholdError) {
        for (table, column) in schema.incoming[number] where table != number && schema.classes[table].properties[column].type == .mixed {
            let writer = try writer(table)
            for source in try writer.links.sources(linkingToClass: number, column) {
                try cutLinks(toClass: number, of: source, writer, column)
            }
        }
    }

    /// Adds or removes the index of a property.
    ///
    /// - Throws: `.unknownProperty`; `.valueTooLarge` if a value is too long for an index.
    public func setIndexed(_ isIndexed: Bool, _ name: String, in className: String) throws(FreeholdError) {
        try reshape(className) { writer, stored, number throws(FreeholdError) in
            let column = try stored.place(declared: name, by: number)
            let changed = stored.replacing(column, by: stored.properties[column].with(isIndexed: isIndexed))
            if let complaint = changed.complaint() { throw FreeholdError(.invalidArgument, complaint) }
            try writer.reshaping.reindex(column, becoming: changed)
            return changed
        }
    }

    /// Makes a property nullable or required.
    ///
    /// - Parameter replacement: what objects get that have null in a property that becomes required; with nil there may be none.
    /// - Throws: `.notNullable` if there are some, naming the first of them; `.invalidArgument` for the primary key, a link or a collection.
    public func setNullable(_ isNullable: Bool, _ name: String, in className: String, replacingNullsBy replacement: Value? = nil) throws(FreeholdError) {
        try reshape(className) { writer, stored, number throws(FreeholdError) in
            let column = try stored.place(declared: name, by: number), property = stored.properties[column]
            if property.isNullable == isNullable { return stored }
            if property.shape != nil {
                throw FreeholdError(.invalidArgument, "property '\(name)' of class '\(className)' is a collection, whose elements must stay "
                    + "\(isNullable ? "required" : "nullable"); add a property, and drop this one")
            }
            try stored.requireFree(column, to: isNullable ? "null" : "required")
            let changed = stored.replacing(column, by: property.with(isNullable: isNullable))
            if let complaint = changed.complaint() { throw FreeholdError(.invalidArgument, complaint) }
            if isNullable {
                try writer.reshaping.makeNullable(column, becoming: changed)
                return changed
            }
            let filler = try replacement.map { value throws(FreeholdError) in
                try changed.properties[column].accepting(value, class: className)
            }
            var failed = FailedObjects()
            try writer.reshaping.fillNulls(column, becoming: changed) { key throws(FreeholdError) in
                if filler == nil { failed.note(key, .null) }
                return filler ?? changed.properties[column].defaultValue
            }
            try failed.require(.notNullable, "property '\(name)' of class '\(className)' cannot be required: \(failed.list) have null "
                + "there; give a replacement")
            return changed
        }
    }

    /// Gives a property another type, converting the values objects have.
    ///
    /// - Parameters:
    ///   - isNullable: whether the property can be null from then on; nil leaves that as it is.
    ///   - convert: makes the new value of an old one, null included. Nil: numbers and bools become each other and text where that
    ///     loses nothing, text becomes what it says, text and data become each other, integers and dates each other as seconds.
    /// - Throws: `.typeMismatch` if values cannot be converted, naming the first of them; `.invalidArgument` for the primary key,
    ///   links and collections; what `convert` throws.
    public func changeType(of name: String, in className: String, to type: PropertyType, isNullable: Bool? = nil,
                           _ convert: ((Value) -> Value?)? = nil) throws(FreeholdError) {
        try reshape(className) { writer, stored, number throws(FreeholdError) in
            let column = try stored.place(declared: name, by: number), property = stored.properties[column]
            try schema.requireFree(stored, column, to: "given another type")
            guard property.type != .link, type != .link, property.collections.isEmpty else {
                throw FreeholdError(.invalidArgument, "property '\(name)' of class '\(className)' cannot become a \(type.name): links and "
                    + "collections keep their types; add a property, and drop this one")
            }
            let made = property.with(number: stored.nextPropertyNumber, type: type, isNullable: type == .mixed ? true : isNullable)
            let changed = stored.replacing(column, by: made)
            if let complaint = changed.complaint() { throw FreeholdError(.invalidArgument, complaint) }
            var failed = FailedObjects()
            try writer.reshaping.replace(column, becoming: changed) { key, value throws(FreeholdError) in
                let result = convert.map { $0(value) } ?? value.converted(to: type)
                if let result, let fitting = try? made.accepting(result, class: className) { return fitting }
                failed.note(key, value)
                return made.defaultValue
            }
            try failed.require(.typeMismatch, "property '\(name)' of class '\(className)' cannot become a \(type.name): the values of "
                + "\(failed.list) cannot be converted")
            return changed
        }
    }

    /// Changes one class; a change that fails is reverted.
    func reshape(_ className: String,
                         _ body: (TableWriter, StoredClass, UInt32) throws(FreeholdError) -> StoredClass) throws(FreeholdError) {
        try requireSteady()
        let number = try schema.number(of: className), stored = schema.classes[schema.table(of: number)]
        try undoing { () throws(FreeholdError) in
            let changed = try body(try writer(number), stored, UInt32(number))
            if changed !== stored { replaceSchema(by: try schema.replacing(changed)) }
        }
    }

    /// Runs `body`, all or nothing; without the latter while an object is being filled, when no savepoint can be made.
    func undoingIfSteady(_ body: () throws(FreeholdError) -> Void) throws(FreeholdError) {
        do throws(FreeholdError) { try requireSteady() } catch { return try pending.request(body) }
        try undoing(body)
    }

    /// Runs `body`, all or nothing.
    func undoing(_ body: () throws(FreeholdError) -> Void) throws(FreeholdError) {
        let savepoint = try savepoint()
        do throws(FreeholdError) {
            try body()
        } catch {
            try rollback(to: savepoint)
            try release(savepoint)
            throw error
        }
        try release(savepoint)
    }
}

/// Objects that a change of the schema cannot keep, for its error.
private struct FailedObjects {
    private var first: [String] = []
    private var count = 0

    mutating func note(_ key: Int64, _ value: Value) {
        count += 1
        if first.count < 5 { first.append(value == .null ? "\(key)" : "\(key) (\(value))") }
    }

    var list: String {
        let more = count - first.count
        return (count == 1 ? "object " : "objects ") + first.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    }

    func require(_ code: FreeholdError.Code, _ message: @autoclosure () -> String) throws(FreeholdError) {
        if count > 0 { throw FreeholdError(code, message()) }
    }
}
