@testable import FreeholdEngine
@testable import FreeholdMerge

/// What the server makes of each change.
extension Judge: MergeObserver {
    package func note(_ trace: UInt32, _ fate: MergeFate) {
        // What was refused in one file's batch can be taken from a copy's.
        if self.fate(trace).map({ $0 == .refused }) ?? true { set(trace, fate) }
    }

    package func set(_ trace: UInt32, _ fate: MergeFate) {
        guard trace != 0 else { return }
        while fates.fates.count <= Int(trace) { fates.fates.append(nil) }
        fates.fates[Int(trace)] = fate
        // What a new object was given is refused when the batch has said all of it.
        if fate == .refused { forbidden.remove(trace) }
        if fate == .refused, let batch, fates.refusers[trace] == nil { fates.refusers[trace] = Int(batch.push.replicas[0].low) }
    }

    package func willSet(_ change: SyncChange, _ path: SyncPath, _ entry: SyncEntry, _ stamp: SyncStamp, old: StoredRegister,
                         value: SyncValue) {
        arrive(entry.trace)
        let limit = Int64(world.time + 2 * limitUnits) * millisecondsPerUnit
        if stamp.milliseconds > limit { world.fail("a stamp far ahead of the server's clock") }
        if path.property == Property.restricted, !world.admins.contains(batch!.user) {
            forbidden.insert(entry.trace)
        }
        guard old.isWritten else { return }
        if path.property == Property.merged { checkMerged(change, entry, old, value) }
        if old.trace == 0 || ancestorsInclude(entry.trace, old.trace) { return }
        let mine = write(entry.trace), theirs = write(old.trace)
        if theirs.file >= 0, mine.isTold, theirs.isRight, mine.time + tolerance < theirs.time {
            world.fail("an old write won by a wrong clock")
        }
    }

    /// The application's function loses nothing.
    private func checkMerged(_ change: SyncChange, _ entry: SyncEntry, _ old: StoredRegister, _ value: SyncValue) {
        let base = batch!.bases[World.key(change.object)]
        let hasDeleted = change.deleted != nil && base?.object.registers[.merged]?.token == old.trace
        let before = world.sets[World.number(old.value) { _ in .none }], after = world.sets[World.number(value) { _ in .none }]
        if !before.isSubset(of: after), write(old.trace).file != write(entry.trace).file, !hasDeleted {
            world.fail("a property that the application merges was overwritten")
        }
    }

    package func wasBeaten(_ entry: SyncEntry, by winner: UInt32) {
        if world.hasRestored || winner == 0 { return }
        if ancestorsInclude(entry.trace, winner) {
            world.fail("a write lost to one that its writer had seen")
        }
        let mine = write(entry.trace)
        if mine.isTold, let arrived = write(winner).arrived, arrived + tolerance < mine.time {
            world.fail("a wrong clock locked later writes out")
        }
    }

    package func willApply(to object: SyncObject, birth: UInt64) {
        if batch!.bases[World.key(object)]?.birth != birth { world.fail("a change is applied to an object that its writer did not have") }
    }

    package func removed(_ element: SyncValue, from object: SyncObject) {
        guard case .int(let element) = element else { return }
        if batch!.bases[World.key(object)].map({ $0.object.members & 1 << UInt8(element) == 0 }) ?? true {
            world.fail("an addition was removed by one who did not see it")
        }
    }

    package func isTakenAsSeen(_ object: SyncObject) {
        if batch!.bases[World.key(object)] == nil { world.fail("a device is taken to have seen what its user did not see") }
    }

    package func missedPosition(of object: SyncObject, birth: UInt64) {
        if batch!.bases[World.key(object)]?.birth == birth { world.fail("a position beside one that the server does not know") }
    }

    package func counted(_ object: SyncObject, _ trace: UInt32, _ fate: MergeFate) {
        for token in increments(of: trace) { set(token, fate == .void ? .void : .won) }
        if fate == .won { fates.increments[World.key(object)].formUnion(increments(of: trace)) }
    }

    package func wiped(_ object: SyncObject) { fates.increments[World.key(object)] = [] }

    // MARK: After each transaction

    func checkServer() {
        if !forbidden.isEmpty { world.fail("a change that rights forbid was applied") }
        var names: Set<Int> = []
        for key in 0..<Key.count {
            guard let row = world.row(key), row.isAlive else { continue }
            let name = World.number(row.value(of: Property.name)) { _ in .none }
            if name != 0, !names.insert(name * 4 + Int(Key(rawValue: key)!.type)).inserted {
                world.fail("a unique value twice at the server")
            }
            if row.counters[Property.counter] ?? 0 != Int64(fates.increments[key].count) { world.fail("a counter miscounts") }
            var values: Set<SyncValue> = [], count = 0
            row.lists[Property.list]?.forEachShown { _, element in
                values.insert(element.value.value)
                count += 1
            }
            if values.count != count { world.fail("an element of a list twice") }
        }
    }

    /// When everything is delivered.
    func checkEnd() {
        for device in world.devices {
            check(device, all: true)
            if device.now.isPending { world.fail("something stays pending") }
            let visible = world.visible(to: device.user)
            for key in 0..<Key.count {
                switch (visible[key], device.now.objects[key]) {
                case (nil, nil): break
                case (let row?, let here?):
                    if !row.asDeviceRow(world.server.store).object.shows(here) { world.fail("a device has other values than the server") }
                default: world.fail("a device has other objects than its user sees")
                }
            }
        }
        guard !world.hasRestored else { return }
        for key in 0..<Key.count {
            guard !world.createdAgain.contains(key), let row = world.row(key) else { continue }
            let order = row.asDeviceRow(world.server.store).object.elements.filter { $0.identity == $0.node }.map(\.identity)
            if !world.runs.isInOrder(order) { world.fail("runs of concurrent insertions interleave") }
        }
    }
}
