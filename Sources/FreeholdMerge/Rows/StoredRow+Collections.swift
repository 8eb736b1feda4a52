import FreeholdEngine

/// Collections of a row as bytes. A map has its entries by key, a set its members with the additions of each, a list its elements and
/// the tree of positions. What is the same has the same bytes.
extension StoredRow {
    var collections: [RowColumns.Collection] {
        var maps: [Int32: [(SyncValue, StoredRegister)]] = [:], sets: [Int32: [(SyncValue, TransactionsByReplica)]] = [:]
        for (path, register) in entries { maps[path.property, default: []].append((path.key, register)) }
        for (name, additions) in members { sets[name.property, default: []].append((name.element, additions)) }
        var made: [RowColumns.Collection] = []
        for (property, entries) in maps { made.append(.init(property: property, bytes: Self.bytes(entries) { $0.write($1) })) }
        for (property, members) in sets { made.append(.init(property: property, bytes: Self.bytes(members) { $0.write($1) })) }
        for (property, list) in lists { made.append(.init(property: property, bytes: list.bytes)) }
        return made.sorted { $0.property < $1.property }
    }

    private static func bytes<Fact>(_ entries: [(SyncValue, Fact)], _ write: (SyncEncoder, Fact) -> Void) -> [UInt8] {
        let encoded = entries.map { value, fact in
            let encoder = SyncEncoder()
            encoder.write(value)
            write(encoder, fact)
            return encoder.bytes
        }
        let encoder = SyncEncoder()
        encoder.write(UInt64(encoded.count))
        return encoder.bytes + encoded.sorted { $0.lexicographicallyPrecedes($1) }.joined()
    }

    mutating func read(_ collection: RowColumns.Collection, _ kind: SyncSchema.Kind, _ schema: SyncSchema) throws(FreeholdError) {
        var row = self
        // Safe: the decoder reads within the bytes, and no pointer outlives the call.
        let result = collection.bytes.withUnsafeBytes { bytes in
            Result { () throws(FreeholdError) in
                var decoder = SyncDecoder(stored: bytes, names: schema.names)
                switch kind {
                case .map: try row.readEntries(collection.property, &decoder)
                case .set: try row.readMembers(collection.property, &decoder)
                case .list: row.lists[collection.property] = try StoredList(from: &decoder)
                case .plain, .counter, .merged: throw decoder.damaged("a property that is a collection")
                }
                guard decoder.isAtEnd else { throw decoder.damaged("the end of the collection") }
            }
        }
        try result.get()
        self = row
    }

    private mutating func readEntries(_ property: Int32, _ decoder: inout SyncDecoder) throws(FreeholdError) {
        for _ in 0..<(try decoder.number("the number of entries")) {
            decoder.restart()
            let key = try decoder.value()
            // The keys of one map are strings, numbers or the like: no link, and no collection.
            if case .null = key { throw decoder.damaged("the key of an entry") }
            let path = SyncPath(property: property, key: key)
            guard entries.updateValue(try decoder.register(), forKey: path) == nil else { throw decoder.damaged("each key once") }
        }
    }

    private mutating func readMembers(_ property: Int32, _ decoder: inout SyncDecoder) throws(FreeholdError) {
        for _ in 0..<(try decoder.number("the number of members")) {
            let name = StoredMember(property: property, element: try decoder.value())
            var additions = TransactionsByReplica()
            for _ in 0..<(try decoder.number("the number of additions")) {
                let replica = try decoder.replicaNumber()
                additions[replica] = try decoder.number("a transaction")
            }
            guard members.updateValue(additions, forKey: name) == nil else { throw decoder.damaged("each member once") }
        }
    }
}

extension StoredList {
    var bytes: [UInt8] {
        let encoder = SyncEncoder()
        tree.encode(to: encoder)
        encoder.write(elements.sorted { $0.key < $1.key }) { identity, element in
            encoder.write(identity)
            encoder.write(element.value)
            encoder.write(element.position)
            encoder.write(element.move)
            encoder.write(element.isDeleted)
        }
        encoder.write(moved.sorted { $0.key < $1.key }) { position, identity in
            encoder.write(position)
            encoder.write(identity)
        }
        return encoder.bytes
    }

    init(from decoder: inout SyncDecoder) throws(FreeholdError) {
        tree = try PositionTree(from: &decoder)
        for _ in 0..<(try decoder.number("the number of elements")) {
            let identity = try decoder.identity(), value = try decoder.register(), position = try decoder.identity()
            let move = try decoder.write()
            elements[identity] = StoredElement(value: value, position: position, move: move, isDeleted: try decoder.truth("a deletion"))
        }
        for _ in 0..<(try decoder.number("the number of moves")) {
            let position = try decoder.identity()
            moved[position] = try decoder.identity()
        }
    }
}

extension SyncEncoder {
    func write(_ register: StoredRegister) {
        write(register.value)
        write(register.write)
        write(register.instance)
        write(register.trace)
    }

    func write(_ write: StoredWrite) {
        self.write(write.stamp)
        self.write(write.replica)
        self.write(write.epoch)
        self.write(write.given)
        self.write(write.transaction)
    }

    func write(_ additions: TransactionsByReplica) {
        write(additions.pairs) { replica, transaction in
            write(replica)
            write(transaction)
        }
    }
}

extension SyncDecoder {
    mutating func register() throws(FreeholdError) -> StoredRegister {
        let value = try value(), write = try write(), instance = try identity()
        return StoredRegister(value: value, stamp: write.stamp, transaction: write.transaction, epoch: write.epoch, given: write.given,
                              instance: instance, replica: write.replica, trace: UInt32(try number(below: 1 << 32, "a trace")))
    }

    mutating func write() throws(FreeholdError) -> StoredWrite {
        let stamp = try stamp(), replica = try replicaNumber(), epoch = try number("an epoch"), given = try self.stamp()
        return StoredWrite(stamp: stamp, replica: replica, epoch: epoch, given: given, transaction: try number("a transaction"))
    }
}
