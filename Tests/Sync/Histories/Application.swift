@testable import FreeholdEngine

/// A round trip that is longer says nothing about the device's clock, in units.
private let reach = 12

/// One answer, applied to the newest version of a file: cursor, state and pending change in one commit.
struct Application {
    let device: Device
    let message: AnswerMessage
    private let rows: AnswerRows
    /// What the server has processed, by key and path.
    private var cleared: [(key: Int, path: Path, item: Item)] = []

    init(_ device: Device, _ message: AnswerMessage) {
        self.device = device
        self.message = message
        rows = AnswerRows(message.answer)
    }

    /// The stamp of all changes that the answer causes.
    private var changed: SyncStamp?

    private mutating func stamp() -> SyncStamp {
        let made = changed ?? device.stamp()
        changed = made
        return made
    }

    private var answer: SyncAnswer { message.answer }
    private var judge: Judge { device.world.judge }
    private func has(_ shortcut: DeviceShortcuts) -> Bool { device.shortcuts.contains(shortcut) }

    /// Whether it answers what the file would ask now: another may have been applied meanwhile.
    var isDue: Bool {
        guard answer.replica.low == UInt64(device.now.replica) else { return false }
        return has(.ignoresAskedCursor) || (answer.askedHistory == device.now.history && answer.askedCursor == device.now.cursor)
    }

    mutating func apply() {
        let before = device.now.objects
        device.now.commits += 1
        device.openBefore = device.now.epoch
        if !has(.ignoresStamps) {
            for row in rows.rows { for (_, write) in row?.writes ?? [] { device.now.clock.see(write.stamp) } }
        }
        let isOtherHistory = device.now.history != 0 && device.now.history != answer.history
        if !has(.ackClears) { clear(answer.known) }
        var gone = rows.gone
        if answer.isReset {
            for key in 0..<Key.count where rows.rows[key] == nil && gone[key] == nil {
                // A pending deletion stays: the object may have reached the server after its snapshot.
                if device.now.objects[key] != nil { gone[key] = .left }
                device.now.base[key] = nil
            }
        }
        for key in 0..<Key.count { if let reason = gone[key] { remove(key, reason) } }
        for key in 0..<Key.count { if let row = rows.rows[key] { update(key, row) } }
        for rejection in answer.rejections { judge.report(rejection.entry.trace, rejection.reason) }
        if !has(.ignoresUnique) { keepUnique() }
        device.now.history = answer.history
        device.now.cursor = answer.cursor
        setClock()
        device.follow { try $0.apply(message, device) }
        judge.applied(device, message, before, isOtherHistory: isOtherHistory)
    }

    // MARK: What the server has processed

    /// Forgets what is pending of epochs that the answer contains. What a copied file has inherited went out with its first epoch.
    mutating func clear(_ known: UInt64) {
        let isDone = { [replica = device.now.replica] (of: Int, epoch: UInt64) in of == replica ? epoch <= known : known > 0 }
        for key in 0..<Key.count {
            guard var pending = device.now.pending[key] else { continue }
            device.now.pending[key] = nil
            var tokens: [Token] = []
            for (path, item) in pending.items where isDone(item.replica, item.epoch) {
                tokens.append(item.token)
                cleared.append((key, path, item))
            }
            pending.removeItems { isDone($1.replica, $1.epoch) }
            for index in pending.items.indices where pending.items[index].item.whole.map({ isDone($0.replica, $0.epoch) }) == true {
                pending.changeItem(at: index) { $0.whole = nil }
            }
            for delta in pending.deltas where isDone(delta.replica, delta.epoch) { tokens += delta.tokens }
            pending.deltas.removeAll { isDone($0.replica, $0.epoch) }
            if let gone = pending.gone, isDone(gone.replica, gone.epoch) {
                tokens.append(gone.token)
                pending.gone = nil
            }
            if let new = pending.new, isDone(new.replica, new.epoch) {
                tokens.append(new.token)
                pending.new = nil
            }
            judge.cleared(tokens, device)
            if !pending.isEmpty { device.now.pending[key] = pending }
        }
    }

    // MARK: Objects

