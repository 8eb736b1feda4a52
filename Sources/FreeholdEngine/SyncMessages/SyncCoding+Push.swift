extension SyncPush {
    func encode(to encoder: SyncEncoder) {
        encodeHead(to: encoder)
        for change in changes { change.encode(to: encoder) }
        encodeEnd(to: encoder, count: changes.count)
    }

    /// Writes what stands in front of the changes.
    func encodeHead(to encoder: SyncEncoder) {
        encoder.write(epoch)
        encoder.write(history)
        encoder.write(cursor)
        encoder.write(seen)
        encoder.restart()
    }

    /// Writes what stands behind the changes, which it tells how to read.
    func encodeEnd(to encoder: SyncEncoder, count: Int) {
        encoder.writeEnd {
            encoder.write(names)
            encoder.write(replicas) { encoder.write($0) }
            encoder.write(inherited) { one in
                encoder.write(one.replica)
                encoder.write(one.openEpoch)
                encoder.write(one.last)
            }
            encoder.write(UInt64(count))
        }
    }

    init(from decoder: inout SyncDecoder) throws(FreeholdError) {
        let epoch = try decoder.number("the epoch"), history = try decoder.number("the history")
        let cursor = try decoder.cursor(), seen = try decoder.stamp()
        var (places, end) = try decoder.takeEnd()
        let names = try end.takeNames(), replicas = try end.takeReplicas()
        guard !replicas.isEmpty else { throw end.damaged("the replica that pushes") }
        let inherited = try end.list("inherited replicas") { inner throws(FreeholdError) in
            let replica = try inner.replicaNumber(), openEpoch = try inner.number("an inherited epoch")
            return Inherited(replica: replica, openEpoch: openEpoch, last: try inner.stamp())
        }
        let place = end.offset, count = try end.number("the number of changed objects")
        guard count <= UInt64(places.count) else { throw end.damaged("changed objects, \(count) of them", at: place) }
        guard end.isAtEnd else { throw end.damaged("the end of the message", at: end.offset) }
        var reader = end.part(places), changes: [SyncChange] = []
        changes.reserveCapacity(min(Int(count), 1 << 16))
        for _ in 0..<count { changes.append(try SyncChange(from: &reader)) }
        guard reader.isAtEnd else { throw reader.damaged("the end of the changes", at: reader.offset) }
        self.init(epoch: epoch, history: history, cursor: cursor, seen: seen, names: names, replicas: replicas, inherited: inherited,
                  changes: changes)
    }
}

extension SyncChange {
    func encode(to encoder: SyncEncoder) {
        encoder.write(object)
        encoder.write(optional: deleted) { encoder.write($0) }
        encoder.write(optional: created) { encoder.write($0) }
        encoder.write(registers) { one in
            encoder.write(one.path)
            encoder.write(one.entry)
            encoder.write(one.value)
        }
        encoder.write(members) { one in
            encoder.write(one.property)
            encoder.write(one.element)
            encoder.write(one.isMember)
            encoder.write(one.entry)
        }
        encoder.write(elements) { $0.encode(to: encoder) }
        encoder.write(sums) { one in
            encoder.write(one.property)
            encoder.write(one.replica)
            encoder.write(one.epoch)
            encoder.write(signed: one.amount)
            encoder.write(one.count)
            encoder.write(one.began)
        }
    }

    init(from decoder: inout SyncDecoder) throws(FreeholdError) {
        let object = try decoder.object()
        let deleted = try decoder.optional("a deletion") { inner throws(FreeholdError) in try inner.entry() }
        let created = try decoder.optional("a creation") { inner throws(FreeholdError) in try inner.entry() }
        let registers = try decoder.list("registers") { inner throws(FreeholdError) in
            let path = try inner.path(of: object), entry = try inner.entry()
            return Register(path: path, entry: entry, value: try inner.value())
        }
        let members = try decoder.list("members of sets") { inner throws(FreeholdError) in
            let property = try inner.property(of: object), element = try inner.value(), isMember = try inner.truth("a membership")
            return Member(property: property, element: element, isMember: isMember, entry: try inner.entry())
        }
        let elements = try decoder.list("elements of lists") { inner throws(FreeholdError) in try Element(from: &inner, of: object) }
        let sums = try decoder.list("sums of counters") { inner throws(FreeholdError) in
            let property = try inner.property(of: object), replica = try inner.replicaNumber(), epoch = try inner.number("a sum's epoch")
            let amount = try inner.signed("a sum"), count = UInt32(try inner.number(below: 1 << 32, "a number of increments"))
            return Sum(property: property, replica: replica, epoch: epoch, amount: amount, count: count, began: try inner.stamp())
        }
        self.init(object: object, deleted: deleted, created: created, registers: registers, members: members, elements: elements,
                  sums: sums)
    }
}

extension SyncChange.Element {
    func encode(to encoder: SyncEncoder) {
        encoder.write(property)
        encoder.write(element)
        encoder.buffer.append(act.rawValue)
        encoder.write(entry)
        switch act {
        case .inserted, .moved:
            encoder.write(position)
            encoder.write(left)
            encoder.write(right)
        case .changed, .deleted: break
        }
        if act == .inserted || act == .changed { encoder.write(value) }
    }

    init(from decoder: inout SyncDecoder, of object: SyncObject) throws(FreeholdError) {
        let property = try decoder.property(of: object), element = try decoder.identity()
        let act = try decoder.act(), entry = try decoder.entry()
        self.init(property: property, element: element, act: act, entry: entry)
        if act == .inserted || act == .moved {
            position = try decoder.identity()
            left = try decoder.identity()
            right = try decoder.identity()
            guard position != .none else { throw decoder.damaged("a position before this byte") }
        }
        if act == .inserted || act == .changed { value = try decoder.value() }
    }
}

extension SyncDecoder {
    mutating func act() throws(FreeholdError) -> SyncChange.Act {
        let place = offset
        guard let act = SyncChange.Act(rawValue: try byte("what was done to an element")) else {
            throw damaged("what was done to an element", at: place)
        }
        return act
    }
}
