@testable import FreeholdEngine

/// Capture: what a commit has changed, found by comparing the objects before and after.
extension Device {
    /// A transaction of any program.
    func commit(_ given: [(key: Int, made: DeviceObject?)], isDurable: Bool, isCaptured: Bool = true) {
        var changes = given.sorted { $0.key < $1.key }
        for index in changes.indices { identify(&changes[index].made) }
        let before = now.objects, clock = now.clock, stamp = stamp()
        now.commits += 1
        defer { follow { try $0.commit(changes, before: before, isDurable: isDurable, self) } }
        (openBefore, hasNoted) = (now.epoch, false)
        for (key, made) in changes {
            var made = made
            if isCaptured { capture(key, now.objects[key], &made, stamp) }
            now.objects[key] = made
        }
        if !hasNoted { now.clock = clock }
        if isDurable { flush() }
    }

    /// Gives an identity to an embedded object that is new.
    private func identify(_ made: inout DeviceObject?) {
        guard let old = made?.registers.instance, old.replica == Self.unidentified else { return }
        let instance = newIdentity(), inner = made!.registers[.inner(old)]
        made!.registers.set(.embedded, Int(instance.word), made!.registers[.embedded]!.token)
        made!.registers.removeInner { $0.replica == Self.unidentified }
        if let inner { made!.registers.set(.inner(instance), inner.value, inner.token) }
    }

    /// Does the same to the real file, and compares both.
    func follow(isCompared: Bool = true, _ step: (ShadowFile) throws -> Void) {
        guard let shadow, world.violation == nil else { return }
        do {
            try step(shadow)
            if isCompared { try shadow.compare(self) }
        } catch { world.fail("file \(number) differs from its shadow: \(error)") }
    }

    /// What is noted of one change: a stamp, the epoch, no value.
    func item(_ stamp: SyncStamp, _ path: Path?, _ key: Int, node: Identity = .none, replacing: Item? = nil) -> Item {
        if let replacing { world.judge.excuse(replacing.token) }
        hasNoted = true
        let made = Item(stamp: stamp, replica: now.replica, epoch: openBefore, token: world.judge.newToken(), node: node,
                        isPlaced: node == .none)
        world.judge.written(made, self, key, path)
        return made
    }

    private func capture(_ key: Int, _ old: DeviceObject?, _ made: inout DeviceObject?, _ stamp: SyncStamp) {
        var old = old, pending = now.pending[key] ?? Pending()
        now.pending[key] = nil
        if let before = old, made == nil || made!.born != before.born {
            captureDeletion(key, &pending, stamp)
            old = nil
        }
        if made != nil {
            if old == nil { pending.new = item(stamp, nil, key) }
            captureContents(key, &pending, old ?? DeviceObject(), &made!, stamp)
        }
        now.pending[key] = pending.isEmpty ? nil : pending
    }

    /// Whether an epoch is the open one, or was when the transaction began.
    private func isUnsent(_ epoch: UInt64, _ replica: Int) -> Bool {
        replica == now.replica && (epoch == now.epoch || epoch == openBefore)
    }

    /// If sums of the open epoch go with the object, that epoch ends: a copy of the file may have them.
    private func captureDeletion(_ key: Int, _ pending: inout Pending, _ stamp: SyncStamp) {
        let isNew = pending.new.map { isUnsent($0.epoch, $0.replica) } ?? false
        if now.epoch == openBefore, pending.deltas.contains(where: { isUnsent($0.epoch, $0.replica) }) { now.epoch += 1 }
        world.judge.excuse(pending.tokens)
        pending.removeAllItems()
        pending.deltas = []
        pending.new = nil
        if !isNew { pending.gone = item(stamp, nil, key) }
    }

    private func captureContents(_ key: Int, _ pending: inout Pending, _ old: DeviceObject, _ made: inout DeviceObject,
                                 _ stamp: SyncStamp) {
        for path in Set(old.registers.entries.map(\.path) + made.registers.entries.map(\.path)).sorted()
        where old.registers.value(path) != made.registers.value(path) {
            var item = item(stamp, path, key, replacing: pending[path])
            if path.isEntry { noteWithin(&item, pending[path], old.registers.value(path), made.registers.value(path)) }
            pending[path] = item
            made.registers.set(path, made.registers.value(path), item.token)
        }
        for element in 0..<2 where (old.members ^ made.members) & 1 << UInt8(element) != 0 {
            pending[.member(element)] = item(stamp, .member(element), key, replacing: pending[.member(element)])
        }
        if made.count != old.count { captureCount(&pending, made.count - old.count, stamp) }
        if old.elements.map(\.value) != made.elements.map(\.value) {
            made.elements = captureList(key, &pending, old.elements, made.elements.map(\.value), stamp)
        }
        let instance = made.registers.instance
        for (path, item) in pending.items where path.isInner && path.identity != instance {
            world.judge.excuse(item.token)
            pending[path] = nil
        }
    }

