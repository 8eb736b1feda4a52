@testable import FreeholdEngine

typealias Token = UInt32

/// One pending change: no value, which is read from the object when a batch is made.
struct Item {
    var stamp: SyncStamp
    /// Of the writer, and of the epoch.
    var replica: Int
    var epoch: UInt64
    var token: Token
    /// A list element's new position, and the positions beside it when it was made.
    var node = Identity.none
    var left = Identity.none
    var right = Identity.none
    var isPlaced = true
    /// Whether it is of a change within an embedded object of a list or map; then one of the element or key as a whole may be pending too.
    var isWithin = false
    var whole: Origin?

    struct Origin {
        var stamp: SyncStamp
        let replica: Int
        let epoch: UInt64
    }

    /// What is pending of the whole under a change within: what this is of, or what is under it.
    var underneath: Origin? { isWithin ? whole : Origin(stamp: stamp, replica: replica, epoch: epoch) }
}

/// An element of a list on a device.
struct Element {
    var identity: Identity
    var node: Identity
    var value: Int
    var token: Token
}

/// A sum of increments of one epoch, with the tokens of the increments.
struct Delta {
    var replica: Int
    var epoch: UInt64
    var amount: Int64
    var tokens: [Token]
    /// The stamp of the first one.
    var began: SyncStamp
}

/// What is pending of one object.
struct Pending {
    var gone: Item?
    var new: Item?
    private(set) var items: [(path: Path, item: Item)] = []
    var deltas: [Delta] = []

    var isEmpty: Bool { gone == nil && new == nil && items.isEmpty && deltas.isEmpty }

    subscript(_ path: Path) -> Item? {
        get { items.first { $0.path == path }?.item }
        set {
            if let index = items.firstIndex(where: { $0.path == path }) {
                if let newValue { items[index].item = newValue } else { items.remove(at: index) }
            } else if let newValue {
                items.append((path, newValue))
            }
        }
    }

    mutating func removeItems(where isGone: (Path, Item) -> Bool) { items.removeAll { isGone($0.path, $0.item) } }
    mutating func removeAllItems() { items.removeAll() }
    mutating func changeItem(at index: Int, _ change: (inout Item) -> Void) { change(&items[index].item) }

    var tokens: [Token] { [gone, new].compactMap { $0?.token } + items.map(\.item.token) + deltas.flatMap(\.tokens) }
}

/// Values by path, in the order of paths.
struct Registers {
    struct Entry {
        let path: Path
        var value: Int
        var token: Token
    }

    private(set) var entries: [Entry] = []

    subscript(_ path: Path) -> Entry? {
        for entry in entries where entry.path >= path { return entry.path == path ? entry : nil }
        return nil
    }

    func value(_ path: Path) -> Int { self[path]?.value ?? 0 }

    mutating func set(_ path: Path, _ value: Int, _ token: Token) {
        let index = entries.firstIndex { $0.path >= path } ?? entries.count
        if index < entries.count, entries[index].path == path {
            entries[index] = Entry(path: path, value: value, token: token)
        } else {
            entries.insert(Entry(path: path, value: value, token: token), at: index)
        }
    }

    /// Forgets the properties of embedded objects.
    mutating func removeInner(where isGone: (Identity) -> Bool) { entries.removeAll { $0.path.isInner && isGone($0.path.identity) } }

    /// The embedded object, as an identity.
    var instance: Identity { Identity(word: UInt64(value(.embedded))) }
}

/// An object as a device has it: values with their tokens, no stamps. A value of 0 is null.
struct DeviceObject {
    /// Its incarnation on this device: another object under the same key has another.
    var born = 0
    var registers = Registers()
    var count: Int64 = 0
    var members: UInt8 = 0
    var elements: [Element] = []

    /// Whether the values are the same. Properties of an embedded object that was replaced do not show.
    func shows(_ other: Self) -> Bool {
        count == other.count && members == other.members && elements.count == other.elements.count
            && zip(elements, other.elements).allSatisfy { $0.identity == $1.identity && $0.value == $1.value }
            && registers.shown.elementsEqual(other.registers.shown) { $0.path == $1.path && $0.value == $1.value }
    }
}

extension Registers {
    fileprivate var shown: some Sequence<Entry> {
        let instance = instance
        return entries.lazy.filter { $0.value != 0 && (!$0.path.isInner || $0.path.identity == instance) }
    }
}

/// An object in an answer of the server. The device keeps its values, and no stamp of them: those are for the judge.
struct DeviceRow {
    struct Write {
        var stamp: SyncStamp
        var replica: Int
    }

    var object = DeviceObject()
    /// Beside the registers of the object.
    var writes: [(path: Path, write: Write)] = []
    /// Elements of the set added by others since the device's cursor.
    var fresh: UInt8 = 0
    var hasOthers = false
    var isBorn = false
    /// Whether another replica has written the merged property since the device's cursor.
    var hasFreshMerged = false
    /// For the judge.
    var birth: UInt64 = 0

    func write(_ path: Path) -> Write? { writes.first { $0.path == path }?.write }
}
