/// Deleting objects, with those that go with them.
///
/// 1. First everything that goes is found, by a list of what is still to be looked at, so that rings and chains of any length end;
///    then `deny` is asked; only then anything is changed.
/// 2. An object goes before those it takes along: it need not be told of each of them.
extension WriteTransaction {
    /// Deletes an object; links to it become null, or go from their lists and sets. Throws `.noSuchObject` if there is none with
    /// this key, `.deleteDenied` if it, or one that would go with it, links to an object through a property that denies that.
    public func delete(_ key: ObjectKey, from table: Table) throws(FreeholdError) {
        try delete(CollectionOfOne(key), from: table)
    }

    /// Deletes objects one after the other, each as `delete` of one key does. Throws at the first that cannot be; those before it are
    /// deleted by then.
    public func delete(_ keys: some Sequence<ObjectKey>, from table: Table) throws(FreeholdError) {
        let writer = try own(table)
        try writer.requireNoneIsFilled()
        let number = Int(writer.number)
        if schema.rules[number].isEmpty {
            for key in keys { try remove(key.rawValue, number, writer) }
        } else {
            for key in keys { try delete(key.rawValue, of: number) }
        }
    }

    /// Deletes an object and what goes with it.
    private func delete(_ key: Int64, of number: Int) throws(FreeholdError) {
        let writer = try writer(number)
        guard try writer.state.find(key) != nil else { throw writer.noSuchObject(key) }
        let doomed = try doomed(with: key, of: number)
        for object in doomed.objects { try remove(object.key, object.table, try self.writer(object.table)) }
    }

    /// Deletes one object, and the links to it.
    private func remove(_ key: Int64, _ number: Int, _ writer: TableWriter) throws(FreeholdError) {
        for (source, column) in schema.incoming[number] { try unlink(key, try self.writer(source), column) }
        guard try writer.delete(key) else { throw writer.noSuchObject(key) }
    }

    /// Everything that goes with an object, it first; throws if some of it may not.
    private func doomed(with key: Int64, of number: Int) throws(FreeholdError) -> Doomed {
        var doomed = Doomed()
        var denials: [(source: Doomed.Object, rule: LinkRule, target: Int64)] = []
        var waiting = [Doomed.Object(table: number, key: key)]
        doomed.insert(waiting[0])
        while let object = waiting.popLast() {
            let writer = try writer(object.table)
            try writer.requireNoneIsFilled()
            guard let place = try writer.state.find(object.key) else { continue }
            doomed.objects.append(object)
            for rule in schema.rules[object.table] {
                try writer.state.forEachLink(place, rule.column) { target throws(FreeholdError) in
                    let linked = Doomed.Object(table: rule.target, key: target)
                    if rule.rule == .deny {
                        denials.append((object, rule, target))
                    } else if doomed.insert(linked) {
                        waiting.append(linked)
                    }
                }
            }
        }
        for denial in denials where !doomed.contains(Doomed.Object(table: denial.rule.target, key: denial.target)) {
            throw denied(denial.source, denial.rule, denial.target)
        }
        return doomed
    }

    private func denied(_ source: Doomed.Object, _ rule: LinkRule, _ target: Int64) -> FreeholdError {
        let stored = schema.classes[source.table]
        return FreeholdError(.deleteDenied, "object \(source.key) of class '\(stored.name)' cannot be deleted: its property "
            + "'\(stored.properties[rule.column].name)' links to object \(target) of class '\(schema.classes[rule.target].name)' and denies it")
    }

    /// Makes every link from `column` of `writer`'s class to the object null.
    private func unlink(_ key: Int64, _ writer: TableWriter, _ column: Int) throws(FreeholdError) {
        for source in try writer.sources(linkingTo: key, column) { try cutLinks(to: key, of: source, writer, column) }
    }

    private func cutLinks(to target: Int64, of key: Int64, _ writer: TableWriter, _ column: Int) throws(FreeholdError) {
        if writer.stored.properties[column].shape == nil { return try writer.set(key, column, to: .null) }
        try writer.removeLinks(to: target, of: key, column)
    }

    /// Takes the links of one object to another away, though that may not exist.
    func cutLinks(to target: Int64, of key: ObjectKey, in table: Table, _ column: Column) throws(FreeholdError) {
        let writer = try own(table)
        try cutLinks(to: target, of: key.rawValue, writer, try writer.state.index(of: column))
    }
}

