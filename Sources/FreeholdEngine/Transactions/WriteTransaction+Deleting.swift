/// Deletes objects, and those that are deleted with them.
///
/// 1. First everything that is to be deleted is found, by a list of what is still to be examined, so that rings and
///    chains of any length end; then `deny` rules are checked; only then anything is changed.
/// 2. An object is deleted before those it takes along: it need not be told of each of them.
extension WriteTransaction {
    /// Deletes an object; links to it become null, or go from their lists and sets. Throws `.noSuchObject` if there is none with
    /// this key, `.deleteDenied` if it, or one that would go with it, links to an object through a property that denies that.
    public func delete(_ key: ObjectKey, from table: Table) throws(FreeholdError) {
        let writer = try own(table)
        try writer.requireNoneIsFilled()
        guard schema.rules[Int(writer.number)].isEmpty else { return try delete([([key], table)]) }
        try require(key, of: table, writer)
        try pending.request { () throws(FreeholdError) in try remove(key.rawValue, Int(writer.number), writer) }
    }

    /// Deletes objects of one class: all of them or, after an error, none. An object that goes with another of them, by a rule, may be named
    /// too, and `deny` refuses nothing that goes in the same call.
    ///
    /// - Throws: `.noSuchObject` if there is none with one of the keys, or one is named twice; `.deleteDenied`.
    public func delete(_ keys: some Sequence<ObjectKey>, from table: Table) throws(FreeholdError) {
        let writer = try own(table)
        try writer.requireNoneIsFilled()
        let number = Int(writer.number)
        guard schema.rules[number].isEmpty else { return try delete([(Array(keys), table)]) }
        let found = try removable(keys, table, writer)
        try pending.request { () throws(FreeholdError) in
            for key in found { try remove(key.rawValue, number, writer) }
        }
    }

    /// Deletes objects of several classes: all of them or, after an error, none.
    ///
    /// ```swift
    /// try transaction.delete([(try owners.keys(), owners), (try pets.keys(), pets)])
    /// ```
    /// - Throws: `.noSuchObject` if there is none with one of the keys, or one is named twice; `.deleteDenied` if one of them, or one that
    ///   would go with them, links through a property that denies that to an object that stays.
    public func delete(_ batches: [(keys: [ObjectKey], table: Table)]) throws(FreeholdError) {
        var objects: [Doomed.Object] = []
        for (keys, table) in batches {
            let writer = try own(table), number = Int(writer.number)
            try writer.requireNoneIsFilled()
            for key in keys {
                try require(key, of: table, writer)
                guard try writer.state.find(key.rawValue) != nil else { throw writer.noSuchObject(key.rawValue) }
                objects.append(Doomed.Object(table: number, key: key.rawValue))
            }
        }
        try delete(try doomed(with: objects))
    }

    /// The keys of objects to be deleted, each of which is found to exist once; a single one's deletion finds that by itself.
    private func removable(_ keys: some Sequence<ObjectKey>, _ table: Table, _ writer: TableWriter) throws(FreeholdError) -> [ObjectKey] {
        let keys = Array(keys)
        for key in keys { try require(key, of: table, writer) }
        if keys.count < 2 { return keys }
        var isAscending = true
        for place in keys.indices {
            if place > 0, keys[place].rawValue <= keys[place - 1].rawValue { isAscending = false }
            guard try writer.state.find(keys[place].rawValue) != nil else { throw writer.noSuchObject(keys[place].rawValue) }
        }
        if isAscending { return keys }
        var known = Set<ObjectKey>(minimumCapacity: keys.count)
        for key in keys where !known.insert(key).inserted { throw writer.noSuchObject(key.rawValue) }
        return keys
    }

    /// Deletes what was found to be deleted.
    func delete(_ doomed: Doomed) throws(FreeholdError) {
        try pending.request { () throws(FreeholdError) in
            for object in doomed.objects { try remove(object.key, object.table, try writer(object.table)) }
        }
    }

    /// Deletes one object, and the links to it.
    private func remove(_ key: Int64, _ number: Int, _ writer: TableWriter) throws(FreeholdError) {
        for (source, column) in schema.incoming[number] { try unlink(key, of: number, try self.writer(source), column) }
        guard try writer.delete(key) else { throw writer.noSuchObject(key) }
    }

