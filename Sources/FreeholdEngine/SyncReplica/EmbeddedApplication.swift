/// The embedded objects of one row, while an answer is applied: those that single properties embed, which are merged property by
/// property, and those in collections, which are one value each.
///
/// 1. An object that is there at the same element, key or position stays, and takes the properties that differ. Others are made, and
///    those that nothing links to any more are deleted.
/// 2. Nothing is pending within what is changed here: what is, stays as it is or was dropped before.
/// 3. Links are changed below `CollectionWriter`, which would delete the objects that a change lets go and link to none that is there.
struct EmbeddedApplication {
    let application: AnswerApplication
    /// The class of the row's object.
    let root: AppliedClass
    let row: SyncRow

    /// A property that embeds an object.
    struct Place {
        let own: AppliedClass
        let object: Int64
        let column: Int
        /// Its dotted name in messages.
        let name: String

        var property: StoredProperty { own.stored.properties[column] }
    }

    var transaction: WriteTransaction { application.transaction }

    func note(_ name: String, _ reason: SyncReport.Reason) { application.note(root, row.object.key.value, name, reason) }

    /// The class that a property embeds.
    func inner(_ property: StoredProperty) throws(FreeholdError) -> AppliedClass {
        try application.table(transaction.schema.table(of: Int(property.linkTarget ?? 0)))
    }

    // MARK: Single properties

    /// Replacing an embedded object is one property, and its properties are merged within it.
    func update(_ place: Place, _ register: SyncRow.Register?, _ entry: PendingEntry?) throws(FreeholdError) {
        let inner = try inner(place.property), local = try object(of: place), given = instance(register)
        let isHere = try local.map { object throws(FreeholdError) in try identity(inner, object) == given } ?? (given == nil)
        if let entry, !isHere {
            guard let register, application.isLater(register, than: entry) else { return }
            place.own.pending.remove(entry)
            note(place.name, .beaten)
        }
        let object = isHere ? local : try replace(place, register, given, inner)
        guard let object, let register, case .embedded(let instance) = register.value else { return }
        try updateContents(inner, object, place.name, instance, isNew: !isHere)
    }

    private func replace(_ place: Place, _ register: SyncRow.Register?, _ given: Instance?,
                         _ inner: AppliedClass) throws(FreeholdError) -> Int64? {
        let column = place.own.stored.column(place.column)
        for (own, entry) in try application.ownedEntries(place.own, place.object, place.column) { own.pending.remove(entry) }
        guard let given else {
            try transaction.set(ObjectKey(place.object), in: place.own.objects, column, to: .null)
            return nil
        }
        let name = subclassName(place, register)
        let made = try transaction.embed([], as: name, in: ObjectKey(place.object), of: place.own.objects, column).rawValue
        application.identities.embedded[.init(table: inner.stored.number, object: made)] =
            SyncIdentity(replica: application.number(of: given.replica), count: given.count)
        return made
    }

    /// The subclass that an embedded object of the row is of.
    private func subclassName(_ place: Place, _ register: SyncRow.Register?) -> String? {
        guard case .embedded(let instance)? = register?.value, let target = place.property.linkTarget else { return nil }
        let value = self.register(place.name + "." + ReplicaNames.subclass, instance)?.value
        return transaction.schema.classes[subclass(value, of: Int(target))].name
    }

    private func number(of name: String) -> Int? {
        application.answer.names.classes[Int(row.object.type)].properties.firstIndex { $0.isSame(as: name) }
    }

    private func register(_ name: String, _ instance: SyncIdentity) -> SyncRow.Register? {
        guard let number = number(of: name) else { return nil }
        return row.registers.first { Int($0.path.property) == number && $0.path.instance == instance }
    }

    /// The properties of an embedded object that both sides have.
    private func updateContents(_ inner: AppliedClass, _ object: Int64, _ name: String, _ instance: SyncIdentity,
                                isNew: Bool) throws(FreeholdError) {
        let entries = isNew ? [] : try inner.pending.changes(of: object)
        for (column, property) in inner.stored.properties.enumerated() where !property.isClass {
            let whole = name + "." + property.name, isEmbedded = application.isEmbedded(property)
            guard number(of: whole) != nil, let found = try inner.writer.state.find(object),
                  try inner.writer.state.has(found, column) else { continue }
            let register = register(whole, instance)
            let own = entries.filter { $0.property == property.number }
            if isEmbedded, property.shape == nil {
                try update(Place(own: inner, object: object, column: column, name: whole), register, own.first)
                continue
            }
            var pending = own.map { (own: inner, entry: $0) }
            if isEmbedded, !isNew { pending += try application.ownedEntries(inner, object, column) }
            if let last = pending.map(\.entry).newest {
                guard let register, application.isLater(register, than: last) else { continue }
                for (own, entry) in pending { own.pending.remove(entry) }
                note(whole, .beaten)
            }
            if isEmbedded {
                try showEmbedded(register?.value, object, inner, column, whole)
            } else {
                try show(register?.value, object, inner, column, whole)
            }
        }
    }

    private func object(of place: Place) throws(FreeholdError) -> Int64? {
        guard let found = try place.own.writer.state.find(place.object),
              case .link(let key) = try place.own.writer.state.value(found, place.column) else { return nil }
        return key.rawValue
    }

    // MARK: Identities

    /// An identity by the replica that gave it.
    private struct Instance: Equatable {
        let replica: ReplicaIdentity
        let count: UInt64
    }

    private func instance(_ register: SyncRow.Register?) -> Instance? {
        let replicas = application.answer.replicas
        guard case .embedded(let identity)? = register?.value, replicas.indices.contains(identity.replica) else { return nil }
        return Instance(replica: replicas[identity.replica], count: identity.count)
    }

    private func identity(_ inner: AppliedClass, _ object: Int64) throws(FreeholdError) -> Instance? {
        let reader = IdentityReader(trees: PendingTrees(inner.writer.state.root), access: transaction.pending.access)
        guard let identity = try reader.identity(of: object) else { return nil }
        let replica = try reader.replicas()[identity.replica]
        return replica.map { Instance(replica: $0, count: identity.count) }
    }
}

extension AnswerApplication {
    func isEmbedded(_ property: StoredProperty) -> Bool {
        property.linkTarget.map { transaction.schema.classes[Int($0)].isEmbedded } ?? false
    }

    /// What is pending of the objects that a property embeds, or that an object does, at any depth.
    func ownedEntries(_ own: AppliedClass, _ object: Int64, _ column: Int? = nil) throws(FreeholdError)
        -> [(own: AppliedClass, entry: PendingEntry)] {
        guard let found = try own.writer.state.find(object) else { return [] }
        var entries: [(own: AppliedClass, entry: PendingEntry)] = []
        for rule in transaction.schema.rules[own.table] where rule.isOwned && (column == nil || rule.column == column) {
            let inner = try table(rule.target)
            var targets: [Int64] = []
            try own.writer.state.forEachLink(found, rule.column) { targets.append($0.key) }
            for target in targets {
                for entry in try inner.pending.changes(of: target) { entries.append((inner, entry)) }
                entries += try ownedEntries(inner, target)
            }
        }
        return entries
    }

    /// Whether something is pending of embedded objects at all.
    var hasPendingWithin: Bool { tables.values.contains { $0.stored.isEmbedded && !$0.pending.trees.changes.isNull } }
}
