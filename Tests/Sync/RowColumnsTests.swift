import TestKit
import Testing
@testable import FreeholdEngine
@testable import FreeholdMerge

/// Rows by columns, as a database has them.
@Suite("Rows by columns")
struct RowColumnsTests {
    private static let schema = SyncSchema(classes: [.init("Task", properties: [
        .init("a"), .init("b"), .init("c"), .init("count", .counter), .init("tags", .set), .init("items", .list), .init("map", .map),
    ])])

    @Test("a history ends as with rows in memory if each row is read from its columns", arguments: [false, true])
    func histories(embeds: Bool) {
        for seed in TestScale.seeds(60, full: 1_000) {
            let world = World(seed: seed, .with { $0.codesRows = true; $0.embeds = embeds })
            if let violation = world.run() { Issue.record("seed \(seed): \(violation)") }
        }
    }

    @Test("a row of values of all kinds is the same", arguments: 1...200 as ClosedRange<UInt64>)
    func kinds(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let row = Self.row(&random), columns = row.columns
        #expect(try StoredRow(columns, of: 0, Self.schema).columns == columns)
    }

    @Test("what no row has gives an error, or another row", arguments: 1...100 as ClosedRange<UInt64>)
    func damaged(seed: UInt64) throws {
        var random = SeededRandom(seed: seed), refused = 0
        let columns = Self.row(&random).columns
        for place in columns.collections.indices {
            for _ in 0..<60 {
                var other = columns
                var bytes = other.collections[place].bytes
                switch random.below(3) {
                case 0: bytes.removeLast(1 + random.below(bytes.count))
                case 1: bytes[random.below(bytes.count)] ^= 1 << UInt8(random.below(8))
                default: bytes.insert(UInt8(random.below(256)), at: random.below(bytes.count))
                }
                other.collections[place].bytes = bytes
                do throws(FreeholdError) { try Self.use(StoredRow(other, of: 0, Self.schema)) } catch {
                    refused += 1
                    #expect(error.code == .corrupt)
                }
            }
        }
        var short = columns
        short.registers.values.removeLast()
        #expect(throws: FreeholdError.self) { try StoredRow(short, of: 0, Self.schema) }
        short = columns
        short.counters = [.init(property: 7, sum: 1)]
        #expect(throws: FreeholdError.self) { try StoredRow(short, of: 0, Self.schema) }
        #expect(refused > 0)
    }

    /// Goes on with a list that was read.
    private static func use(_ row: StoredRow) throws(FreeholdError) {
        for var list in row.lists.values {
            let positions = list.tree.positions
            var count: UInt64 = 1 << 30
            for position in [SyncIdentity.none] + positions.prefix(20) {
                list.tree.insert(SyncIdentity(replica: 7, count: count), left: position, right: positions.randomElement() ?? .none)
                count += 3
            }
            list.forEachShown { _, _ in }
        }
    }

    // MARK: Random rows

    private static func row(_ random: inout SeededRandom) -> StoredRow {
        var row = StoredRow(transaction: UInt64(1 + random.below(1000)), propertyCount: 7)
        row.isAlive = random.oneIn(2)
        (row.births, row.death) = ([1, 5], (UInt64(random.below(9)), 3))
        for replica in 0..<random.below(4) { row.changed[UInt32(replica * 7)] = UInt64(random.below(1000)) }
        for place in 0..<3 where !random.oneIn(4) { row.registers[place] = register(&random) }
        row.counters[3] = Int64(random.below(1000)) - 500
        for _ in 0..<random.below(5) {
            let name = StoredMember(property: 4, element: value(&random, 1))
            row.members[name, default: TransactionsByReplica()][UInt32(random.below(4))] = UInt64(random.below(100))
        }
        for key in 0..<random.below(5) {
            row.entries[SyncPath(property: 6, key: .string("k\(key)"))] = register(&random)
        }
        row.lists[5] = list(&random)
        return row
    }

    private static func register(_ random: inout SeededRandom) -> StoredRegister {
        StoredRegister(value: value(&random, 3), stamp: SyncStamp(rawValue: random.next()), transaction: UInt64(random.below(1000)),
                       epoch: UInt64(random.below(100)), given: SyncStamp(rawValue: random.next()), instance: identity(&random),
                       replica: UInt32(random.below(9)), trace: UInt32(random.below(3)))
    }

    private static func identity(_ random: inout SeededRandom) -> SyncIdentity {
        SyncIdentity(replica: random.below(4), count: UInt64(1 + random.below(1 << 20)))
    }

    private static func list(_ random: inout SeededRandom) -> StoredList {
        var list = StoredList()
        for step in 0..<random.below(80) {
            let positions = list.tree.positions, at = random.below(positions.count + 1)
            let made = SyncIdentity(replica: random.below(3), count: UInt64(1 + step))
            list.tree.insert(made, left: at > 0 ? positions[at - 1] : .none, right: at < positions.count ? positions[at] : .none)
            let register = register(&random)
            list.elements[made] = StoredElement(value: register, position: made, move: register.write, isDeleted: random.oneIn(3))
        }
        return list
    }

    private static func value(_ random: inout SeededRandom, _ depth: Int) -> SyncValue {
        let bits = random.next(), nested = depth > 0 ? 17 : 13
        switch random.below(nested) {
        case 0: return .null
        case 1: return .bool(bits & 1 == 0)
        case 2: return .int(Int64(bitPattern: bits))
        case 3: return .float(UInt32(truncatingIfNeeded: bits))
        case 4: return .double(bits)
        case 5: return .decimal(bits, random.next())
        case 6: return .timestamp(Int64(bitPattern: bits) >> 8, Int32(random.below(1_000_000_000)))
        case 7: return .uuid(bits, random.next())
        case 8: return .objectID(bits, UInt32(truncatingIfNeeded: bits))
        case 9: return .string("x\u{0}é\(bits)")
        case 10: return .data([UInt8](repeating: 7, count: random.below(50)))
        case 11: return .link(SyncObject(type: 0, key: .string("k\(bits)")))
        case 12: return .embedded(identity(&random))
        case 13: return .list((0..<random.below(4)).map { _ in value(&random, depth - 1) })
        case 14: return .set((0..<random.below(4)).map { _ in value(&random, depth - 1) })
        case 15: return .map((0..<random.below(4)).map { .init(key: "k\($0)", value: value(&random, depth - 1)) })
        default: return .absent
        }
    }
}