    /// Another has deleted the object, or it has left what the user sees. What is pending of it is dropped, and reported.
    private mutating func remove(_ key: Int, _ reason: SyncAnswer.Leaving) {
        device.now.base[key] = nil
        let pending = device.now.pending[key]
        if let pending, pending.new != nil {
            if let gone = pending.gone { judge.excuse(gone.token) }
            device.now.pending[key]!.gone = nil                 // created here, and not sent yet: the object stays
        } else if reason == .deleted, Key(rawValue: key)!.updateWins, let pending, !pending.items.isEmpty,
                  device.now.objects[key] != nil, !has(.doesNotJudgeAgain) {
            createAgain(key)
        } else if reason == .left, pending != nil, has(.keepsWhatHasLeft) {
            return
        } else {
            if let pending { judge.report(pending.tokens, reason == .deleted ? .deleted : .notVisible) }
            device.now.pending[key] = nil
            device.now.objects[key] = nil
            if has(.linksToAbsentObjectsAreForgotten) { forgetLinks(to: key) }
            return
        }
        show(key, nil)
    }

    private func forgetLinks(to key: Int) {
        for other in 0..<Key.count where device.now.objects[other]?.registers.value(.link) == key + 1 {
            let token = device.now.objects[other]!.registers[.link]!.token
            device.now.objects[other]!.registers.set(.link, 0, token)
        }
    }

    /// The object was changed here and deleted elsewhere, and its class says that changes win: it is created anew, whole, since the next
    /// batch's cursor will say that this device knew of the deletion.
    private mutating func createAgain(_ key: Int) {
        device.world.createdAgain.insert(key)
        let stamp = stamp()
        judge.excuse(device.now.pending[key]!.tokens)
        var here = device.now.objects[key]!, pending = device.now.pending[key]!
        pending.gone = nil
        pending.new = device.item(stamp, nil, key)
        pending.removeAllItems()
        for entry in here.registers.entries {
            let item = device.item(stamp, entry.path, key)
            pending[entry.path] = item
            here.registers.set(entry.path, entry.value, item.token)
        }
        for element in 0..<2 where here.members & 1 << UInt8(element) != 0 {
            pending[.member(element)] = device.item(stamp, .member(element), key)
        }
        for index in here.elements.indices {            // under the same identities: another device may create the object again too
            let path = Path.element(here.elements[index].identity, .inserted)
            let item = device.item(stamp, path, key, node: here.elements[index].node)
            pending[path] = item
            here.elements[index].token = item.token
        }
        device.world.runs.move(pending.noteNeighbours(in: here.elements, own: device.ownReplicas, namesShown: true), in: here.elements)
        device.now.objects[key] = here
        device.now.pending[key] = pending
    }

    private mutating func update(_ key: Int, _ row: DeviceRow) {
        var row = row
        if var pending = device.now.pending[key], !has(.doesNotJudgeAgain) {
            // The next batch's cursor says that this device knows the row: what is pending has to mean the same then.
            if let gone = pending.gone, row.isBorn || (Key(rawValue: key)!.updateWins && row.hasOthers && pending.new == nil) {
                judge.report([gone.token], .deleted)
                pending.gone = nil
            }
            if let new = pending.new, pending.gone == nil {
                judge.excuse(new.token)
                pending.new = nil
            }
            device.now.pending[key] = pending
        }
        if has(.doesNotJudgeAgain) { row.fresh = 0 }
        var base = row
        (base.fresh, base.hasOthers, base.isBorn, base.hasFreshMerged) = (0, false, false, false)
        device.now.base[key] = base
        resolve(key, row)
        show(key, row)
    }

    /// The application's function merges a property that was changed here and elsewhere; its result is a new local change.
    private mutating func resolve(_ key: Int, _ row: DeviceRow) {
        guard !has(.doesNotResolve), let here = device.now.objects[key], device.now.pending[key]?.gone == nil else { return }
        let theirs = row.object.registers[.merged], item = device.now.pending[key]?[.merged]
        let lost = cleared.first { $0.key == key && $0.path == .merged }?.item
        let isRefused = lost.map { lost in answer.rejections.contains { $0.reason == .conflict && $0.entry.trace == lost.token } } ?? false
        guard isRefused || item != nil else { return }
        guard isRefused || row.hasFreshMerged else { return }
        let sets = device.world.sets
        let merged = sets[here.registers.value(.merged)].union(sets[theirs?.value ?? 0])
        if let item { judge.report([item.token], .conflict) }
        if isRefused { judge.report([lost!.token], .conflict) }
        if merged == sets[theirs?.value ?? 0] {
            if item != nil { device.now.pending[key]![.merged] = nil }
            return
        }
        let made = Item(stamp: stamp(), replica: device.now.replica, epoch: device.now.epoch, token: judge.newToken())
        judge.written(made, device, key, .merged, after: theirs?.token ?? 0)
        if device.now.pending[key] == nil { device.now.pending[key] = Pending() }
        device.now.pending[key]![.merged] = made
        device.now.objects[key]!.registers.set(.merged, device.world.number(of: merged), made.token)
    }

