/// Elements of lists, by their identities.
extension BatchMaker {
    /// What was done to a list's elements, in the order in which positions were made, of the files that this one was copied from first;
    /// then what needs none.
    mutating func addElements(_ property: StoredProperty, _ reader: CollectionReader, _ found: RowPlace, _ state: TableState,
                                      _ own: [PendingEntry], _ inner: [Int64: PendingEntry], _ created: PendingEntry?,
                                      _ place: Int) throws(FreeholdError) {
        let identities = IdentityReader(trees: PendingTrees(state.root), access: snapshot.core.access)
        let list = ListedIdentities(try identities.runs(of: found.key, property.number))
        var elements = PendingElements(own)
        if let created {
            let ages = try PositionAges(body) { replica throws(FreeholdError) in try identities.number(of: replica) }
            elements.addCreation(list.runs, created, ages)
        }
        elements.addChanges(within: try changed(inner, reader, list))
        let table = Int(state.stored.number), number = names.property(property.name, of: table)
        try translate(identities, table)
        var made: [(order: (Int, Int, UInt64), element: SyncChange.Element)] = []
        for (change, entry) in elements.changes {
            for offset in 0..<change.count {
                let identity = change.first.advanced(by: offset), one = change.part(identity.rawValue...identity.rawValue)
                let named = message(identity, table)
                var element = SyncChange.Element(property: number, element: named, act: change.act, entry: self.entry(entry))
                element.position = message(one.position, table)
                element.left = message(one.left, table)
                element.right = message(one.right, table)
                if change.act == .inserted || change.act == .changed, let at = list.index(of: identity) {
                    element.value = try message(try value(reader, at), property)
                }
                made.append((order(of: element.position), element))
            }
        }
        // A stable sort: equal ones stay as they are.
        let sorted = made.enumerated().sorted { one, other in
            one.element.order != other.element.order ? one.element.order < other.element.order : one.offset < other.offset
        }
        changes[place].elements += sorted.map(\.element.element)
    }

    /// The elements within which something has changed.
    private func changed(_ inner: [Int64: PendingEntry], _ reader: CollectionReader,
                         _ list: ListedIdentities) throws(FreeholdError) -> [(identity: SyncIdentity, entry: PendingEntry)] {
        if inner.isEmpty { return [] }
        var found: [(identity: SyncIdentity, entry: PendingEntry)] = []
        for position in 0..<reader.count {
            guard let entry = try value(reader, position).embeddedKeys.compactMap({ inner[$0] }).newest else { continue }
            guard let identity = list.identity(at: position) else { throw ListIdentities.damaged() }
            found.append((identity, entry))
        }
        return found
    }

    private func order(of position: SyncIdentity) -> (Int, Int, UInt64) {
        if position == .none { return (1, 0, 0) }
        if position.replica == 0 { return (0, body.slots.count, position.count) }
        // Slots are in the order of the message, the last copy first.
        if position.replica <= body.slots.count { return (0, body.slots.count - position.replica, position.count) }
        return (0, -1, 0) // of an object that was created again: in the order of the list
    }

    mutating func translate(_ identities: IdentityReader, _ table: Int) throws(FreeholdError) {
        if translations[table] != nil { return }
        var numbers: [Int: Int] = [:]
        for (number, replica) in try identities.replicas().sorted(by: { $0.key < $1.key }) {
            if replicaNumbers[replica] == nil {
                replicaNumbers[replica] = replicas.count
                replicas.append(replica)
            }
            numbers[number] = replicaNumbers[replica]
        }
        translations[table] = numbers
    }

    /// An identity of a table in the message's numbers.
    func message(_ identity: SyncIdentity, _ table: Int) -> SyncIdentity {
        guard identity != .none, let number = translations[table]?[identity.replica] else { return .none }
        return SyncIdentity(replica: number, count: identity.count)
    }

    func isEmbedded(_ property: StoredProperty) -> Bool {
        property.linkTarget.map { schema.classes[Int($0)].isEmbedded } ?? false
    }
}