    /// Everything that is deleted with these objects, they first; throws if some of it may not be deleted.
    private func doomed(with objects: [Doomed.Object]) throws(FreeholdError) -> Doomed {
        var doomed = Doomed()
        var denials: [(source: Doomed.Object, rule: LinkRule, target: Int64)] = []
        for object in objects where !doomed.insert(object) { throw try writer(object.table).noSuchObject(object.key) }
        // From the end: they are deleted in the order in which they are named.
        var waiting = Array(objects.reversed())
        while let object = waiting.popLast() {
            let writer = try writer(object.table)
            try writer.requireNoneIsFilled()
            guard let place = try writer.state.find(object.key) else { continue }
            doomed.objects.append(object)
            for rule in schema.rules[object.table] {
                try writer.state.forEachLink(place, rule.column) { target throws(FreeholdError) in
                    let linked = Doomed.Object(table: rule.target, key: target.key)
                    if rule.rule == .deny {
                        denials.append((object, rule, target.key))
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
            + "'\(stored.properties[rule.column].name)' links to object \(target) of class '\(schema.classes[rule.target].name)' with the delete rule deny")
    }

    /// Sets every link from `column` of `writer`'s class to the object to null.
    private func unlink(_ key: Int64, of number: Int, _ writer: TableWriter, _ column: Int) throws(FreeholdError) {
        let isMixed = writer.stored.properties[column].type == .mixed
        let target = isMixed ? LinkTarget(ObjectReference(classNumber: number, key: ObjectKey(key))) : LinkTarget(key)
        for source in try writer.links.sources(linkingTo: target, column) { try cutLinks(to: target, of: source, writer, column) }
    }

    /// Makes all links of an object's mixed property to objects of a class null, or takes them out of its sets.
    func cutLinks(toClass number: Int, of key: Int64, _ writer: TableWriter, _ column: Int) throws(FreeholdError) {
        guard let place = try writer.state.find(key) else { return }
        guard writer.stored.properties[column].shape != nil else {
            return try writer.set(key, column, to: try writer.state.value(place, column).withoutReferences { $0.classNumber == number })
        }
        var targets: [LinkTarget] = []
        try writer.state.forEachLink(place, column, distinct: true) { if $0.classNumber == number { targets.append($0) } }
        for target in targets { try writer.collections.removeLinks(to: target, of: key, column) }
    }

    private func cutLinks(to target: LinkTarget, of key: Int64, _ writer: TableWriter, _ column: Int) throws(FreeholdError) {
        let property = writer.stored.properties[column]
        if property.shape != nil { return try writer.collections.removeLinks(to: target, of: key, column) }
        guard property.type == .mixed else { return try writer.set(key, column, to: .null) }
        guard let place = try writer.state.find(key) else { return }
        try writer.set(key, column, to: try writer.state.value(place, column).withoutReferences { LinkTarget($0) == target })
    }

    /// Removes the links of one object to another, even if that does not exist.
    func cutLinks(to target: LinkTarget, of key: ObjectKey, in table: Table, _ column: Column) throws(FreeholdError) {
        let writer = try own(table)
        try cutLinks(to: target, of: key.rawValue, writer, try writer.state.index(of: column))
    }
}

/// Objects about to be deleted.
struct Doomed {
    struct Object: Hashable {
        let table: Int
        let key: Int64
    }

    /// The objects, in the order of their deletion.
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

    /// The embedded objects that a change of a property will let go, with all that goes with them; asked before the change, as it
    /// throws if some of it may not go.
    func owned(by key: Int64, _ writer: TableWriter, _ rule: LinkRule,
               _ touched: (CollectionReader) throws(FreeholdError) -> Set<LinkTarget>) throws(FreeholdError) -> Doomed {
        try doomed(with: try targets(of: key, writer, rule, touched).sorted().map { Doomed.Object(table: rule.target, key: $0.key) })
    }

    private func targets(of key: Int64, _ writer: TableWriter, _ rule: LinkRule,
                         _ touched: (CollectionReader) throws(FreeholdError) -> Set<LinkTarget>) throws(FreeholdError) -> Set<LinkTarget> {
        guard let place = try writer.state.find(key) else { return [] }
        if let collection = try writer.state.collection(place, rule.column) { return try touched(collection) }
        guard case .link(let target) = try writer.state.value(place, rule.column) else { return [] }
        return [LinkTarget(target.rawValue)]
    }

    /// Makes an object of the embedded class that a property leads to, in the place of the one it has. Throws `.invalidArgument` if
    /// the property leads to no embedded class, or is a collection: those have `embed` of their own.
    ///
    /// ```swift
    /// try transaction.embed([("street", .string("Lane 3"))], in: person, of: people, address)
    /// ```
    ///
    /// - Parameter className: a class that extends the one the property leads to; nil for that one.
    @discardableResult
    public func embed(_ values: [(String, Value)], as className: String? = nil, in key: ObjectKey, of table: Table,
                      _ column: Column) throws(FreeholdError) -> ObjectKey {
        try embed(values, as: className, in: CollectionWriter(transaction: self, table: table, key: key, column: column), nil)
    }

    /// Creates an embedded object and links to it: by `change` of a collection, or by a single link.
    func embed(_ values: [(String, Value)], as className: String?, in place: CollectionWriter,
               _ change: ((Value) -> CollectionChange)?) throws(FreeholdError) -> ObjectKey {
        let writer = try own(place.table), key = place.key.rawValue, column = try writer.state.index(of: place.column)
        guard let rule = ownership(writer, column), place.column.isCollection == (change != nil) else {
            throw FreeholdError(.invalidArgument, "property '\(writer.stored.properties[column].name)' of class '\(writer.stored.name)' "
                + "is not a \(change == nil ? "single" : "collection of") embedded object\(change == nil ? "" : "s")")
        }
        guard try writer.state.find(key) != nil else { throw writer.noSuchObject(key) }
        try require(place.key, of: place.table, writer, has: column)
        let gone = try owned(by: key, writer, rule) { reader throws(FreeholdError) in
            // Which link the change brings makes no difference to those it takes away.
            try change.map { change throws(FreeholdError) in try reader.links(touchedBy: change(.null), at: place.path[...]) } ?? []
        }
        let target = try self.writer(rule.target)
        let made = try makeEmbedded(values, target, try embedded(className, by: writer.stored.properties[column], target))
        do throws(FreeholdError) {
            if let change {
                try writer.collections.change(key, column, change(.link(ObjectKey(made))), at: place.path)
            } else {
                try writer.set(key, column, to: .link(ObjectKey(made)))
            }
        } catch {
            try pending.change { () throws(FreeholdError) in _ = try target.delete(made) }
            throw error
        }
        try delete(gone)
        return ObjectKey(made)
    }

    /// The number of the class with this name, or of the class that the property leads to.
    private func embedded(_ className: String?, by property: StoredProperty, _ target: TableWriter) throws(FreeholdError) -> UInt32 {
        let declared = property.linkTarget ?? target.number
        guard let className else { return declared }
        let number = try schema.number(of: className)
        guard schema.lineage(of: number).contains(Int(declared)) else {
            throw FreeholdError(.typeMismatch, "property '\(property.name)' leads to objects of class '\(schema.classes[Int(declared)].name)', which "
                + "class '\(className)' does not extend")
        }
        return UInt32(number)
    }

    func makeEmbedded(_ values: [(String, Value)], _ writer: TableWriter, _ number: UInt32) throws(FreeholdError) -> Int64 {
        let place = try writer.insert(key: nil, of: number == writer.number ? nil : writer.stored.family?.member(number))
        do throws(FreeholdError) {
            for (name, value) in values { try fill(writer, place, try writer.stored.place(of: name, in: number), value) }
        } catch {
            writer.withdraw(place)
            throw error
        }
        return writer.buffer.keys[place]
    }
}

extension StoredClass {
    fileprivate static let embeddingHint = "create them in their owner's property with `embed`"

    /// The error for creating an object of an embedded class, or linking to one, like any other object.
    var notByItself: FreeholdError {
        FreeholdError(.invalidArgument, "class '\(name)' is embedded, so its objects exist only within others; \(Self.embeddingHint)")
    }
}
