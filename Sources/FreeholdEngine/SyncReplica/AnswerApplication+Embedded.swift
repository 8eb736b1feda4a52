/// A property that embeds an object.
struct EmbeddingPlace {
    let own: AppliedClass
    let object: Int64
    let column: Int
    /// Its dotted name in messages.
    let name: String

    var property: StoredProperty { own.stored.properties[column] }
}

/// Embedded objects: replacing one is one property, and its properties are merged within it.
extension AnswerApplication {
    func updateEmbedded(_ place: EmbeddingPlace, _ register: SyncRow.Register?, _ entry: PendingEntry?,
                        in row: SyncRow) throws(FreeholdError) {
        guard let inner = try embeddedClass(place.property) else { return }
        let local = try embedded(place), given = instance(register)
        let isHere = try local.map { object throws(FreeholdError) in try identity(inner, object) == given } ?? (given == nil)
        if let entry, !isHere {
            guard let register, isLater(register, than: entry) else { return }
            place.own.pending.remove(entry)
            note(place.own, row.object.key.value, place.name, .beaten)
        }
        var object = local
        if !isHere {
            try dropPending(place)
            if let given {
                let column = place.own.stored.column(place.column)
                let made = try transaction.embed([], in: ObjectKey(place.object), of: place.own.objects, column)
                object = made.rawValue
                identities.embedded[.init(table: inner.stored.number, object: made.rawValue)] =
                    SyncIdentity(replica: number(of: given.replica), count: given.count)
            } else {
                try transaction.set(ObjectKey(place.object), in: place.own.objects, place.own.stored.column(place.column), to: .null)
                object = nil
            }
        }
        guard let object, let register, case .embedded(let instance) = register.value else { return }
        try updateContents(inner, object, place.name, instance, isNew: !isHere, in: row)
    }

    /// The properties of an embedded object that both sides have.
    private func updateContents(_ inner: AppliedClass, _ object: Int64, _ name: String, _ instance: SyncIdentity, isNew: Bool,
                                in row: SyncRow) throws(FreeholdError) {
        let entries = isNew ? [] : try inner.pending.changes(of: object), properties = answer.names.classes[Int(row.object.type)].properties
        for (column, property) in inner.stored.properties.enumerated() where !property.isClass {
            let whole = name + "." + property.name
            guard let number = properties.firstIndex(where: { $0.isSame(as: whole) }), let found = try inner.writer.state.find(object),
                  try inner.writer.state.has(found, column) else { continue }
            let register = row.registers.first { Int($0.path.property) == number && $0.path.instance == instance }
            let own = entries.filter { $0.property == property.number }
            if isEmbedded(property) {
                if property.shape != nil { continue }
                let place = EmbeddingPlace(own: inner, object: object, column: column, name: whole)
                try updateEmbedded(place, register, own.first, in: row)
                continue
            }
            if let last = own.max(by: { $0.stamp < $1.stamp }) {
                guard let register, isLater(register, than: last) else { continue }
                for entry in own { inner.pending.remove(entry) }
                note(inner, row.object.key.value, whole, .beaten)
            }
            guard let value = try value(register, inner, column) else {
                note(inner, row.object.key.value, whole, .unknown)
                continue
            }
            if property.shape == nil {
                try set(inner, object, column, to: value)
            } else if let reader = try inner.writer.state.collection(found, column), try !reader.value().isIdentical(to: value) {
                try change(inner, object, column, .assign(value))
            }
        }
    }

    // MARK: What is embedded

    private func embeddedClass(_ property: StoredProperty) throws(FreeholdError) -> AppliedClass? {
        guard let target = property.linkTarget else { return nil }
        return try table(transaction.schema.table(of: Int(target)))
    }

    private func embedded(_ place: EmbeddingPlace) throws(FreeholdError) -> Int64? {
        guard let found = try place.own.writer.state.find(place.object),
              case .link(let key) = try place.own.writer.state.value(found, place.column) else { return nil }
        return key.rawValue
    }

    /// An identity by the replica that gave it.
    private struct Instance: Equatable {
        let replica: ReplicaIdentity
        let count: UInt64
    }

    private func instance(_ register: SyncRow.Register?) -> Instance? {
        guard case .embedded(let identity)? = register?.value, answer.replicas.indices.contains(identity.replica) else { return nil }
        return Instance(replica: answer.replicas[identity.replica], count: identity.count)
    }

    private func identity(_ inner: AppliedClass, _ object: Int64) throws(FreeholdError) -> Instance? {
        let reader = IdentityReader(trees: PendingTrees(inner.writer.state.root), access: transaction.pending.access)
        guard let identity = try reader.identity(of: object) else { return nil }
        let replica = try reader.replicas()[identity.replica]
        return replica.map { Instance(replica: $0, count: identity.count) }
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

    private func dropPending(_ place: EmbeddingPlace) throws(FreeholdError) {
        for (own, entry) in try ownedEntries(place.own, place.object, place.column) { own.pending.remove(entry) }
    }
}
