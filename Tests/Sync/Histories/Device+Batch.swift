@testable import FreeholdEngine

extension Device {
    /// Closes the epoch: later changes belong to the next one. Durable before anything of it is sent.
    func seal() -> UInt64 {
        let epoch = now.epoch
        if !shortcuts.contains(.neverSeals) {
            now.epoch += 1
            now.commits += 1
            if !shortcuts.contains(.sealIsNotDurable) { flush() }
        }
        if !shortcuts.contains(.ignoresSidecar) { marked = (now.replica, epoch) }
        follow { try $0.seal(epoch) }
        return epoch
    }

    /// What is pending of all epochs up to one, with its values as they are in this version.
    func batch(_ epoch: UInt64) -> SyncPush {
        var names = ReplicaTable(now.replica)
        let changes = (0..<Key.count).compactMap { key in
            now.pending[key].flatMap { change(key, $0, now.objects[key] ?? DeviceObject(), epoch, &names) }
        }
        let inherited = now.copied.map { SyncPush.Inherited(replica: UInt32(names.number($0.replica)), openEpoch: $0.epoch, last: $0.last) }
        let push = SyncPush(epoch: epoch, history: now.history, cursor: now.cursor, seen: now.clock.seen, names: world.names,
                            replicas: names.identities, inherited: inherited, changes: changes)
        follow { try $0.compare(push) }
        return push
    }

    private func isDue(_ item: Item, _ epoch: UInt64) -> Bool { item.replica != now.replica || item.epoch <= epoch }

    private func change(_ key: Int, _ pending: Pending, _ here: DeviceObject, _ epoch: UInt64, _ names: inout ReplicaTable) -> SyncChange? {
        var made = SyncChange(object: World.object(key))
        if let gone = pending.gone, isDue(gone, epoch) { made.deleted = names.entry(gone) }
        if let new = pending.new, isDue(new, epoch) { made.created = names.entry(new) }
        var elements: [(order: (Int, Int, UInt64), path: Path, item: Item)] = []
        for (path, item) in pending.items where isDue(item, epoch) {
            if path.isElement {
                elements.append((order(of: item), path, item))
            } else if path.isMember {
                made.members.append(.init(property: Property.set, element: .int(Int64(path.detail)),
                                          isMember: here.members & 1 << UInt8(path.detail) != 0, entry: names.entry(item)))
            } else {
                made.registers.append(.init(path: names.path(path), entry: names.entry(item),
                                            value: names.value(path, here.registers.value(path))))
            }
        }
        // A stable sort: equal ones stay as they are.
        for (_, one) in elements.enumerated().sorted(by: { ($0.element.order, $0.offset) < ($1.element.order, $1.offset) }) {
            let value = here.elements.first { $0.identity == one.path.identity }?.value ?? 0
            made.elements.append(names.element(one.path, one.item, value))
        }
        for delta in pending.deltas where delta.replica != now.replica || delta.epoch <= epoch {
            made.sums.append(.init(property: Property.counter, replica: UInt32(names.number(delta.replica)), epoch: delta.epoch,
                                   amount: delta.amount, count: UInt32(delta.tokens.count), began: delta.began,
                                   trace: world.judge.note(delta.tokens)))
        }
        let isEmpty = made.deleted == nil && made.created == nil && made.registers.isEmpty && made.members.isEmpty
            && made.elements.isEmpty && made.sums.isEmpty
        return isEmpty ? nil : made
    }

    /// In the order in which positions were made, of the files that this one was copied from first; then what needs none.
    private func order(of item: Item) -> (Int, Int, UInt64) {
        guard item.node != .none else { return (1, 0, 0) }
        if item.node.replica == now.replica { return (0, now.copied.count, item.node.count) }
        guard let index = now.copied.firstIndex(where: { $0.replica == item.node.replica }) else {
            return (0, -1, 0)           // of an object that was created again: in the order of the list
        }
        return (0, index, item.node.count)
    }
}

private func < (one: ((Int, Int, UInt64), Int), other: ((Int, Int, UInt64), Int)) -> Bool {
    one.0 != other.0 ? one.0 < other.0 : one.1 < other.1
}

/// The replicas that a message names: a history's numbers to the message's.
struct ReplicaTable {
    private(set) var replicas: [Int]

    init(_ first: Int) { replicas = [first] }

    var identities: [ReplicaIdentity] { replicas.map { ReplicaIdentity(high: 0, low: UInt64($0)) } }

    mutating func number(_ replica: Int) -> Int {
        if let index = replicas.firstIndex(of: replica) { return index }
        replicas.append(replica)
        return replicas.count - 1
    }

    mutating func identity(_ identity: Identity) -> SyncIdentity {
        identity == .none ? .none : SyncIdentity(replica: number(identity.replica), count: identity.count)
    }

    mutating func entry(_ item: Item) -> SyncEntry {
        SyncEntry(stamp: item.stamp, epoch: item.epoch, replica: UInt32(number(item.replica)), trace: item.token)
    }

    mutating func path(_ path: Path) -> SyncPath {
        if path.isInner { return SyncPath(property: Property.inner, instance: identity(path.identity)) }
        if path.isEntry { return SyncPath(property: Property.map, key: .string("\(path.detail)")) }
        return SyncPath(property: Int32(path.detail))
    }

    mutating func value(_ path: Path, _ value: Int) -> SyncValue {
        if value == 0 { return path.isEntry ? .absent : .null }
        if path == .embedded { return .embedded(identity(Identity(word: UInt64(value)))) }
        if path == .link { return .link(World.object(value - 1)) }
        return .int(Int64(value))
    }

    mutating func element(_ path: Path, _ item: Item, _ value: Int) -> SyncChange.Element {
        .init(property: Property.list, element: identity(path.identity), act: path.act, entry: entry(item), position: identity(item.node),
              left: identity(item.left), right: identity(item.right), value: value == 0 ? .null : .int(Int64(value)))
    }
}