/// Objects about to be deleted.
private struct Doomed {
    struct Object: Hashable {
        let table: Int
        let key: Int64
    }

    /// In the order in which they go.
    var objects: [Object] = []
    private var known: Set<Object> = []

    func contains(_ object: Object) -> Bool { known.contains(object) }

    /// False if it is known already.
    @discardableResult
    mutating func insert(_ object: Object) -> Bool { known.insert(object).inserted }
}

/// Objects that live within others.
extension WriteTransaction {
    /// The rule of a property whose targets are embedded; nil for every other property.
    func ownership(_ writer: TableWriter, _ column: Int) -> LinkRule? {
        let rules = schema.rules[Int(writer.number)]
        return rules.isEmpty ? nil : rules.first { $0.column == column && $0.isOwned }
    }

    /// The embedded objects that a change of a property will let go.
    func owned(by key: Int64, _ writer: TableWriter, _ rule: LinkRule,
               _ touched: (CollectionReader) throws(FreeholdError) -> Set<Int64>) throws(FreeholdError) -> Set<Int64> {
        guard let place = try writer.state.find(key) else { return [] }
        if let collection = try writer.state.collection(place, rule.column) { return try touched(collection) }
        guard case .link(let target) = try writer.state.value(place, rule.column) else { return [] }
        return [target.rawValue]
    }

    /// Deletes embedded objects whose owner has let go of them.
    func deleteOwned(_ keys: Set<Int64>, _ rule: LinkRule) throws(FreeholdError) {
        for key in keys.sorted() where try writer(rule.target).state.find(key) != nil { try delete(key, of: rule.target) }
    }

    /// Makes an object of the embedded class that a property leads to, in the place of the one it has. Throws `.invalidArgument` if
    /// the property leads to no embedded class, or is a collection: those have `embed` of their own.
    ///
    /// ```swift
    /// try transaction.embed([("street", .string("Lane 3"))], in: person, of: people, address)
    /// ```
    @discardableResult
    public func embed(_ values: [(String, Value)], in key: ObjectKey, of table: Table, _ column: Column) throws(FreeholdError) -> ObjectKey {
        try embed(values, in: CollectionPlace(transaction: self, table: table, key: key, column: column), nil)
    }

    /// Makes an embedded object and has it linked to: by `change` of a collection, or by a single link.
    func embed(_ values: [(String, Value)], in place: CollectionPlace,
               _ change: ((Value) -> CollectionChange)?) throws(FreeholdError) -> ObjectKey {
        let writer = try own(place.table), key = place.key.rawValue, column = try writer.state.index(of: place.column)
        guard let rule = ownership(writer, column), place.column.isCollection == (change != nil) else {
            throw FreeholdError(.invalidArgument, "property '\(writer.stored.properties[column].name)' of class '\(writer.stored.name)' "
                + "is no \(change == nil ? "single" : "collection of") embedded object\(change == nil ? "" : "s")")
        }
        guard try writer.state.find(key) != nil else { throw writer.noSuchObject(key) }
        let target = try self.writer(rule.target)
        let made = try makeEmbedded(values, target)
        do throws(FreeholdError) {
            if let change {
                let change = change(.link(ObjectKey(made)))
                let gone = try owned(by: key, writer, rule) { reader throws(FreeholdError) in try reader.links(touchedBy: change, at: place.path[...]) }
                try writer.change(key, column, change, at: place.path)
                try deleteOwned(gone, rule)
            } else {
                let gone = try owned(by: key, writer, rule) { _ in [] }
                try writer.set(key, column, to: .link(ObjectKey(made)))
                try deleteOwned(gone, rule)
            }
        } catch {
            _ = try target.delete(made)
            throw error
        }
        return ObjectKey(made)
    }

    private func makeEmbedded(_ values: [(String, Value)], _ writer: TableWriter) throws(FreeholdError) -> Int64 {
        let place = try writer.insert(key: nil)
        do throws(FreeholdError) {
            for (name, value) in values { try fill(writer, place, try writer.stored.index(of: name), value) }
        } catch {
            writer.withdraw(place)
            throw error
        }
        return writer.buffer.keys[place]
    }
}

extension StoredClass {
    fileprivate static let embeddingHint = "make it where its owner has it, with `embed`"

    /// Why an object of an embedded class is not made, or linked to, like others.
    var notByItself: FreeholdError {
        FreeholdError(.invalidArgument, "objects of class '\(name)' live within others only; \(Self.embeddingHint)")
    }
}
