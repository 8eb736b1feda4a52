import FreeholdEngine
import TestKit

@testable import FreeholdImport

/// A source in memory with every kind of link: within a class, in a circle of classes, through embedded objects, to subclasses, from
/// mixed values, by another property.
final class MemoryStore: SourceStore {
    static let animal = 0, person = 1, city = 2, dog = 3, note = 4, address = 5, room = 6, empty = 7

    struct Entry {
        var key: Int64
        var values: [SourceValue?]
    }

    let format = "memory"
    var remarks: [SourceRemark] = [SourceRemark(.lost, "City.map", "a picture is left out")]
    let schemaVersion: UInt64? = 7
    var identity: SourceIdentity {
        get {
            onUse()
            return ownIdentity
        }
        set { ownIdentity = newValue }
    }
    private var ownIdentity: SourceIdentity
    /// Called where an importer uses the source while it holds no transaction.
    var onUse: () -> Void = {}
    private(set) var classes: [SourceClass] = []
    var objects: [[Entry]]
    /// The number of batches after which reading fails.
    var failsAfter = Int.max
    var hasChanged = false
    /// A class whose objects from this key on are damaged.
    var damaged: (place: Int, key: Int64)?
    private var random: SeededRandom

    init(seed: UInt64, count: Int, isEmpty: Bool = false) {
        random = SeededRandom(seed: seed)
        ownIdentity = SourceIdentity([UInt8(truncatingIfNeeded: seed)])
        objects = Array(repeating: [], count: 8)
        if isEmpty { return }
        let list = [CollectionKind.list]
        let schemas = [
            ClassSchema("Animal", [
                PropertySchema("tag", .string), PropertySchema("owner", linkTo: "Person"), PropertySchema("weight", .double,
                    isNullable: true),
            ]),
            ClassSchema("Person", primaryKey: "id", [
                PropertySchema("tag", .string), PropertySchema("id", .int), PropertySchema("friend", linkTo: "Person"),
                PropertySchema("pets", linkTo: "Animal", collections: list), PropertySchema("home", linkTo: "Address"),
                PropertySchema("birthplace", linkTo: "City"), PropertySchema("anything", .mixed),
            ]),
            ClassSchema("City", primaryKey: "name", [
                PropertySchema("tag", .string), PropertySchema("name", .string), PropertySchema("code", .int, isIndexed: true),
                PropertySchema("numbers", .int, isNullable: true, collections: list),
                PropertySchema("named", .string, collections: [.map]), PropertySchema("story", .string), PropertySchema("plain", .int),
            ]),
            ClassSchema("Dog", superclass: "Animal", [
                PropertySchema("tag", .string), PropertySchema("owner", linkTo: "Person"), PropertySchema("weight", .double,
                    isNullable: true),
                PropertySchema("chases", linkTo: "Dog"),
            ]),
            ClassSchema("Note", indexes: [IndexSchema(["tag", "chased"])], [
                PropertySchema("tag", .string), PropertySchema("city", linkTo: "City"), PropertySchema("about", .mixed),
                PropertySchema("code", linkTo: "City"), PropertySchema("plain", linkTo: "City"),
                PropertySchema("all", .mixed, collections: list), PropertySchema("chased", linkTo: "Dog"),
            ]),
            ClassSchema("Address", isEmbedded: true, [
                PropertySchema("street", .string), PropertySchema("city", linkTo: "City"),
                PropertySchema("rooms", linkTo: "Room", collections: list), PropertySchema("visitor", linkTo: "Person"),
            ]),
            ClassSchema("Room", isEmbedded: true, [PropertySchema("size", .int), PropertySchema("sleeper", linkTo: "Dog")]),
            ClassSchema("Empty", []),
        ]
        fill(count)
        classes = schemas.enumerated().map { SourceClass($1, count: objects[$0].count) }
    }

    func checkUnchanged() throws(SourceError) {
        if hasChanged { throw SourceError(.changed, "the source changed while it was read") }
    }

    func objects(of place: Int, after key: Int64?) throws(SourceError) -> any SourceCursor {
        onUse()
        return MemoryCursor(self, place, objects[place].filter { entry in key.map { entry.key > $0 } ?? true })
    }

    // MARK: random content

    private func fill(_ count: Int) {
        for place in [Self.animal, Self.person, Self.city, Self.dog, Self.note, Self.empty] {
            var key = Int64(random.below(50)) - 25
            for _ in 0..<random.below(count + 1) {
                objects[place].append(Entry(key: key, values: []))
                key += random.oneIn(3) ? Int64(random.below(1_000_000)) + 1 : 1
            }
        }
        for place in [Self.animal, Self.person, Self.city, Self.dog, Self.note] {
            let ids = Array(0..<Int64(objects[place].count)).shuffled(using: &random)
            for index in objects[place].indices { objects[place][index].values = values(place, index, ids[index]) }
        }
    }

