extension SyncAck {
    func encode(to encoder: SyncEncoder) {
        encoder.write(replica)
        encoder.write(epoch)
    }

    init(from decoder: inout SyncDecoder) throws(FreeholdError) {
        let replica = try decoder.replica()
        self.init(replica: replica, epoch: try decoder.number("the epoch"))
    }
}

extension SyncPull {
    func encode(to encoder: SyncEncoder) {
        encoder.write(replica)
        encoder.write(history)
        encoder.write(cursor)
        encoder.write(inherited) { encoder.write($0) }
        encoder.write(sent)
    }

    init(from decoder: inout SyncDecoder) throws(FreeholdError) {
        let replica = try decoder.replica(), history = try decoder.number("the history"), cursor = try decoder.cursor()
        let inherited = try decoder.list("inherited replicas") { inner throws(FreeholdError) in try inner.replica() }
        self.init(replica: replica, history: history, cursor: cursor, inherited: inherited,
                  sent: try decoder.number("the time of the pull"))
    }
}

extension SyncAnswer {
    func encode(to encoder: SyncEncoder) {
        encodeHead(to: encoder)
        let rows = storedRows.array
        for row in rows { row.encode(to: encoder) }
        Self.encodeEnd(to: encoder, replicas: replicas, rowCount: UInt64(rows.count), gone: gone, rejections: rejections)
    }

    /// What stands before the rows.
    func encodeHead(to encoder: SyncEncoder) {
        encoder.write(replica)
        encoder.write(askedHistory)
        encoder.write(askedCursor)
        encoder.write(history)
        encoder.write(cursor)
        encoder.write(isReset)
        encoder.write(known)
        encoder.write(signed: time)
        encoder.write(sent)
        encoder.write(names)
        encoder.restart()
    }

    /// What the rows need to be read, and all the rest.
    static func encodeEnd(to encoder: SyncEncoder, replicas: [ReplicaIdentity], rowCount: UInt64, gone: [Gone],
                          rejections: [SyncRejection]) {
        encoder.writeEnd {
            encoder.write(replicas) { encoder.write($0) }
            encoder.write(rowCount)
            encoder.write(gone) { one in
                encoder.write(one.object)
                encoder.buffer.append(one.reason.rawValue)
            }
            encoder.write(rejections) { $0.encode(to: encoder) }
        }
    }

    init(from decoder: inout SyncDecoder, of message: [UInt8], inMemory: Int) throws(FreeholdError) {
        let replica = try decoder.replica(), askedHistory = try decoder.number("the history"), askedCursor = try decoder.cursor()
        let history = try decoder.number("the history"), cursor = try decoder.cursor(), isReset = try decoder.truth("a reset")
        let known = try decoder.number("the known epoch"), time = try decoder.signed("the time")
        let sent = try decoder.number("the time of the pull")
        self.init(replica: replica, askedHistory: askedHistory, askedCursor: askedCursor, history: history, cursor: cursor,
                  isReset: isReset, known: known, time: time, sent: sent, names: try decoder.takeNames())
        let (places, end) = try decoder.takeEnd()
        try readEnd(end, rowsAt: places, of: message)
        if places.count <= inMemory { storedRows = SyncRows(try storedRows.decoded()) }
    }

    /// Reads what follows the rows, and what they need to be read.
    private mutating func readEnd(_ decoder: consuming SyncDecoder, rowsAt places: Range<Int>, of message: [UInt8]) throws(FreeholdError) {
        replicas = try decoder.takeReplicas()
        let place = decoder.offset, count = try decoder.number("the number of rows")
        guard count <= UInt64(places.count) else { throw decoder.damaged("rows, \(count) of them", at: place) }
        storedRows = SyncRows(places, of: message, count: Int(count), names: names, replicas: replicas.count)
        gone = try decoder.list("objects that are gone") { inner throws(FreeholdError) in
            let object = try inner.object(), place = inner.offset
            guard let reason = Leaving(rawValue: try inner.byte("why an object is gone")) else {
                throw inner.damaged("why an object is gone", at: place)
            }
            return Gone(object: object, reason: reason)
        }
        rejections = try decoder.list("rejections") { inner throws(FreeholdError) in try SyncRejection(from: &inner) }
        guard decoder.isAtEnd else { throw decoder.damaged("the end of the message", at: decoder.offset) }
    }
}

