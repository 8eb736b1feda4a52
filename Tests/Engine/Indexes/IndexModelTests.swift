@testable import BlockKit
import TestKit
import Testing
@testable import FreeholdEngine

/// Random changes to an index and to a sorted list must come to the same.
@Suite struct IndexModelTests {
    @Test(arguments: KeyDistribution.allCases, [1, 2, 3] as [UInt64])
    func anIndexHoldsWhatASortedListHolds(_ keys: KeyDistribution, _ seed: UInt64) throws {
        var generator = SeededRandom(seed: seed)
        let model = IndexModel()
        var step = 0
        for batch in 0..<14 {
            let size = [1, 3, 40, 255, 1500].randomElement(using: &generator)! / (keys == .hugeKeysAlike ? 20 : 1) + 1
            let removing = [0.05, 0.3, 0.8].randomElement(using: &generator)!
            var present = model.sorted
            for _ in 0..<size {
                step += 1
                if Double.random(in: 0..<1, using: &generator) < removing, let victim = present.popLast() {
                    model.remove(victim)
                    if Int.random(in: 0..<3, using: &generator) == 0 { present.shuffle(using: &generator) }
                } else {
                    let posting = keys.posting(&generator, step: step)
                    model.insert(posting)
                    if step % 17 == 0 { model.remove(posting) }
                    if step % 34 == 0 { model.insert(posting) }
                }
            }
            if Bool.random(using: &generator) { try model.commit() } else { try model.apply() }
            try compare(model, "\(keys), seed \(seed), batch \(batch)", &generator)
        }
        for posting in model.sorted.shuffled(using: &generator) { model.remove(posting) }
        try model.commit()
        #expect(model.root.isNull, "\(keys), seed \(seed): an empty index has no blocks")
        #expect(model.file.live.isEmpty, "\(keys), seed \(seed): every block was freed")
    }

    private func compare(_ model: IndexModel, _ what: String, _ generator: inout SeededRandom) throws {
        let index = model.index
        let sorted = model.sorted
        let problems = index.verify()
        #expect(problems.isEmpty, "\(what): \(problems.prefix(3))")
        let all = try index.all()
        // Compared outside `#expect`, which would print thousands of postings.
        let isSame = all == sorted, isSameBackwards = try index.allBackwards() == sorted.reversed()
        #expect(isSame, "\(what): forwards, \(all.count) of \(sorted.count)")
        #expect(isSameBackwards, "\(what): backwards")
        #expect(try index.count() == sorted.count)
        if model.isCommitted {
            let reachable = try model.file.reachable(model.root)
            #expect(reachable.subtracting(model.file.live) == [], "\(what): a freed block is still in use")
            #expect(model.file.live.subtracting(reachable) == [], "\(what): a block was not freed")
        }
        try compareLookups(index, sorted, what, &generator)
    }

    private func compareLookups(_ index: OrderedIndex, _ sorted: [Posting], _ what: String,
                                _ generator: inout SeededRandom) throws {
        var counts: [[UInt8]: Int] = [:]
        for posting in sorted { counts[posting.key, default: 0] += 1 }
        for _ in 0..<5 {
            guard let some = sorted.randomElement(using: &generator), let other = sorted.randomElement(using: &generator) else { break }
            #expect(try index.count(some.key) == counts[some.key], "\(what): count of \(some)")
            #expect(try index.count(some.key + [0]) == counts[some.key + [0]] ?? 0, "\(what): count behind \(some)")
            #expect(try index.first(some.key) == sorted.first { $0.key.order(some.key) == 0 }?.object, "\(what): first of \(some)")
            #expect(try index.contains(some))
            let near = Posting(key: some.key, object: some.object &+ 1)
            #expect(try index.contains(near) == sorted.contains(near), "\(what): \(near)")
            let (low, high) = (Swift.min(some, other).key, Swift.max(some, other).key)
            let between = sorted.filter { $0.key.order(low) >= 0 && $0.key.order(high) < 0 }
            #expect(try index.count(low, high) == between.count, "\(what): from \(some) to \(other)")
            let prefix = Array(some.key.prefix(.random(in: 0...some.key.count, using: &generator)))
            var cursor = try index.cursor(prefixed: prefix)
            var found: [Posting] = []
            while try cursor.next() { found.append(Posting(key: try cursor.key(), object: cursor.objectKey.rawValue)) }
            let isSame = found == sorted.filter { Array($0.key.prefix(prefix.count)).order(prefix) == 0 }
            #expect(isSame, "\(what): prefix of \(some)")
        }
    }
}
