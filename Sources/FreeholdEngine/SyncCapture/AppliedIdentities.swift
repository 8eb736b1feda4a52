/// The identities that a transaction gives to what it applies from the server, instead of new ones of its own.
///
/// The transaction writes values like every other one; by the time of its commit it says which elements and embedded objects they are.
/// What it changes without saying so keeps its identities where the lists agree, as in every commit, and gets new ones elsewhere.
struct AppliedIdentities {
    /// A list of an object.
    struct List: Hashable {
        let table: UInt32
        let object: Int64
        /// The number of the property.
        let property: UInt32
    }

    /// An embedded object.
    struct Embedded: Hashable {
        let table: UInt32
        let object: Int64
    }

    /// Identities name replicas by their place here, as in a message.
    var replicas: [ReplicaIdentity] = []
    /// All elements of a list, in its order.
    var lists: [List: [IdentityRun]] = [:]
    var embedded: [Embedded: SyncIdentity] = [:]

    /// Whether identities are given to objects of a class.
    func names(_ table: UInt32) -> Bool {
        lists.keys.contains { $0.table == table } || embedded.keys.contains { $0.table == table }
    }
}

extension SyncCapture {
    /// Whether the transaction applies what the server says: then no change is noted.
    var isApplying: Bool { applied != nil }

    /// The identities that the transaction gives to a list's elements; nil if it gives none.
    mutating func applied(_ object: Int64, _ property: StoredProperty, _ count: Int,
                          _ own: ClassCapture) throws(FreeholdError) -> [IdentityRun]? {
        let list = AppliedIdentities.List(table: own.new.stored.number, object: object, property: property.number)
        guard let runs = applied?.lists.removeValue(forKey: list) else { return nil }
        guard runs.elements == count else {
            throw FreeholdError(.invalidArgument, "\(runs.elements) identities were given to the \(count) elements of "
                + "'\(property.name)' of object \(object)")
        }
        var made: [IdentityRun] = []
        for run in runs {
            made.append(joining: IdentityRun(first: try translated(run.first, own), position: try translated(run.position, own),
                                             count: run.count))
        }
        return made
    }

    /// An identity whose replica has the number that it has in a class.
    private func translated(_ identity: SyncIdentity, _ own: ClassCapture) throws(FreeholdError) -> SyncIdentity {
        guard let applied, applied.replicas.indices.contains(identity.replica), identity.count > 0 else {
            throw FreeholdError(.invalidArgument, "an identity names a replica that is not given with it")
        }
        return SyncIdentity(replica: try own.identities.number(of: applied.replicas[identity.replica]), count: identity.count)
    }

    /// Gives an identity to an embedded object that is new.
    mutating func identify(embedded object: Int64, _ own: ClassCapture) throws(FreeholdError) {
        let given = applied?.embedded.removeValue(forKey: AppliedIdentities.Embedded(table: own.new.stored.number, object: object))
        var identity = try given.map { given throws(FreeholdError) in try translated(given, own) }
        if identity == nil { identity = try newIdentities(1, own) }
        try own.identities.embed(object, identity ?? .none)
    }

    /// Gives identities to lists and embedded objects of a class that the transaction has not changed.
    mutating func identifyUnchanged(_ own: ClassCapture) throws(FreeholdError) {
        guard let applied else { return }
        let table = own.new.stored.number
        try own.identities.write()
        for list in applied.lists.keys.filter({ $0.table == table }).sorted(by: { $0.object < $1.object }) {
            guard let column = own.new.stored.column(numbered: list.property), own.lists.contains(column) else {
                throw FreeholdError(.invalidArgument, "identities were given to property number \(list.property), which is no list")
            }
            var known = try own.identities.list(of: list.object, list.property)
            let property = own.new.stored.properties[column]
            guard let runs = try self.applied(list.object, property, known.count, own), !runs.isEmpty else { continue }
            try own.identities.apply([ListIdentities.Edit(old: 0..<known.count, runs: runs)], to: &known, of: list.object, list.property)
        }
        for one in applied.embedded.keys.filter({ $0.table == table }).sorted(by: { $0.object < $1.object }) {
            guard own.new.stored.isEmbedded, try own.new.find(one.object) != nil else {
                throw FreeholdError(.invalidArgument, "an identity was given to object \(one.object), which is not embedded")
            }
            try own.identities.unembed(one.object)
            try identify(embedded: one.object, own)
        }
    }
}
