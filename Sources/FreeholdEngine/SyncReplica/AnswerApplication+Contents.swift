/// The contents of an object: the row with what is pending.
extension AnswerApplication {
    /// What a row says of one property.
    private struct Given {
        var register: SyncRow.Register?
        var entries: [SyncRow.Register] = []
        var members: [SyncRow.Member] = []
        var elements: [SyncRow.Element] = []
        var sum: Int64 = 0
    }

    func update(_ own: AppliedClass, _ row: SyncRow, _ revived: RevivedObject) throws(FreeholdError) {
        let object = revived.key, isNew = revived.isNew
        var given = [Given](repeating: Given(), count: own.columns.count)
        for register in row.registers where given.indices.contains(Int(register.path.property)) && register.path.instance == .none {
            if register.path.key.isNull {
                given[Int(register.path.property)].register = register
            } else {
                given[Int(register.path.property)].entries.append(register)
            }
        }
        for member in row.members where given.indices.contains(Int(member.property)) { given[Int(member.property)].members.append(member) }
        for list in row.lists where given.indices.contains(Int(list.property)) { given[Int(list.property)].elements = list.elements }
        for counter in row.counters where given.indices.contains(Int(counter.property)) { given[Int(counter.property)].sum = counter.sum }
        let entries = isNew ? [] : try own.pending.changes(of: object), sums = isNew ? [] : try own.pending.sums(of: object)
        let embedded = EmbeddedApplication(application: self, root: own, row: row)
        for (number, column) in own.columns.enumerated() {
            guard let column, !(revived.isFilled && own.standsAlone[column]), let place = try own.writer.state.find(object),
                  try own.writer.state.has(place, column) else { continue }
            let property = own.stored.properties[column], pending = entries.filter { $0.property == property.number }
            if own.stored.isCounter(column) {
                // Safe: counters are sums modulo 2⁶⁴ on every device.
                try set(own, object, column, to: .int(given[number].sum &+ sums.total(of: property.number)))
            } else if let shape = property.shape {
                switch shape.kind {
                case .set: try updateSet(own, object, column, given[number].members, pending)
                case .map where isEmbedded(property): try embedded.updateMap(own, object, column, given[number].entries, pending)
                case .map: try updateMap(own, object, column, given[number].entries, pending)
                case .list: try updateList(own, object, column, given[number].elements, pending, embedded)
                }
            } else if isEmbedded(property) {
                let name = answer.names.classes[Int(row.object.type)].properties[number]
                let place = EmbeddedApplication.Place(own: own, object: object, column: column, name: name)
                try embedded.update(place, given[number].register, pending.first)
            } else {
                try updateValue(own, object, column, given[number].register, pending.first)
            }
        }
        report.changedObjects += 1
    }

    // MARK: Single values

    private func updateValue(_ own: AppliedClass, _ object: Int64, _ column: Int, _ register: SyncRow.Register?,
                             _ entry: PendingEntry?) throws(FreeholdError) {
        let property = own.stored.properties[column]
        if own.stored.sync?.kinds[property.number] == .merged, try merge(own, object, column, register, entry) { return }
        if let entry {
            guard let register, isLater(register, than: entry) else {
                // A program may have created meanwhile what the link leads to.
                if property.isSingleLink { try showLink(own, object, column) }
                if coming.displaced[place(own, object, property)] != nil { try loseValue(own, object, property, entry) }
                return
            }
            own.pending.remove(entry)
            note(own, try own.primaryKey(of: object), property.name, .beaten)
        }
        try set(own, object, column, to: register)
    }

    /// Shows a link of this file whose target is here again.
    private func showLink(_ own: AppliedClass, _ object: Int64, _ column: Int) throws(FreeholdError) {
        guard let (table, key) = try absent.target(of: object, own.table, column),
              let target = try self.table(table).find(key) else { return }
        try absent.removeAll(of: object, own.table, column)
        try set(own, object, column, to: own.stored.properties[column].link(to: target, table))
    }

    func isLater(_ register: SyncRow.Register, than entry: PendingEntry) -> Bool {
        if register.stamp != entry.stamp { return register.stamp > entry.stamp }
        return answer.replicas[Int(register.replica)] > body.replica(ofSlot: Int(entry.origin.slot))
    }

