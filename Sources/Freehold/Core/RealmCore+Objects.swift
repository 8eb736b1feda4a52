import FreeholdEngine

extension RealmCore {
    /// The object that a mixed value links to; nil if it was deleted.
    func object(at reference: ObjectReference) throws -> ObjectBase? {
        if let live = try live(numbered: reference.classNumber) { return try live.object(reference.key) }
        guard let strangers, let name = try className(numbered: reference.classNumber) else { return nil }
        return try dynamicClass(named: name, as: strangers).object(reference.key)
    }

    func delete(_ objects: [ObjectBase]) {
        guard enter(), requireWrite(), let transaction else { return }
        attempt(()) {
            let present = try objects.filter(mayDelete)
            var batches: [(keys: [ObjectKey], table: Table)] = []
            // Each once: an object found by two queries is two Swift objects, but one of the file.
            var known: Set<ObjectReference> = [], last: LiveClass?
            for object in present {
                let live = object.live(in: self), table = try live.held().table, key = ObjectKey(object._key)
                guard present.count == 1 || known.insert(table.reference(to: key)).inserted else { continue }
                if live === last { batches[batches.count - 1].keys.append(key) } else { batches.append(([key], table)) }
                last = live
            }
            if batches.isEmpty { return }
            willChangeAll()
            try transaction.delete(batches)
            for object in present { object._row = -1 }
        }
    }

    private func mayDelete(_ object: ObjectBase) throws -> Bool {
        if object.core === self { return try row(of: object) != nil }
        Misuse.report("Can only delete an object from the Realm it belongs to.")
        return false
    }

    func deleteAll() {
        guard enter(), requireWrite(), let transaction else { return }
        attempt(()) {
            willChangeAll()
            try transaction.delete(try schema.classes.filter { !$0.isEmbedded && $0.superclass == nil }.map { model in
                let table = try engineTable(model.name)
                return (try table.keys(), table)
            })
        }
    }
}

extension LiveClass {
    /// The object whose primary key is `value`; nil if there is none.
    func object(primaryKey value: Any) throws -> ObjectBase? {
        guard let place = model.primaryKey else {
            Misuse.report("\(model.name) does not have a primary key")
            return nil
        }
        let property = model.properties[place]
        guard let wanted = property.valueType?.stored(of: value, in: core) else {
            Misuse.report("Invalid value '\(value)' of type '\(Swift.type(of: value))' for '\(property.kind.type)' property '\(model.name).\(property.name)'.")
            return nil
        }
        let table = try held().table
        if isKeyedByNumber, case .int(let key) = wanted { return try object(ObjectKey(key)) }
        return try table.key(primaryKey: wanted).flatMap { try object($0) }
    }
}

extension _Storable {
    static func stored(of value: Any, in core: RealmCore) -> Value? { _from(value, ValueContext(core: core))?._stored(in: StoringContext(core)) }
}
