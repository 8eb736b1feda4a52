import TestKit
@testable import FreeholdEngine

/// One transaction of a program, in any language.
struct Program {
    private let device: Device
    private let world: World
    private var changes: [(key: Int, made: DeviceObject?)] = []
    /// Keys of lists that it has changed: one change of a list in a transaction, for the judge.
    private var listed: Set<Int> = []
    private var runs: [(key: Int, values: [Int], run: UInt64)] = []

    init(_ device: Device) {
        self.device = device
        world = device.world
    }

    mutating func run() {
        if !device.shortcuts.contains(.takesIdentityLate) { device.open() }
        for _ in 0..<[1, 1, 2, 3][world.random.below(4)] { edit(world.random.pick(world.rules.keys).rawValue) }
        if world.random.chance(world.rules.pairs) { if world.random.oneIn(2) { editPair() } else { editBounds() } }
        if world.rules.shadows { keepLinks() }
        let isCaptured = !device.shortcuts.contains(.someProgramsDoNotCapture) || world.random.fraction() > 0.1
        device.commit(changes, isDurable: world.random.oneIn(2), isCaptured: isCaptured)
        for (key, values, run) in runs {
            for one in device.now.objects[key]?.elements ?? [] where values.contains(one.value) { world.runs.note(one.identity, run) }
        }
        for (key, _) in changes where !device.isConsistent(key) { world.fail("pending on the server's state is not the local state") }
    }

    private func object(_ key: Int) -> DeviceObject? {
        if let change = changes.first(where: { $0.key == key }) { return change.made }
        return device.now.objects[key]
    }

    private mutating func put(_ key: Int, _ made: DeviceObject?) {
        if let index = changes.firstIndex(where: { $0.key == key }) { changes[index].made = made } else { changes.append((key, made)) }
    }

    /// No link leads to an object that the same transaction has deleted.
    private mutating func keepLinks() {
        for index in changes.indices {
            guard let target = changes[index].made?.registers.value(.link), target > 0, object(target - 1) == nil else { continue }
            let key = changes[index].key, before = device.now.objects[key]
            let old = before?.born == changes[index].made!.born ? before!.registers.value(.link) : 0
            if old != target { changes[index].made!.registers.set(.link, old, changes[index].made!.registers[.link]?.token ?? 0) }
        }
    }

    private mutating func edit(_ key: Int) {
        var here: DeviceObject
        if let found = object(key) {
            if world.random.chance(world.rules.deletes) {
                put(key, nil)
                // Deleted and created again in one transaction.
                if world.random.chance(0.3) { edit(key) }
                return
            }
            here = found
        } else {
            if !changes.contains(where: { $0.key == key }), !world.random.chance(world.rules.creates) { return }
            here = DeviceObject(born: world.unique())
            set(&here, .x, world.unique())
            if world.random.chance(0.3) { set(&here, .owner, device.user) }
        }
        switch world.random.below(6) {
        case 0, 1: editValues(key, &here)
        case 2, 3: editList(key, &here)
        case 4: editCollections(&here)
        default: here.count += 1
        }
        put(key, here)
    }

    private func set(_ here: inout DeviceObject, _ path: Path, _ value: Int) {
        here.registers.set(path, value, here.registers[path]?.token ?? 0)
    }

    /// Two objects that are always changed together.
    private mutating func editPair() {
        guard var one = object(Key.p1.rawValue), var other = object(Key.p2.rawValue) else { return }
        let value = world.unique()
        set(&one, .pair, value)
        set(&other, .pair, value)
        put(Key.p1.rawValue, one)
        put(Key.p2.rawValue, other)
    }

    /// A lower bound in one object and an upper one in the other, which no other replica changes: one is never above the other.
    private mutating func editBounds() {
        let writer = device.now.replica
        guard writer < Property.boundedReplicas, var one = object(Key.p1.rawValue), var other = object(Key.p2.rawValue) else { return }
        let value = world.unique()
        if world.random.oneIn(2) {
            set(&one, .property(Property.low(writer)), value)
            put(Key.p1.rawValue, one)
        }
        set(&other, .property(Property.high(writer)), value)
        put(Key.p2.rawValue, other)
    }

    private func editValues(_ key: Int, _ here: inout DeviceObject) {
        switch world.random.below(10) {
        case 0, 1: set(&here, .x, world.unique())
        case 2: set(&here, .property(Property.y), world.unique())
        case 3: set(&here, .restricted, world.unique())
        case 4: set(&here, .owner, world.random.pick([0, 0, 1, 2]))
        case 5:
            let type = Key(rawValue: key)!.type
            let taken = (0..<Key.count).compactMap { Key(rawValue: $0)!.type == type ? object($0)?.registers.value(.name) : nil }
            let free = (1...world.rules.names).filter { !taken.contains($0) }
            set(&here, .name, free.isEmpty ? 0 : world.random.pick(free))
        case 6: editLink(key, &here)
        case 7: set(&here, .merged, world.number(of: world.sets[here.registers.value(.merged)].union([world.unique()])))
        case 8: set(&here, .embedded, Int(device.placeholder().word))
        default:
            let instance = here.registers.instance
            if instance == .none {
                set(&here, .embedded, Int(device.placeholder().word))
            } else {
                set(&here, .inner(instance), world.unique())
            }
        }
    }

    private func editLink(_ key: Int, _ here: inout DeviceObject) {
        let target = world.random.pick([0, Key.k1.rawValue + 1, Key.a.rawValue + 1, Key.u1.rawValue + 1])
        guard world.rules.shadows else { return set(&here, .link, target) }
        // A program sees null where the object is absent, and links to none that is. Where it was deleted and created again by programs,
        // it sees null as well, for a while.
        if device.shadow?.looseLinks.contains(key) == true { return }
        let shown = { (link: Int) in link > 0 && object(link - 1) == nil ? 0 : link }
        if shown(target) != shown(here.registers.value(.link)) { set(&here, .link, shown(target)) }
    }

    private func editCollections(_ here: inout DeviceObject) {
        if world.random.oneIn(2) {
            set(&here, .entry(world.random.below(2)), world.random.oneIn(2) ? 0 : world.unique())
        } else {
            here.members ^= 1 << UInt8(world.random.below(2))
        }
    }

    // MARK: Lists

    private mutating func editList(_ key: Int, _ here: inout DeviceObject) {
        guard listed.insert(key).inserted else { return }
        if here.elements.isEmpty || world.random.chance(world.rules.insertions) { return insertRun(key, &here) }
        let at = world.random.below(here.elements.count), draw = world.random.fraction()
        if draw < world.rules.removals {
            here.elements.remove(at: at)
        } else if draw < world.rules.replacements {
            here.elements[at].value = world.unique()
        } else {
            let one = here.elements.remove(at: at)
            here.elements.insert(one, at: world.random.below(here.elements.count + 1))
        }
    }

    /// Types a few elements: anywhere, or at the end or the beginning of what was typed here before.
    private mutating func insertRun(_ key: Int, _ here: inout DeviceObject) {
        let count = here.elements.count
        let at = [0, count, world.random.below(count + 1), world.random.below(count + 1)][world.random.below(4)]
        let run = world.runs.run(at: at, in: here.elements, of: device.now.replica)
        let values = (0..<1 + world.random.below(3)).map { _ in world.unique() }
        here.elements.insert(contentsOf: values.map { Element(identity: .none, node: .none, value: $0, token: 0) }, at: at)
        runs.append((key, values, run))
    }
}