    /// Merges a property by the application's function, if it was changed here and elsewhere; its result is a new local change. False if
    /// there is nothing to merge.
    private func merge(_ own: AppliedClass, _ object: Int64, _ column: Int, _ register: SyncRow.Register?,
                       _ entry: PendingEntry?) throws(FreeholdError) -> Bool {
        let property = own.stored.properties[column]
        var isRefused = false
        for rejection in answer.rejections where rejection.reason == .conflict && !isRefused {
            isRefused = try isRefusal(rejection, own, object, property)
        }
        guard isRefused || (entry != nil && register?.isFresh == true), let place = try own.writer.state.find(object) else { return false }
        var mine = try own.writer.state.value(place, column)
        if let known = coming.displaced[self.place(own, object, property)] { mine = known }
        let theirs = try value(register, own, column) ?? property.initialValue
        // What the server has refused is reported with the rejections.
        if !isRefused { note(own, try own.primaryKey(of: object), property.name, .conflict) }
        if let entry { own.pending.remove(entry) }
        guard let merged = try merged(own, object, property, mine: mine, theirs: theirs), !merged.isIdentical(to: theirs) else {
            try set(own, object, column, to: register)
            return true
        }
        own.pending.insert(PendingEntry(key: object, what: .property(property.number), stamp: now(), origin: origin))
        // A value that the property cannot have is the program's mistake: nothing of the answer is applied.
        if property.isUnique, merged != .null { try free(merged, own, column, for: object) }
        try transaction.set(ObjectKey(object), in: own.objects, own.stored.column(column), to: merged)
        return true
    }

    /// Whether the server has refused a change of the property that was pending here.
    private func isRefusal(_ rejection: SyncRejection, _ own: AppliedClass, _ object: Int64,
                           _ property: StoredProperty) throws(FreeholdError) -> Bool {
        guard self.own(rejection.object) === own, case .register(let path) = rejection.place,
              own.columns.indices.contains(Int(path.property)), let column = own.columns[Int(path.property)],
              own.stored.properties[column] === property, try own.find(rejection.object.key) == object else { return false }
        return hasCleared(own, object, property, rejection.entry)
    }

    // MARK: Values

    /// A value as the file has it: null for a link to an object that is not here. Nil for one that the property cannot have.
    func value(_ register: SyncRow.Register?, _ own: AppliedClass, _ column: Int) throws(FreeholdError) -> Value? {
        guard let register else { return own.stored.properties[column].initialValue }
        return try value(register.value, of: own.stored.properties[column])
    }

    func value(_ message: SyncValue, of property: StoredProperty) throws(FreeholdError) -> Value? {
        try Value(message, isMixed: property.type == .mixed) { target throws(FreeholdError) in
            guard let other = own(target), let object = try other.find(target.key) else { return nil }
            let isOther = property.linkTarget.map { transaction.schema.table(of: Int($0)) != other.table } ?? false
            if isOther { return nil }
            return property.link(to: object, other.table)
        }
    }

    private func set(_ own: AppliedClass, _ object: Int64, _ column: Int, to register: SyncRow.Register?) throws(FreeholdError) {
        let property = own.stored.properties[column]
        guard let value = try value(register, own, column) else { return try refuse(own, object, property) }
        try noteTarget(of: register?.value, value, own, object, column)
        try set(own, object, column, to: value)
    }

    /// Notes which absent object a property is to link to, as the server says, where the link is null here.
    func noteTarget(of message: SyncValue?, _ value: Value, _ own: AppliedClass, _ object: Int64, _ column: Int) throws(FreeholdError) {
        guard own.stored.properties[column].isSingleLink else { return }
        var link: (table: Int, key: SyncKey)?
        if value == .null, case .link(let target)? = message, let other = self.own(target) { link = (other.table, target.key) }
        if let link, let known = try absent.target(of: object, own.table, column), known == link { return }
        try absent.removeAll(of: object, own.table, column)
        if let link { try absent.insert(own.table, object, column, target: link.table, link.key) }
    }

