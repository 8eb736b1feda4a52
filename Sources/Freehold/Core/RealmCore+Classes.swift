import FreeholdEngine

/// The classes of a realm.
extension RealmCore {
    /// The Swift class for objects of unknown classes.
    var strangers: ObjectBase.Type? { (settings as? any StrangerSettings)?.strangers }

    /// The present class of the file with a name, its objects as instances of `type`.
    func dynamicClass(named name: String, as type: ObjectBase.Type) throws(FreeholdError) -> LiveClass {
        if let frozen { return try frozen.reader(self).live(frozen.number(ofStranger: name, as: type) + schema.classes.count) }
        if let place = known.dynamicPlaces[name], classes[place].origin?.checkedAt == epoch { return classes[place] }
        let schema = try engineTable(name).schema
        if let place = known.dynamicPlaces[name], classes[place].origin?.schema == schema {
            classes[place].origin = (schema, epoch)
            return classes[place]
        }
        // Safe: a realm sees its file's schema change less than thirty thousand times.
        let live = LiveClass(ModelClass(schema, as: type, known: model(known: name)), number: classes.count, in: self)
        live.origin = (schema, epoch)
        known.dynamicPlaces[name] = classes.count
        known.add(live)
        return live
    }

    /// The program's class with a name.
    func model(known name: String) -> ModelClass? { schema.known(name) }

    /// Calls a closure with the class of a number.
    @inline(__always)
    func withClass<Result>(_ number: Int16, _ body: (LiveClass) throws -> Result) rethrows -> Result {
        if isFrozen { return try body(frozenClass(Int(number))) }
        let live = known.places[Int(number)]
        return try live._withUnsafeGuaranteedRef(body)
    }

    /// Calls a closure with the class of a type, if the file has it; reports misuse if the realm does not know the
    /// type.
    @inline(__always)
    func withPresent<Result>(_ type: ObjectBase.Type, _ body: (LiveClass) throws -> Result?) rethrows -> Result? {
        if let lastPresent = known.lastPresent, lastPresent.type == type { return try lastPresent.live._withUnsafeGuaranteedRef(body) }
        guard let live = present(type) else { return nil }
        if !isFrozen { known.lastPresent = (type, .passUnretained(live)) }
        return try body(live)
    }

    func live(_ number: Int16) -> LiveClass { isFrozen ? frozenClass(Int(number)) : known.all[Int(number)] }
    func live(named name: String) -> LiveClass? { schema.place(named: name).map { live(Int16($0)) } }

    /// The calling thread's copy of a class of a frozen realm.
    @inline(never)
    private func frozenClass(_ number: Int) -> LiveClass {
        do throws(FreeholdError) {
            if let reader = try frozen?.reader(self) { return try reader.live(number) }
        } catch {
            // The realm cannot be read: each read of it reports why.
        }
        let declared = schema.classes
        if number < declared.count { return LiveClass(declared[number], number: number, in: self) }
        let stranger = frozen?.stranger(number - declared.count)
        return LiveClass(ModelClass(ClassSchema(stranger?.name ?? "", []), as: stranger?.type ?? ObjectBase.self), number: number, in: self)
    }

    /// The class of a type; reports misuse if the realm does not have it.
    func live(_ type: ObjectBase.Type) -> LiveClass? {
        if isFrozen {
            if let place = schema.place(of: type) { return frozenClass(place) }
        } else if let last = known.last, last.model.type == type {
            return last
        } else if let place = schema.place(of: type) {
            known.last = classes[place]
            return classes[place]
        }
        Misuse.report("Object type '\(type.className())' is not managed by the Realm.",
                      hint: "Add it to the objectTypes of the configuration that the realm was opened with.")
        return nil
    }

    /// Prepares for a change of objects of any class.
    func willChangeAll() {
        for live in classes {
            live.willBeChanged()
            live.forgetNumber()
        }
    }

    /// Notes that the transaction has changed the schema.
    func schemaChanged() {
        willChangeAll()
        advance()
    }
}

/// Settings with a Swift class for objects of unknown classes.
protocol StrangerSettings {
    var strangers: ObjectBase.Type { get }
}