    /// Where numbers stand for embedded objects, one at the same depth is a change within.
    private func noteWithin(_ item: inout Item, _ known: Item?, _ old: Int, _ new: Int) {
        guard world.rules.embeds, old != 0, new != 0, ShadowItems.depth(old) == ShadowItems.depth(new) else { return }
        item.isWithin = true
        item.whole = known?.underneath
    }

    private func captureCount(_ pending: inout Pending, _ amount: Int64, _ stamp: SyncStamp) {
        let tokens = (0..<amount).map { _ in world.judge.newToken() }
        hasNoted = true
        if let index = pending.deltas.firstIndex(where: { $0.replica == now.replica && $0.epoch == now.epoch }) {
            pending.deltas[index].amount += amount
            pending.deltas[index].tokens += tokens
        } else {
            pending.deltas.append(Delta(replica: now.replica, epoch: now.epoch, amount: amount, tokens: tokens, began: stamp))
        }
    }

    // MARK: Lists

    /// Elements keep their identities where the two lists agree. In a hunk, positions that both sides have are changed values; a value
    /// that went from one hunk to another was moved.
    private func captureList(_ key: Int, _ pending: inout Pending, _ old: [Element], _ values: [Int], _ stamp: SyncStamp) -> [Element] {
        let pairs = commonPairs(old.map(\.value), values)
        var made = [Element?](repeating: nil, count: values.count), inserted: [(at: Int, replaced: Element?)] = [], left: [Element] = []
        var i = 0, j = 0
        for (a, b) in pairs + [(old.count, values.count)] {
            left += old[i..<a]
            for at in j..<b { inserted.append((at, i + at - j < a ? old[i + at - j] : nil)) }
            if b < values.count { made[b] = old[a] }
            (i, j) = (a + 1, b + 1)
        }
        let moved = Set(inserted.map { values[$0.at] }).intersection(left.map(\.value))
        for (at, replaced) in inserted {
            if moved.contains(values[at]) {
                made[at] = move(key, &pending, left.first { $0.value == values[at] }!, stamp)
            } else if var replaced, !moved.contains(replaced.value) {
                let path = Path.element(replaced.identity, .changed)
                var item = item(stamp, path, key, replacing: pending[path])
                noteWithin(&item, pending[path], replaced.value, values[at])
                pending[path] = item
                (replaced.value, replaced.token) = (values[at], item.token)
                made[at] = replaced
            } else {
                made[at] = insert(key, &pending, values[at], stamp)
            }
        }
        let result = made.map { $0! }
        for one in old where !result.contains(where: { $0.identity == one.identity }) { remove(key, &pending, one, stamp) }
        let namesShown = !shortcuts.contains(.namesHiddenPositions)
        world.runs.move(pending.noteNeighbours(in: result, own: ownReplicas, namesShown: namesShown), in: result)
        return result
    }

    private func insert(_ key: Int, _ pending: inout Pending, _ value: Int, _ stamp: SyncStamp) -> Element {
        let name = newIdentity(), path = Path.element(name, .inserted), item = item(stamp, path, key, node: name)
        pending[path] = item
        return Element(identity: name, node: name, value: value, token: item.token)
    }

    private func move(_ key: Int, _ pending: inout Pending, _ one: Element, _ stamp: SyncStamp) -> Element {
        if shortcuts.contains(.movesAreDeletionAndInsertion) {
            remove(key, &pending, one, stamp)
            return insert(key, &pending, one.value, stamp)
        }
        let node = newIdentity(), path = Path.element(one.identity, .moved)
        pending[path] = item(stamp, path, key, node: node, replacing: pending[path])
        var made = one
        made.node = node
        return made
    }

    private func remove(_ key: Int, _ pending: inout Pending, _ one: Element, _ stamp: SyncStamp) {
        let inserted = pending[.element(one.identity, .inserted)]
        for act in [SyncChange.Act.changed, .moved, .inserted] {
            let path = Path.element(one.identity, act)
            if let item = pending[path] { world.judge.excuse(item.token) }
            pending[path] = nil
        }
        if inserted.map({ !isUnsent($0.epoch, $0.replica) }) ?? true {
            let path = Path.element(one.identity, .deleted)
            pending[path] = item(stamp, path, key)
        }
    }
}
