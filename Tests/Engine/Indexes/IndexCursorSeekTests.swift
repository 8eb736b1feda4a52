import TestKit
import Testing
@testable import FreeholdEngine

@Suite("Seeking with a cursor")
struct IndexCursorSeekTests {
    /// Keys with one posting to thousands, so that chunks, leaves and nodes end everywhere.
    private func makeModel(_ random: inout SeededRandom, long: Bool) throws -> IndexModel {
        let model = IndexModel()
        let start = [UInt8](repeating: 7, count: long ? 5_000 : 3)
        for key in 0..<(long ? 12 : 60) {
            let count = [1, 2, 40, 256, 257, 3_000][random.below(long ? 4 : 6)]
            var object = Int64(random.below(2_000)) - 1_000
            for _ in 0..<count {
                model.insert(Posting(key: start + [UInt8(key), UInt8(random.oneIn(2) ? 1 : 2)], object: object))
                object += Int64(1 + random.below([2, 300][key % 2]))
            }
        }
        try model.commit()
        return model
    }

    @Test("a cursor seeks as a search in an array does, within any range", arguments: TestScale.seeds(4), [false, true])
    func seeking(seed: UInt64, long: Bool) throws {
        var random = SeededRandom(seed: seed)
        let model = try makeModel(&random, long: long), sorted = model.sorted
        for _ in 0..<TestScale.count(1_500) {
            let low = random.below(sorted.count), high = min(sorted.count, low + 1 + random.below(random.oneIn(2) ? 30 : sorted.count))
            var cursor = IndexCursor(model.index, ranks: low..<high)
            var place = low + random.below(high - low)
            #expect(try cursor.move(toRank: place))
            for _ in 0..<3 where place < high {
                let object = sorted[place].object + Int64(random.below([3, 50, 5_000][random.below(3)]) - 1)
                let key = sorted[place].key
                let wanted = sorted[place..<high].firstIndex { $0.key != key || $0.object >= object } ?? high
                let isFound = wanted < high && sorted[wanted].key == key
                #expect(try cursor.seek(to: ObjectKey(object)) == isFound, "seed \(seed), \(place) of \(low)..<\(high) to \(object)")
                #expect(cursor.rank == wanted, "seed \(seed), \(place) of \(low)..<\(high) to \(object)")
                if wanted < high { #expect(cursor.objectKey.rawValue == sorted[wanted].object) }
                // From there it moves on as from anywhere.
                place = wanted
                if place < high, random.oneIn(3) {
                    #expect(try cursor.next() == (place + 1 < high))
                    place += 1
                    if place < high { #expect(cursor.objectKey.rawValue == sorted[place].object) }
                }
            }
        }
    }

    @Test("a cursor moves from key to key, and to a key that is there or not", arguments: TestScale.seeds(3), [false, true])
    func keys(seed: UInt64, long: Bool) throws {
        var random = SeededRandom(seed: seed)
        let model = try makeModel(&random, long: long), sorted = model.sorted
        for _ in 0..<TestScale.count(200) {
            let low = random.below(sorted.count), high = min(sorted.count, low + 1 + random.below(sorted.count))
            var cursor = IndexCursor(model.index, ranks: low..<high), place = low + random.below(high - low)
            #expect(try cursor.move(toRank: place))
            for _ in 0..<20 where place < high {
                let key = sorted[place].key
                place = sorted[place..<high].firstIndex { $0.key != key } ?? high
                #expect(try cursor.nextKey() == (place < high))
                #expect(cursor.rank == place)
                if place < high { #expect(try cursor.objectKey.rawValue == sorted[place].object && cursor.key() == sorted[place].key) }
            }
            var key = sorted[random.below(sorted.count)].key
            if random.oneIn(2) { key[key.count - 1] ^= 3 }
            let wanted = sorted[low..<high].firstIndex { $0.key.order(key) >= 0 } ?? high
            #expect(try cursor.seek(toKey: key) == (wanted < high))
            #expect(cursor.rank == wanted)
        }
    }

    @Test("all postings of a key are taken where one leaf has them, and the cursor goes on from their first or last",
          arguments: TestScale.seeds(3), [false, true])
    func taking(seed: UInt64, long: Bool) throws {
        var random = SeededRandom(seed: seed), taken = 0, others = 0
        let model = try makeModel(&random, long: long), sorted = model.sorted
        // Each key as often as another: most postings belong to the few keys that have thousands.
        let places = Dictionary(grouping: sorted.indices) { sorted[$0].key }.sorted { $0.key.order($1.key) < 0 }.map(\.value)
        for _ in 0..<TestScale.count(400) {
            let own = places[random.below(places.count)], place = own[random.below(own.count)], key = sorted[place].key
            let toFirst = random.oneIn(2)
            var cursor = try model.index.cursor()
            #expect(try cursor.move(toRank: place))
            let before = (cursor.rank, cursor.objectKey)
            guard var all = cursor.takeKey(toFirst: toFirst) else {
                others += 1
                #expect((cursor.rank, cursor.objectKey) == before)
                continue
            }
            taken += 1
            let first = sorted.firstIndex { $0.key == key }!, end = sorted[first...].firstIndex { $0.key != key } ?? sorted.count
            for posting in sorted[first..<end] {
                let isThere = try all.next()
                #expect(try isThere && all.objectKey.rawValue == posting.object && all.key() == key, "seed \(seed), \(place)")
            }
            #expect(try !all.next() && all.ranks == first..<end)
            var at = toFirst ? first : end - 1
            #expect(cursor.rank == at && cursor.objectKey.rawValue == sorted[at].object)
            for isForward in [true, true, false, false, false, true] {
                at += isForward ? 1 : -1
                let isThere = try isForward ? cursor.next() : cursor.previous()
                #expect(isThere == sorted.indices.contains(at) && cursor.rank == at)
                if !isThere { break }
                #expect(cursor.objectKey.rawValue == sorted[at].object, "seed \(seed), \(place), \(toFirst)")
            }
        }
        #expect(others > 0 && (long ? taken == 0 : taken > TestScale.count(400) / 20), "\(taken) taken, \(others) not")
    }

    @Test("a shorter range ends the cursor, which stays where it is")
    func ending() throws {
        let model = IndexModel()
        for object in 0..<1_000 as Range<Int64> { model.insert(Posting(key: [1], object: object)) }
        try model.commit()
        var cursor = try model.index.cursor()
        #expect(try cursor.move(toRank: 10))
        var shorter = cursor.ending(at: 300)
        #expect(shorter.objectKey == ObjectKey(10))
        #expect(try shorter.seek(to: ObjectKey(299)))
        #expect(try !shorter.next() && shorter.rank == 300)
        var other = cursor.ending(at: 300)
        #expect(try !other.seek(to: ObjectKey(300)) && other.rank == 300)
        #expect(try cursor.seek(to: ObjectKey(300)))
    }
}

extension IndexCursor {
    fileprivate mutating func seek(toKey key: [UInt8]) throws -> Bool { try key.withUnsafeBytes { try seek(toKey: IndexKey($0)) } }
}
