@testable import FreeholdEngine
@testable import FreeholdMerge

/// An answer in a history's numbers.
struct AnswerRows {
    private(set) var rows = [DeviceRow?](repeating: nil, count: Key.count)
    private(set) var gone = [SyncAnswer.Leaving?](repeating: nil, count: Key.count)

    private let replicas: [Int]

    var goneReasons: [SyncAnswer.Leaving?] { gone }

    init(_ answer: SyncAnswer) {
        replicas = answer.replicas.map { Int($0.low) }
        for row in answer.rows { rows[World.key(row.object)] = made(row) }
        for one in answer.gone { gone[World.key(one.object)] = one.reason }
    }

    private func identity(_ identity: SyncIdentity) -> Identity {
        identity == .none ? .none : Identity(replicas[identity.replica], identity.count)
    }

    private func made(_ row: SyncRow) -> DeviceRow {
        var made = DeviceRow()
        made.hasOthers = row.hasOthers
        made.isBorn = row.isBorn
        for register in row.registers {
            let path: Path = if register.path.instance != .none {
                .inner(identity(register.path.instance))
            } else if case .string(let key) = register.path.key {
                .entry(Int(key)!)
            } else {
                .property(register.path.property)
            }
            made.object.registers.set(path, World.number(register.value, identity), register.trace)
            made.writes.append((path, .init(stamp: register.stamp, replica: replicas[Int(register.replica)])))
            if path == .merged { made.hasFreshMerged = register.isFresh }
        }
        made.object.count = row.counters.reduce(0) { $0 + $1.sum }
        for member in row.members {
            guard case .int(let element) = member.element else { continue }
            made.object.members |= 1 << UInt8(element)
            if member.isFresh { made.fresh |= 1 << UInt8(element) }
        }
        for element in row.lists.first?.elements ?? [] {
            made.object.elements.append(Element(identity: identity(element.identity), node: identity(element.position),
                                                value: World.number(element.value, identity), token: element.trace))
        }
        return made
    }
}

extension StoredRow {
    /// What a device would have of the row.
    func asDeviceRow(_ store: any SyncStore) -> DeviceRow {
        var made = DeviceRow()
        made.birth = birth
        let identity = { (identity: SyncIdentity) in
            if identity == .none { return Identity.none }
            return Identity((try? store.replica(UInt32(identity.replica))).map { Int($0.low) } ?? -1, identity.count)
        }
        for (property, register) in registers.enumerated() where register.isWritten {
            let path: Path = register.instance == .none ? .property(Int32(property)) : .inner(identity(register.instance))
            made.object.registers.set(path, World.number(register.value, identity), register.trace)
        }
        for (path, register) in entries {
            guard case .string(let key) = path.key else { continue }
            made.object.registers.set(.entry(Int(key)!), World.number(register.value, identity), register.trace)
        }
        made.object.count = counters.values.reduce(0, +)
        for member in members.keys {
            if case .int(let element) = member.element { made.object.members |= 1 << UInt8(element) }
        }
        lists[Property.list]?.forEachShown { name, element in
            made.object.elements.append(Element(identity: identity(name), node: identity(element.position),
                                                value: World.number(element.value.value, identity), token: element.value.trace))
        }
        return made
    }
}
