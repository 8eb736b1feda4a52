import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Capture of one list beside a plain model: the same elements, positions, entries and neighbours after every commit.
@Suite struct ListCaptureModelTests {
    private struct Element: Equatable {
        let identity: UInt64
        var position: UInt64
        var value: Int
    }

    /// An entry: of what was inserted or moved with the position, and those beside it when it was made.
    private struct Item {
        var epoch: UInt64
        var position: UInt64 = 0
        var left: UInt64 = 0
        var right: UInt64 = 0
        var isPlaced = true
    }

    private struct Path: Hashable {
        let identity: UInt64
        let act: SyncChange.Act
    }

    private struct Model {
        var elements: [Element] = []
        var items: [Path: Item] = [:]
        var epoch: UInt64 = 1
        var last: UInt64 = 0

        mutating func settle() { items = [:] }

        mutating func commit(_ values: [Int], _ hunks: [CollectionComparison.Hunk]) {
            let old = elements
            var made: [Element?] = Array(repeating: nil, count: values.count), i = 0, j = 0
            var inserted: [(at: Int, replaced: Element?)] = [], left: [Element] = []
            for hunk in hunks + [CollectionComparison.Hunk(old: old.count..<old.count, new: values.count..<values.count)] {
                while i < hunk.old.lowerBound {
                    made[j] = old[i]
                    (i, j) = (i + 1, j + 1)
                }
                left += old[hunk.old]
                for at in hunk.new {
                    let other = hunk.old.lowerBound + at - hunk.new.lowerBound
                    inserted.append((at, other < hunk.old.upperBound ? old[other] : nil))
                }
                (i, j) = (hunk.old.upperBound, hunk.new.upperBound)
            }
            let moved = Set(inserted.map { values[$0.at] }).intersection(left.map(\.value))
            for (at, replaced) in inserted {
                if moved.contains(values[at]), var one = left.first(where: { $0.value == values[at] }) {
                    last += 1
                    one.position = last
                    items[Path(identity: one.identity, act: .moved)] = Item(epoch: epoch, position: last, isPlaced: false)
                    made[at] = one
                } else if var replaced, !moved.contains(replaced.value) {
                    items[Path(identity: replaced.identity, act: .changed)] = Item(epoch: epoch)
                    replaced.value = values[at]
                    made[at] = replaced
                } else {
                    last += 1
                    items[Path(identity: last, act: .inserted)] = Item(epoch: epoch, position: last, isPlaced: false)
                    made[at] = Element(identity: last, position: last, value: values[at])
                }
            }
            elements = made.compactMap { $0 }
            let kept = Set(elements.map(\.identity))
            for one in old where !kept.contains(one.identity) { remove(one) }
            noteNeighbours()
        }

        private mutating func remove(_ one: Element) {
            let insertion = items[Path(identity: one.identity, act: .inserted)]
            for act in [SyncChange.Act.changed, .moved, .inserted] { items[Path(identity: one.identity, act: act)] = nil }
            if insertion?.epoch != epoch { items[Path(identity: one.identity, act: .deleted)] = Item(epoch: epoch) }
        }

        private mutating func noteNeighbours() {
            let shown = Set(elements.map(\.position)), fresh = Set(items.values.map(\.position)).subtracting([0])
            for (path, item) in items where item.position != 0 {
                guard let at = elements.firstIndex(where: { $0.position == item.position }) else {
                    items[path]?.left = 0
                    items[path]?.right = 0
                    items[path]?.isPlaced = true
                    continue
                }
                let isOlder = { (one: Element) in one.position < item.position || !fresh.contains(one.position) }
                if !item.isPlaced || (item.left != 0 && !shown.contains(item.left)) {
                    items[path]?.left = elements[..<at].last(where: isOlder)?.position ?? 0
                }
                if !item.isPlaced || (item.right != 0 && !shown.contains(item.right)) {
                    items[path]?.right = elements[(at + 1)...].first(where: isOlder)?.position ?? 0
                }
                items[path]?.isPlaced = true
            }
        }

        var words: [String] {
            let acts: [SyncChange.Act] = [.inserted, .changed, .moved, .deleted]
            return items.map { path, item in
                "\(acts.firstIndex(of: path.act)!) \(path.identity) \(item.position) \(item.left) \(item.right) @\(item.epoch)"
            }.sorted()
        }
    }

