/// Lists: the row's elements with what is pending of this file's.
extension AnswerApplication {
    func updateList(_ own: AppliedClass, _ object: Int64, _ column: Int, _ elements: [SyncRow.Element],
                    _ entries: [PendingEntry], _ embedded: EmbeddedApplication) throws(FreeholdError) {
        guard let place = try own.writer.state.find(object), let reader = try own.writer.state.collection(place, column) else { return }
        let property = own.stored.properties[column]
        var numbers = try LocalReplicas(own.identities, answer.replicas)
        let local = ListedIdentities(try runs(own, object, column, reader).runs)
        var rows: [ListRebase.Element] = []
        for element in elements {
            // A list with an element that it cannot have here stays as it is, with what is pending.
            guard let source = try source(element, property) else { return try refuse(own, object, property) }
            // The object that an element links to is not here. In a mixed list the element is null, as when it is deleted here.
            if case .row(.null) = source, element.value != .null, property.type != .mixed { continue }
            guard let identity = numbers.local(element.identity), let position = numbers.local(element.position) else { continue }
            var made = ListRebase.Element(identity: identity, position: position, source: source)
            if property.type == .mixed, case .row(let value) = source, let index = local.index(of: identity), index < reader.count,
               try isSame(self.value(reader, index), value, property) {
                made.source = .local(index)
            }
            rows.append(made)
        }
        var notes = ElementNotes(), pending = PendingElements(entries)
        for entry in entries { if case .element(_, let change) = entry.what { notes.load(change, entry.stamp, entry.origin) } }
        if isEmbedded(property) { pending.addChanges(within: try embedded.changed(within: reader, local, property)) }
        let rebase = ListRebase(rows, local, pending)
        if isEmbedded(property) {
            try embedded.write(rebase, own, object, column, reader)
        } else if try !write(rebase, own, object, column, reader) {
            return
        }
        for (act, ranges) in rebase.lost { _ = notes.take(act, ranges) }
        for range in rebase.vanished(pending) { notes.vanish(range) }
        // A copy of this file may have moved on what is pending here.
        notes.leaveFirstPositions(rebase.runs.filter { $0.position != $0.first }.map(\.identities).joined())
        let ages = try PositionAges(body) { replica in numbers.number(of: replica) }
        try notes.moveNeighbours { _ in ListWindow(rebase.runs, ages) }
        for note in notes.dropped { own.pending.remove(note.entry(object, property.number)) }
        for note in notes.added { own.pending.insert(note.entry(object, property.number)) }
        guard rebase.runs != local.runs else { return }
        let list = AppliedIdentities.List(table: own.stored.number, object: object, property: property.number)
        identities.lists[list] = rebase.runs.map { run in
            let replica = numbers.replica(run.first.replica), other = numbers.replica(run.position.replica)
            return IdentityRun(first: SyncIdentity(replica: number(of: replica), count: run.first.count),
                               position: SyncIdentity(replica: number(of: other), count: run.position.count), count: run.count)
        }
    }

    /// An element as the row has it; nil for a value that the list cannot have.
    private func source(_ element: SyncRow.Element, _ property: StoredProperty) throws(FreeholdError) -> ListRebase.Element.Source? {
        if isEmbedded(property) { return property.shape?.takes(element: element.value) == true ? .message(element.value) : nil }
        return try value(element.value, of: property).map { .row($0) }
    }

    /// Replaces the elements between the beginning and the end that stay. False if one is refused: then none is replaced.
    private func write(_ rebase: ListRebase, _ own: AppliedClass, _ object: Int64, _ column: Int,
                       _ reader: CollectionReader) throws(FreeholdError) -> Bool {
        let made = rebase.elements, count = reader.count
        func stays(_ element: ListRebase.Element, _ at: Int) throws(FreeholdError) -> Bool {
            switch element.source {
            case .local(let index): return index == at
            case .row(let value):
                let isSame = try self.value(reader, at).isIdentical(to: value)
                return isSame && rebase.local(element.identity) == at
            case .message: return false
            }
        }
        var head = 0, tail = 0
        while head < min(count, made.count), try stays(made[head], head) { head += 1 }
        while tail < min(count, made.count) - head, try stays(made[made.count - 1 - tail], count - 1 - tail) { tail += 1 }
        var values: [Value] = []
        for element in made[head..<made.count - tail] {
            switch element.source {
            case .local(let index): values.append(try value(reader, index))
            case .row(let value): values.append(value)
            case .message: break // of lists of embedded objects, which `remake` writes
            }
        }
        if !values.isEmpty, try !change(own, object, column, .insert(values, at: head)) { return false }
        if head < count - tail { try change(own, object, column, .remove(head + values.count..<count - tail + values.count)) }
        return true
    }
}

extension ElementNotes.Note {
    func entry(_ object: Int64, _ property: UInt32) -> PendingEntry {
        PendingEntry(key: object, what: .element(property, change), stamp: stamp, origin: origin)
    }
}

/// The numbers that replicas have in a class, also those that it gets to know by an answer.
struct LocalReplicas {
    private var replicas: [Int: ReplicaIdentity]
    private var numbers: [ReplicaIdentity: Int] = [:]
    private let message: [ReplicaIdentity]
    private var last: Int

    init(_ reader: IdentityReader, _ message: [ReplicaIdentity]) throws(FreeholdError) {
        replicas = try reader.replicas()
        for (number, replica) in replicas { numbers[replica] = number }
        last = replicas.keys.max() ?? 0
        self.message = message
    }

    /// An identity of the message; nil if it names no replica of it.
    mutating func local(_ identity: SyncIdentity) -> SyncIdentity? {
        guard identity.count > 0, message.indices.contains(identity.replica) else { return nil }
        let replica = message[identity.replica]
        if numbers[replica] == nil {
            last += 1
            numbers[replica] = last
            replicas[last] = replica
        }
        return SyncIdentity(replica: numbers[replica] ?? 0, count: identity.count)
    }

    func number(of replica: ReplicaIdentity) -> Int? { numbers[replica] }
    func replica(_ number: Int) -> ReplicaIdentity { replicas[number] ?? .server }
}
