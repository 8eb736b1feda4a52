@testable import FreeholdEngine
@testable import FreeholdMerge

struct ShadowDifference: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

extension Value {
    var orZero: Value { self == .null ? .int(0) : self }
}

/// An object as both sides show it.
struct PlainObject: Equatable {
    var values: [String: Int64] = [:]
    var entries: [String: Int64] = [:]
    var members: UInt8 = 0
    var elements: [Int64] = []
    /// The property of the embedded object, 0 for null; nil if there is none.
    var inner: Int64?
    var counter: Int64 = 0

    init() {}

    /// A link to an object that is not there shows as null.
    init(_ object: DeviceObject, _ all: [DeviceObject?]) {
        for entry in object.registers.entries where entry.value != 0 {
            if entry.path.isEntry {
                entries["\(entry.path.detail)"] = Int64(entry.value)
            } else if entry.path == .link {
                if all[entry.value - 1] != nil { values["link"] = Int64(entry.value) }
            } else if !entry.path.isInner, entry.path != .embedded {
                values[World.schema.classes[0].properties[entry.path.detail].name] = Int64(entry.value)
            }
        }
        members = object.members
        let instance = object.registers.instance
        if instance != .none { inner = Int64(object.registers.value(.inner(instance))) }
        elements = object.elements.map { Int64($0.value) }
        counter = object.count
    }
}

/// A batch in words: without numbers that are the message's own, and in order.
struct PlainPush: Equatable {
    private var lines: [String] = []

    func difference(from found: PlainPush) -> String {
        let missing = lines.filter { !found.lines.contains($0) }, surplus = found.lines.filter { !lines.contains($0) }
        return "expected \(missing), found \(surplus)"
    }

    init(_ push: SyncPush, _ names: SyncNames) {
        let identity = { (one: SyncIdentity) in one == .none ? "-" : "\(push.replicas[one.replica].low).\(one.count)" }
        let entry = { (entry: SyncEntry) in "\(entry.stamp) \(push.replicas[Int(entry.replica)].low).\(entry.epoch)" }
        lines.append("\(push.epoch) \(push.history) \(push.cursor) seen \(push.seen) of \(push.replicas[0])")
        for one in push.inherited { lines.append("inherited \(push.replicas[Int(one.replica)].low) \(one.openEpoch) \(one.last)") }
        var own: [String] = []
        for change in push.changes {
            let type = names.classes[Int(change.object.type)], object = "\(type.name) \(change.object.key)"
            if let deleted = change.deleted { own.append("\(object) deleted \(entry(deleted))") }
            if let created = change.created { own.append("\(object) created \(entry(created))") }
            for one in change.registers {
                let name = type.properties[Int(one.path.property)]
                // A new object has nothing before it is set.
                if one.value == .null || one.value == .absent, one.entry.stamp == change.created?.stamp { continue }
                let value = if case .embedded(let one) = one.value { identity(one) } else { Self.value(one.value, names) }
                own.append("\(object) \(name) \(identity(one.path.instance)) \(one.path.key) = \(value) \(entry(one.entry))")
            }
            for one in change.members { own.append("\(object) member \(one.element) \(one.isMember) \(entry(one.entry))") }
            for (place, one) in change.elements.enumerated() {
                let value = one.act == .inserted || one.act == .changed ? "\(ShadowItems.plain(one.value))" : ""
                let at = one.position == .none ? "" : " #\(place)"
                let sides = "at \(identity(one.position)) between \(identity(one.left)) and \(identity(one.right))"
                own.append("\(object)\(at) \(one.act) \(identity(one.element)) \(value) \(sides) \(entry(one.entry))")
            }
            for one in change.sums {
                own.append("\(object) sum \(push.replicas[Int(one.replica)].low).\(one.epoch) \(one.amount) began \(one.began)")
            }
        }
        lines += own.sorted()
    }

    private static func value(_ value: SyncValue, _ names: SyncNames) -> String {
        if case .link(let target) = value { return "\(names.classes[Int(target.type)].name) \(target.key)" }
        return "\(ShadowItems.plain(value))"
    }
}