    /// The entries of the list, element by element, as the model has them.
    private static func words(_ snapshot: Snapshot, _ trees: PendingTrees) throws -> [String] {
        let acts: [SyncChange.Act] = [.inserted, .changed, .moved, .deleted]
        var found: [String] = []
        try trees.forEachChange(in: snapshot.core.access) { entry in
            guard case .element(_, let change) = entry.what else { return }
            for offset in 0..<change.count {
                let isPlaced = change.position != .none, left = offset == 0 ? change.left : change.position.advanced(by: offset - 1)
                let position = isPlaced ? change.position.advanced(by: offset).count : 0
                let neighbours = isPlaced ? "\(left.count) \(change.right.count)" : "0 0"
                found.append("\(acts.firstIndex(of: change.act)!) \(change.first.advanced(by: offset).count) \(position) \(neighbours) "
                    + "@\(entry.origin.epoch)")
            }
        }
        return found.sorted()
    }

    /// One to three changes of a list of distinct values: typing, deletions, replacements, moves of elements and of ranges.
    private static func edit(_ values: inout [Int], _ next: inout Int, _ most: Int, _ random: inout SeededRandom) {
        for _ in 0..<1 + random.below(3) {
            let place = random.below(values.count + 1)
            switch random.below(6) {
            case 0, 1:
                let count = random.oneIn(8) ? most / 3 : 1 + random.below(3)
                values.insert(contentsOf: next..<next + count, at: place)
                next += count
            case 2 where !values.isEmpty:
                let low = random.below(values.count), count = random.oneIn(6) ? most / 4 : 1 + random.below(3)
                values.removeSubrange(low..<min(values.count, low + count))
            case 3 where !values.isEmpty:
                values[random.below(values.count)] = next
                next += 1
            default:
                if values.isEmpty { continue }
                let low = random.below(values.count), some = Array(values[low..<min(values.count, low + 1 + random.below(3))])
                values.removeSubrange(low..<low + some.count)
                values.insert(contentsOf: some, at: random.below(values.count + 1))
            }
        }
        if values.count > most { values.removeSubrange(most / 2..<values.count - most / 4) }
    }

    @Test("capture of a list notes what a plain model notes", arguments: TestScale.seeds(6, full: 200), [24, 900])
    func model(seed: UInt64, most: Int) throws {
        try SyncCaptureTests.withFile { database, _, _ in
            var random = SeededRandom(seed: seed), model = Model(), values: [Int] = [], next = 0
            let stored = try #require(database.snapshot().schema().find("Task"))
            let list = try #require(stored.properties.first { $0.name == "list" })
            let column = try #require(stored.column(numbered: list.number)), shape = try #require(list.shape)
            func reader(_ snapshot: Snapshot) throws -> CollectionReader {
                let state = try snapshot.state(Int(stored.number), as: stored), place = try #require(try state.find(0))
                return try CollectionReader(state.cell(place, column), shape, snapshot.core.access)
            }
            for round in 0..<60 {
                Self.edit(&values, &next, most, &random)
                let before = try database.snapshot()
                try SyncListTests.set(database, values)
                let now = try database.snapshot()
                var hunks: [CollectionComparison.Hunk] = []
                for hunk in try CollectionComparison(old: ElementSource(reader(before)), new: ElementSource(reader(now))).hunks() {
                    if let last = hunks.last, last.old.upperBound == hunk.old.lowerBound, last.new.upperBound == hunk.new.lowerBound {
                        hunks[hunks.count - 1] = CollectionComparison.Hunk(old: last.old.lowerBound..<hunk.old.upperBound,
                                                                          new: last.new.lowerBound..<hunk.new.upperBound)
                    } else {
                        hunks.append(hunk)
                    }
                }
                if !hunks.isEmpty { model.commit(values, hunks) }
                let trees = PendingTrees(try now.state(Int(stored.number), as: stored).root)
                let runs = try IdentityReader(trees: trees, access: now.core.access).runs(of: 0, list.number)
                let found = runs.flatMap { run in (0..<run.count).map { [run.first.count + UInt64($0), run.position.count + UInt64($0)] } }
                #expect(found == model.elements.map { [$0.identity, $0.position] }, "seed \(seed), round \(round)")
                let (noted, expected) = (try Self.words(now, trees), model.words)
                #expect(noted == expected, "seed \(seed), round \(round)")
                #expect(model.elements.map(\.value) == values)
                if noted != expected { return }
                if round % 10 == 9 { #expect(try database.check().problems.isEmpty) }
                if random.oneIn(5) {
                    try History.sealSync(on: database, durability: .processCrash)
                    model.epoch += 1
                }
                if random.oneIn(12) {
                    try History.settleSync(on: database, durability: .processCrash)
                    model.settle()
                }
            }
        }
    }
}
