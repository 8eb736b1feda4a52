import TestKit
@testable import FreeholdEngine

/// Random messages of sync with every kind of field.
struct RandomMessages {
    var random: SeededRandom
    private let names = SyncNames(classes: [
        .init(name: "Task", properties: ["title", "tags", "address.city"]), .init(name: "É", properties: ["x"]),
    ])

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    mutating func message() -> SyncMessage {
        switch random.below(6) {
        case 0: .ack(SyncAck(replica: replica(), epoch: word()))
        case 1: .pull(SyncPull(replica: replica(), history: word(), cursor: cursor(), inherited: list { $0.replica() }, sent: word()))
        case 2, 3: .push(push())
        default: .answer(answer())
        }
    }

    private mutating func push() -> SyncPush {
        let inherited = list { SyncPush.Inherited(replica: $0.replicaNumber(), openEpoch: $0.word(), last: $0.stamp()) }
        return SyncPush(epoch: word(), history: word(), cursor: cursor(), seen: stamp(), names: names, replicas: replicas(),
                        inherited: inherited, changes: list { $0.change() })
    }

    private mutating func answer() -> SyncAnswer {
        SyncAnswer(replica: replica(), askedHistory: word(), askedCursor: cursor(), history: word(), cursor: cursor(),
                   isReset: random.oneIn(2), known: word(), time: Int64(bitPattern: word()), sent: word(), names: names,
                   replicas: replicas(), rows: list { $0.row() },
                   gone: list { SyncAnswer.Gone(object: $0.object(), reason: $0.random.oneIn(2) ? .deleted : .left) },
                   rejections: list { $0.rejection() })
    }

    private mutating func change() -> SyncChange {
        let object = object()
        return SyncChange(object: object, deleted: random.oneIn(3) ? entry() : nil, created: random.oneIn(3) ? entry() : nil,
                          registers: list { SyncChange.Register(path: $0.path(object), entry: $0.entry(), value: $0.value()) },
                          members: list { inner in
                              .init(property: inner.property(object), element: inner.value(), isMember: inner.random.oneIn(2),
                                    entry: inner.entry())
                          },
                          elements: list { $0.element(object) },
                          sums: list { inner in
                              .init(property: inner.property(object), replica: inner.replicaNumber(), epoch: inner.word(),
                                    amount: Int64(bitPattern: inner.word()), count: UInt32(truncatingIfNeeded: inner.word()),
                                    began: inner.stamp())
                          })
    }

    private mutating func element(_ object: SyncObject) -> SyncChange.Element {
        let act = [SyncChange.Act.inserted, .changed, .moved, .deleted].randomElement(using: &random)!
        var made = SyncChange.Element(property: property(object), element: identity(), act: act, entry: entry())
        if act == .inserted || act == .moved {
            made.position = SyncIdentity(replica: 1, count: 1 + word() % 1000)
            made.left = identity()
            made.right = identity()
        }
        if act == .inserted || act == .changed { made.value = value() }
        return made
    }

    private mutating func row() -> SyncRow {
        let object = object()
        return SyncRow(object: object, hasOthers: random.oneIn(2), isBorn: random.oneIn(2),
                       registers: list { inner in
                           .init(path: inner.path(object), value: inner.value(), stamp: inner.stamp(), replica: inner.replicaNumber(),
                                 isFresh: inner.random.oneIn(2))
                       },
                       counters: list { .init(property: $0.property(object), sum: Int64(bitPattern: $0.word())) },
                       members: list { .init(property: $0.property(object), element: $0.value(), isFresh: $0.random.oneIn(2)) },
                       lists: list { inner in
                           .init(property: inner.property(object), elements: inner.list { element in
                               let identity = SyncIdentity(replica: 2, count: 1 + element.word() % 99)
                               let position = element.random.oneIn(2) ? identity : SyncIdentity(replica: 0, count: 7)
                               return .init(identity: identity, position: position, value: element.value())
                           })
                       })
    }

    private mutating func rejection() -> SyncRejection {
        let object = object(), place: SyncRejection.Place = switch random.below(6) {
        case 0: .deletion
        case 1: .creation
        case 2: .register(path(object))
        case 3: .member(property: property(object), element: value())
        case 4: .element(property: property(object), element: identity(), act: .moved)
        default: .counter(property: property(object))
        }
        return SyncRejection(object: object, place: place, reason: .init(rawValue: UInt8(random.below(6)))!, entry: entry())
    }

    // MARK: Parts

    private mutating func list<Element>(_ make: (inout Self) -> Element) -> [Element] { (0..<random.below(4)).map { _ in make(&self) } }
    private mutating func word() -> UInt64 { random.next() >> UInt64(random.below(64)) }
    private mutating func stamp() -> SyncStamp { SyncStamp(rawValue: word()) }
    private mutating func replica() -> ReplicaIdentity { ReplicaIdentity(high: random.next(), low: word()) }
    private mutating func replicas() -> [ReplicaIdentity] { (0..<3).map { _ in replica() } }
    private mutating func replicaNumber() -> UInt32 { UInt32(random.below(3)) }
    private mutating func entry() -> SyncEntry { SyncEntry(stamp: stamp(), epoch: word(), replica: replicaNumber()) }
    private mutating func property(_ object: SyncObject) -> Int32 {
        Int32(random.below(names.classes[Int(object.type)].properties.count))
    }
    private mutating func identity() -> SyncIdentity {
        random.oneIn(3) ? .none : SyncIdentity(replica: random.below(3), count: word() & SyncIdentity.maximumCount)
    }
    private mutating func path(_ object: SyncObject) -> SyncPath {
        SyncPath(property: property(object), instance: identity(), key: random.oneIn(2) ? .null : value())
    }

    private mutating func cursor() -> SyncCursor {
        let running = (0..<random.below(4)).map { UInt64(5 + 3 * $0) }
        return SyncCursor(next: 100 + word() / 2, running: running)!
    }

    private mutating func key() -> SyncKey {
        switch random.below(4) {
        case 0: .int(Int64(bitPattern: word()))
        case 1: .string(["", "a", "é·\u{1F600}"].randomElement(using: &random)!)
        case 2: .uuid(word(), word())
        default: .objectID(word(), UInt32(truncatingIfNeeded: word()))
        }
    }

    private mutating func object() -> SyncObject { SyncObject(type: Int32(random.below(2)), key: key()) }

    private mutating func value(depth: Int = 2) -> SyncValue {
        switch random.below(depth > 0 && random.oneIn(4) ? 17 : 14) {
        case 0: .null
        case 1: .bool(random.oneIn(2))
        case 2: .int(Int64(bitPattern: word()))
        case 3: .float(UInt32(truncatingIfNeeded: word()))
        case 4: .double(word())
        case 5: .decimal(word(), word())
        case 6: .timestamp(Int64(bitPattern: word()), Int32(random.below(1_000_000_000)))
        case 7: .uuid(word(), word())
        case 8: .objectID(word(), UInt32(truncatingIfNeeded: word()))
        case 9: .string(String(repeating: "ä", count: random.below(40)))
        case 10: .data((0..<random.below(40)).map { UInt8($0) })
        case 11: .link(object())
        case 12: .embedded(identity())
        case 13: .absent
        case 14: .list(list { $0.value(depth: depth - 1) })
        case 15: .set(list { $0.value(depth: depth - 1) })
        default: .map((0..<random.below(4)).map { .init(key: "k\($0)", value: value(depth: depth - 1)) })
        }
    }
}
