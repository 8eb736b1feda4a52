import Testing
@testable import FreeholdEngine

@Suite("Objects by key")
struct TablesKeyTests {
    @Test("every object is found, however many there are", arguments: [0, 1, 64, 65, 255, 256, 257, 512, 513, 20_000])
    func counts(count: Int) throws {
        let scratch = Scratch()
        let writer = try scratch.writer(storedClass([PropertySchema("n", .int)]))
        for number in 0..<count { try writer.fill(writer.insert(key: nil), 0, with: .int(Int64(number) * 3)) }
        let state = try scratch.finished(writer)
        #expect(state.count == count)
        #expect(state.root.tailCount == (count > TableWriter.tailRows ? 0 : count))
        for number in 0..<count {
            let place = try #require(try state.find(Int64(number)))
            #expect(try state.value(place, 0) == .int(Int64(number) * 3))
        }
        #expect(try state.find(-1) == nil && state.find(Int64(count)) == nil)
        #expect(try scratch.problems(state).isEmpty)
    }

    /// Spans just below, at and above what a key offset of each width holds.
    static let spans: [UInt64] = [299, 300, 65_535, 65_536, 1 << 32 - 1, 1 << 32, .max]

    @Test("keys are found at any distance from each other", arguments: spans)
    func distances(span: UInt64) throws {
        let scratch = Scratch()
        let writer = try scratch.writer(storedClass([PropertySchema("n", .int)]))
        // Wraps by design: from the least key to that plus the span.
        let last = Int64.min &+ Int64(bitPattern: span)
        let keys = (0..<299).map { Int64.min + $0 } + [last]
        for key in keys.reversed() { try writer.fill(writer.insert(key: key), 0, with: .int(key)) }
        let state = try scratch.finished(writer)
        #expect(state.root.sealedCount == 300)
        for key in keys {
            let place = try #require(try state.find(key))
            #expect(try state.value(place, 0) == .int(key))
        }
        if span > 300 { #expect(try state.find(last - 1) == nil) }
        #expect(try state.find(Int64.min + 299) == nil || span == 299)
        #expect(try scratch.problems(state).isEmpty)
    }

    /// Where a key's cluster stands among its neighbours cannot be guessed from the first and the last of them.
    @Test("keys crowded in places and rare in others are found")
    func unevenKeys() throws {
        let scratch = Scratch()
        let writer = try scratch.writer(storedClass([PropertySchema("n", .int)]))
        var keys: Set<Int64> = [.min, .max]
        for power in 0..<62 {
            for step in Int64(0)..<400 { keys.formUnion([1 << power + step * 2, -(1 << power) - step * 2]) }
        }
        for key in keys { try writer.fill(writer.insert(key: key), 0, with: .int(key)) }
        let state = try scratch.finished(writer)
        for key in keys {
            let place = try #require(try state.find(key))
            #expect(try state.integer(place, 0) == key)
            if key < .max, !keys.contains(key + 1) { #expect(try state.find(key + 1) == nil) }
        }
        #expect(try scratch.problems(state).isEmpty)
    }

    @Test("the greatest key is taken once, like any other")
    func greatestKey() throws {
        let scratch = Scratch()
        let writer = try scratch.writer(storedClass([PropertySchema("id", .int)], primaryKey: "id"))
        for key in [Int64.max - 1, .max, 0, .min] { _ = try writer.insert(key: key) }
        for key in [Int64.max - 1, .max, 0, .min] {
            #expect { try writer.insert(key: key) } throws: { ($0 as? FreeholdError)?.code == .duplicateKey }
        }
        let state = try scratch.finished(writer)
        #expect(state.count == 4)
        #expect(try scratch.problems(state).isEmpty)
    }

    @Test("a cluster walk from any key shows the rest in order")
    func cursor() throws {
        let scratch = Scratch()
        let writer = try scratch.writer(storedClass([PropertySchema("n", .int)]))
        for key in 0..<20_000 { _ = try writer.insert(key: Int64(key) * 2) }
        let state = try scratch.finished(writer)
        for start in [Int64.min, 0, 1, 511, 512, 20_001, 39_998, .max] {
            var cursor = try ClusterCursor(state.root.clusters, from: start, in: state.access)
            var seen: [Int64] = []
            while let cluster = try cursor.next() { seen += (0..<cluster.count).map { cluster.key($0) } }
            let wanted = (0..<20_000).map { Int64($0) * 2 }.filter { $0 >= start }
            // A walk begins with the cluster in which the key lies or would lie.
            #expect(Array(seen.drop { $0 < start }) == wanted)
            #expect(seen == seen.sorted() && seen.count - wanted.count < ClusterView.maximumRows + 1)
        }
    }

    @Test("deleted objects leave their neighbours alone")
    func deleting() throws {
        let scratch = Scratch()
        let writer = try scratch.writer(storedClass([PropertySchema("n", .int)]))
        for key in Int64(0)..<1000 { try writer.fill(writer.insert(key: key), 0, with: .int(key)) }
        try writer.seal()
        for key in stride(from: Int64(0), to: 1000, by: 3) { #expect(try writer.delete(key)) }
        for key in 256..<512 where key % 3 != 0 { #expect(try writer.delete(Int64(key))) }
        #expect(try !writer.delete(0))
        let state = try scratch.finished(writer)
        for key in Int64(0)..<1000 {
            let isLeft = key % 3 != 0 && !(256..<512).contains(key)
            #expect(try (state.find(key) != nil) == isLeft)
        }
        #expect(try scratch.problems(state).isEmpty)
    }
}