    /// Whether a value of this file is the server's, but for links to classes that are not synced: these are sent as null, and stay here.
    func isSame(_ mine: Value, _ theirs: Value, _ property: StoredProperty) -> Bool {
        if mine.isIdentical(to: theirs) { return true }
        guard property.type == .mixed, mine.hasReference(where: isUnsynced) else { return false }
        return mine.withoutReferences(where: isUnsynced).isIdentical(to: theirs)
    }

    func isUnsynced(_ object: ObjectReference) -> Bool {
        let schema = transaction.schema
        guard schema.find(number: object.classNumber) != nil else { return false }
        return schema.classes[schema.table(of: object.classNumber)].sync == nil
    }

    /// The server has a value that this file's property cannot have: that is left as it is, and reported.
    func refuse(_ own: AppliedClass, _ object: Int64, _ property: StoredProperty) throws(FreeholdError) {
        note(own, try own.primaryKey(of: object), property.name, .unknown)
    }

    /// Sets a property, if it has another value; of a unique one, no other object keeps the value.
    func set(_ own: AppliedClass, _ object: Int64, _ column: Int, to value: Value) throws(FreeholdError) {
        if try !trySet(own, object, column, to: value) { try refuse(own, object, own.stored.properties[column]) }
    }

    /// Sets a property as `set` does. False if it cannot have the value: then it stays as it is.
    func trySet(_ own: AppliedClass, _ object: Int64, _ column: Int, to value: Value) throws(FreeholdError) -> Bool {
        guard let place = try own.writer.state.find(object) else { return true }
        let property = own.stored.properties[column]
        if try isSame(own.writer.state.value(place, column), value, property) { return true }
        if property.isUnique, value != .null { try free(value, own, column, for: object) }
        do throws(FreeholdError) {
            try transaction.set(ObjectKey(object), in: own.objects, own.stored.column(column), to: value)
            return true
        } catch {
            guard error.isOfValue else { throw error }
            return false
        }
    }

    /// A value that the server has for another object wins over a pending one, which becomes null and is reported. What is not pending
    /// belongs to an object whose row comes later. That row may also beat what is pending, or be merged with it.
    private func free(_ value: Value, _ own: AppliedClass, _ column: Int, for object: Int64) throws(FreeholdError) {
        guard let holder = try own.writer.claims.find(value, column: column, in: own.writer), holder != object else { return }
        let property = own.stored.properties[column]
        try own.pending.write()
        if coming.objects[own.table]?.contains(holder) == true {
            coming.displaced[place(own, holder, property)] = value
        } else if let entry = try own.pending.changes(of: holder).first(where: { $0.what == .property(property.number) }) {
            try loseValue(own, holder, property, entry)
        } else if try own.pending.creation(of: holder) != nil {
            note(own, try own.primaryKey(of: holder), property.name, .notUnique)
            own.pending.insert(PendingEntry(key: holder, what: .property(property.number), stamp: now(), origin: origin))
        }
        try own.pending.write()
        try transaction.set(ObjectKey(holder), in: own.objects, own.stored.column(column), to: .null)
    }

    /// Notes that a pending value has become null, since another object has it.
    private func loseValue(_ own: AppliedClass, _ object: Int64, _ property: StoredProperty, _ entry: PendingEntry) throws(FreeholdError) {
        note(own, try own.primaryKey(of: object), property.name, .notUnique)
        own.pending.remove(entry)
        own.pending.insert(PendingEntry(key: object, what: .property(property.number), stamp: now(), origin: origin))
    }

    private func place(_ own: AppliedClass, _ object: Int64, _ property: StoredProperty) -> PropertyOfObject {
        PropertyOfObject(table: own.table, object: object, property: property.number)
    }
}

extension FreeholdError {
    /// Whether it says that a property cannot have a value.
    var isOfValue: Bool { [.typeMismatch, .notNullable, .invalidArgument, .valueTooLarge].contains(code) }
}

extension StoredProperty {
    /// A link to an object, as the property has it.
    func link(to object: Int64, _ table: Int) -> Value {
        type == .mixed ? .object(ObjectReference(classNumber: table, key: ObjectKey(object))) : .link(ObjectKey(object))
    }
}