    /// The object is the row with what is pending.
    private func show(_ key: Int, _ row: DeviceRow?) {
        var lost: [Path] = []
        let here = device.now.objects[key], made = overlay(row, device.now.pending[key], here, lost: &lost)
        for path in lost {
            judge.excuse(device.now.pending[key]![path]!.token)
            device.now.pending[key]![path] = nil
        }
        if device.now.pending[key]?.isEmpty == true { device.now.pending[key] = nil }
        guard var made else {
            device.now.objects[key] = nil
            return
        }
        made.born = here?.born ?? 0
        let own = device.ownReplicas, namesShown = !has(.namesHiddenPositions)
        let moved = device.now.pending[key]?.noteNeighbours(in: made.elements, own: own, namesShown: namesShown)
        device.world.runs.move(moved ?? [], in: made.elements)
        device.now.objects[key] = made
    }

    /// A value that the server has for another object wins over a pending one, which becomes null and is reported.
    private mutating func keepUnique() {
        for key in 0..<Key.count {
            guard let name = device.now.objects[key]?.registers.value(.name), name != 0, let item = device.now.pending[key]?[.name]
            else { continue }
            let type = Key(rawValue: key)!.type
            let isTaken = (0..<Key.count).contains {
                $0 != key && Key(rawValue: $0)!.type == type && device.now.objects[$0]?.registers.value(.name) == name
            }
            guard isTaken else { continue }
            judge.report([item.token], .notUnique)
            let made = Item(stamp: stamp(), replica: device.now.replica, epoch: device.now.epoch, token: judge.newToken())
            judge.written(made, device, key, .name, after: item.token)
            device.now.pending[key]![.name] = made
            device.now.objects[key]!.registers.set(.name, 0, made.token)
        }
    }

    // MARK: Clocks

    /// Learns how wrong the device's clock is: what is pending is stamped anew then.
    private func setClock() {
        let world = device.world
        guard world.time - Int(answer.sent) <= reach else { return }
        device.now.isTold = !has(.clocksAreNotJudged)
        guard !has(.ignoresOffset) else { return }
        let offset = answer.time - device.wallMilliseconds
        if abs(offset - device.now.clock.offset) > Int64(limitUnits / 2) * millisecondsPerUnit { device.now.clock.offset = offset }
        let limit = SyncStamp(milliseconds: answer.time + Int64(limitUnits) * millisecondsPerUnit)
        if max(device.now.clock.last, device.now.clock.seen) > limit, !has(.keepsClockAhead) {
            device.now.clock.setBack(toServerMilliseconds: answer.time)
            stampAnew(limit)
        }
    }

    private func isOwn(_ item: Item) -> Bool { item.replica == device.now.replica }
    private func isLate(_ whole: Item.Origin?, _ limit: SyncStamp) -> Bool {
        whole.map { $0.replica == device.now.replica && $0.stamp > limit } ?? false
    }

    /// Stamps beyond what the server accepts are replaced, in their order, by ones above every stamp seen. Those that were inherited
    /// stay: the server replaces them, alike for all files that have them.
    private func stampAnew(_ limit: SyncStamp) {
        var old: Set<SyncStamp> = []
        for pending in device.now.pending {
            for item in [pending?.gone, pending?.new].compactMap({ $0 }) where isOwn(item) && item.stamp > limit { old.insert(item.stamp) }
            for (_, item) in pending?.items ?? [] where isOwn(item) && item.stamp > limit { old.insert(item.stamp) }
            for (_, item) in pending?.items ?? [] where isLate(item.whole, limit) { old.insert(item.whole!.stamp) }
        }
        var fresh: [SyncStamp: SyncStamp] = [:]
        for stamp in old.sorted() { fresh[stamp] = device.stamp() }
        for key in 0..<Key.count {
            guard let pending = device.now.pending[key] else { continue }
            if let gone = pending.gone, isOwn(gone), let stamp = fresh[gone.stamp] { device.now.pending[key]!.gone!.stamp = stamp }
            if let new = pending.new, isOwn(new), let stamp = fresh[new.stamp] { device.now.pending[key]!.new!.stamp = stamp }
            for index in pending.items.indices where isOwn(pending.items[index].item) && pending.items[index].item.stamp > limit {
                device.now.pending[key]!.changeItem(at: index) { $0.stamp = fresh[$0.stamp]! }
                judge.stamped(device.now.pending[key]!.items[index].item)
            }
            for index in pending.items.indices where isLate(pending.items[index].item.whole, limit) {
                device.now.pending[key]!.changeItem(at: index) { $0.whole!.stamp = fresh[$0.whole!.stamp]! }
            }
        }
    }
}