    private func values(_ place: Int, _ index: Int, _ id: Int64) -> [SourceValue?] {
        let tag = SourceValue.value(.string("\(place).\(index)"))
        switch place {
        case Self.animal: return [tag, link(Self.person), weight()]
        case Self.person:
            return [tag, .value(.int(id * 3 - 50)), link(Self.person), .list(some { link([Self.animal, Self.dog][random.below(2)]) }),
                    random.oneIn(3) ? nil : home(), link(Self.city), mixed()]
        case Self.city:
            return [tag, .value(.string("city \(id)")), .value(.int(id)),
                .list(some { .value(random.oneIn(4) ? .null : .int(Int64(random.below(1000)))) }),
                    .map((0..<random.below(3)).map { ("k\($0)", .value(.string("v\(random.below(9))"))) }), story(), .value(.int(id + 7))]
        case Self.dog: return [tag, link(Self.person), weight(), link(Self.dog)]
        default:
            return [tag, found(1, { .string("city \($0)") }), mixed(), found(2) { .int($0) }, found(6) { .int($0 + 7) },
                    .list(some { mixed() ?? .value(.null) }), link(Self.dog)]
        }
    }

    private func some(_ make: () -> SourceValue?) -> [SourceValue] { (0..<random.below(4)).compactMap { _ in make() } }

    private func weight() -> SourceValue? { random.oneIn(3) ? nil : .value(.double(Double(random.below(1000)) / 8)) }

    private func story() -> SourceValue {
        if random.oneIn(20) {
            let bytes = MemoryBytes(count: (1 << 20) + random.below(1 << 16))
            return .long(SourceBytes(isText: true, count: bytes.count, reader: bytes))
        }
        return .value(.string(String(repeating: "x", count: random.below(40))))
    }

    private func link(_ place: Int) -> SourceValue? {
        if random.oneIn(4) { return nil }
        if random.oneIn(15) || objects[place].isEmpty { return .object(place: place, key: -99_999) }
        return .object(place: place, key: objects[place][random.below(objects[place].count)].key)
    }

    private func found(_ property: Int, _ value: (Int64) -> Value) -> SourceValue? {
        random.oneIn(4) ? nil : .found(place: Self.city, property: property,
            value: value(Int64(random.below(objects[Self.city].count + 2))))
    }

    private func home() -> SourceValue {
        .embedded(place: Self.address, values: [
            .value(.string("street \(random.below(99))")), link(Self.city) ?? .value(.null),
            .list((0..<random.below(3)).map { .embedded(place: Self.room, values: [.value(.int(Int64($0))),
                link(Self.dog) ?? .value(.null)]) }),
            link(Self.person) ?? .value(.null),
        ])
    }

    private func mixed() -> SourceValue? {
        switch random.below(6) {
        case 0: nil
        case 1: .value(.int(Int64(random.below(100))))
        case 2: .value(.string("text"))
        case 3: .list([.value(.bool(true)), link(Self.note) ?? .value(.null)])
        case 4: .map([("a", link(Self.animal) ?? .value(.null)), ("b", .value(.double(2.5)))])
        default: link([Self.animal, Self.person, Self.city, Self.dog, Self.note][random.below(5)])
        }
    }
}

/// Text of a letter repeated.
final class MemoryBytes: SourceBytesReader {
    let count: Int

    init(count: Int) { self.count = count }

    func forEachPart(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        var left = count
        while left > 0 {
            let part = [UInt8](repeating: UInt8(ascii: "s"), count: min(left, 300_000))
            try part.withUnsafeBytes(body)
            left -= part.count
        }
    }
}

/// Gives batches of random sizes, plain columns and links in the forms that readers use.
private final class MemoryCursor: SourceCursor {
    private let store: MemoryStore
    private let place: Int
    private var left: ArraySlice<MemoryStore.Entry>
    private var random: SeededRandom

    init(_ store: MemoryStore, _ place: Int, _ entries: [MemoryStore.Entry]) {
        self.store = store
        self.place = place
        left = entries[...]
        random = SeededRandom(seed: UInt64(entries.count))
    }

    func next() throws(SourceError) -> SourceBatch? {
        if left.isEmpty { return nil }
        store.failsAfter -= 1
        if store.failsAfter < 0 { throw SourceError(.damaged, "the disk says no", offset: 4096) }
        var part = left.prefix(1 + random.below(40))
        if let damaged = store.damaged, damaged.place == place {
            part = part.prefix { $0.key < damaged.key }
            if part.isEmpty { throw SourceError(.damaged, "the object is not one", offset: 8192) }
        }
        left = left.dropFirst(part.count)
        let schema = store.classes[place].schema
        return SourceBatch(keys: part.map(\.key), columns: schema.properties.indices.map { column(Array(part), $0, schema.properties[$0]) })
    }

    private func column(_ part: [MemoryStore.Entry], _ property: Int, _ schema: PropertySchema) -> SourceColumn {
        let values = part.map { $0.values[property] }
        var nulls = Array(repeating: UInt64(0), count: (values.count + 63) / 64)
        for (row, value) in values.enumerated() where value == nil { nulls[row >> 6] |= 1 << UInt64(row & 63) }
        if schema.type == .int, schema.collections.isEmpty {
            return SourceColumn(.plain(.ints(values.map { if case .value(.int(let number)) = $0 { number } else { 0 } })))
        }
        let keys = values.map { if case .object(_, let key) = $0 { key } else { Int64(0) } }
        if schema.linkTarget != nil, schema.collections.isEmpty, values.allSatisfy({ if case .object = $0 { true } else { $0 == nil } }) {
            return SourceColumn(.links(keys), nulls: nulls)
        }
        return SourceColumn(.any(values.map { $0 ?? .value(.null) }), nulls: nulls)
    }
}

extension Optional where Wrapped == SourceValue {
    fileprivate static func == (one: SourceValue?,
        other: _OptionalNilComparisonType) -> Bool { if case .none = one { true } else { false } }
}