extension SyncRow {
    func encode(to encoder: SyncEncoder) {
        encoder.write(object)
        encoder.write(hasOthers)
        encoder.write(isBorn)
        encoder.write(registers) { one in
            encoder.write(one.path)
            encoder.write(one.value)
            encoder.write(one.stamp)
            encoder.write(one.replica)
            encoder.write(one.isFresh)
        }
        encoder.write(counters) { one in
            encoder.write(one.property)
            encoder.write(signed: one.sum)
        }
        encoder.write(members) { one in
            encoder.write(one.property)
            encoder.write(one.element)
            encoder.write(one.isFresh)
        }
        encoder.write(lists) { list in
            encoder.write(list.property)
            encoder.write(list.elements) { one in
                encoder.write(one.identity)
                encoder.write(one.position == one.identity ? .none : one.position)
                encoder.write(one.value)
            }
        }
    }

    init(from decoder: inout SyncDecoder) throws(FreeholdError) {
        let object = try decoder.object(), hasOthers = try decoder.truth("changes by others"), isBorn = try decoder.truth("a birth")
        let registers = try decoder.list("registers") { inner throws(FreeholdError) in
            let path = try inner.path(of: object), value = try inner.value(), stamp = try inner.stamp()
            let replica = try inner.replicaNumber()
            return Register(path: path, value: value, stamp: stamp, replica: replica, isFresh: try inner.truth("a fresh value"))
        }
        let counters = try decoder.list("counters") { inner throws(FreeholdError) in
            let property = try inner.property(of: object)
            return Counter(property: property, sum: try inner.signed("a counter"))
        }
        let members = try decoder.list("members of sets") { inner throws(FreeholdError) in
            let property = try inner.property(of: object), element = try inner.value()
            return Member(property: property, element: element, isFresh: try inner.truth("a fresh member"))
        }
        let lists = try decoder.list("lists") { inner throws(FreeholdError) in
            let property = try inner.property(of: object)
            return List(property: property, elements: try inner.list("elements of a list") { element throws(FreeholdError) in
                let identity = try element.identity(), position = try element.identity()
                return Element(identity: identity, position: position == .none ? identity : position, value: try element.value())
            })
        }
        self.init(object: object, hasOthers: hasOthers, isBorn: isBorn, registers: registers, counters: counters, members: members,
                  lists: lists)
    }
}

extension SyncRejection {
    package func encode(to encoder: SyncEncoder) {
        encoder.write(object)
        switch place {
        case .deletion: encoder.buffer.append(0)
        case .creation: encoder.buffer.append(1)
        case .register(let path):
            encoder.buffer.append(2)
            encoder.write(path)
        case .member(let property, let element):
            encoder.buffer.append(3)
            encoder.write(property)
            encoder.write(element)
        case .element(let property, let element, let act):
            encoder.buffer.append(4)
            encoder.write(property)
            encoder.write(element)
            encoder.buffer.append(act.rawValue)
        case .counter(let property):
            encoder.buffer.append(5)
            encoder.write(property)
        case .unknown(let className, let property):
            encoder.buffer.append(property == nil ? 6 : 7)
            encoder.write(className)
            if let property { encoder.write(property) }
        }
        encoder.buffer.append(reason.rawValue)
        encoder.write(entry)
    }

    package init(from decoder: inout SyncDecoder) throws(FreeholdError) {
        let object = try decoder.object(), place = try decoder.place(of: object), start = decoder.offset
        guard let reason = Reason(rawValue: try decoder.byte("a reason")) else { throw decoder.damaged("a reason", at: start) }
        self.init(object: object, place: place, reason: reason, entry: try decoder.entry())
    }
}

extension SyncDecoder {
    fileprivate mutating func place(of object: SyncObject) throws(FreeholdError) -> SyncRejection.Place {
        let start = offset
        switch try byte("what was refused") {
        case 0: return .deletion
        case 1: return .creation
        case 2: return .register(try path(of: object))
        case 3:
            let property = try property(of: object)
            return .member(property: property, element: try value())
        case 4:
            let property = try property(of: object), element = try identity()
            return .element(property: property, element: element, act: try act())
        case 5: return .counter(property: try property(of: object))
        case 6: return .unknown(className: try text("an unknown class"), property: nil)
        case 7:
            let className = try text("a class")
            return .unknown(className: className, property: try text("an unknown property"))
        default: throw damaged("what was refused", at: start)
        }
    }
}
