import TestKit
import Testing
@testable import FreeholdEngine

@Suite struct IndexOperationsTests {
    private struct Change: Equatable {
        var posting: Posting
        var isRemoval: Bool
    }

    /// Lists of many shapes come out as a stable sort leaves them, with the last change of each posting.
    @Test(arguments: [11, 12, 13, 14, 15, 16] as [UInt64])
    func sortingKeepsTheLastChangeOfEachPosting(_ seed: UInt64) throws {
        var generator = SeededRandom(seed: seed)
        for round in 0..<30 {
            let keys = makeKeys(round, &generator)
            let objects = [3, 50, 100_000].randomElement(using: &generator)!
            let ascends = Bool.random(using: &generator)
            let operations = IndexOperations()
            var last: [Posting: Bool] = [:]
            for step in 0..<[1, 2, 30, 900].randomElement(using: &generator)! {
                let object = ascends ? Int64(step) : .random(in: Int64(-objects)...Int64(objects), using: &generator)
                let posting = Posting(key: keys.randomElement(using: &generator)!, object: object)
                let isRemoval = Int.random(in: 0..<4, using: &generator) == 0
                last[posting] = isRemoval
                posting.key.withUnsafeBytes {
                    if isRemoval { operations.remove($0, ObjectKey(object)) } else { operations.insert($0, ObjectKey(object)) }
                }
            }
            operations.sort()
            let wanted = last.map { Change(posting: $0.key, isRemoval: $0.value) }.sorted { $0.posting < $1.posting }
            let found = changes(operations)
            #expect(found.count == wanted.count, "seed \(seed), round \(round)")
            let isSame = found == wanted
            #expect(isSame, "seed \(seed), round \(round)")
        }
    }

    /// Operations recorded by number come out as if each key had been spelt out, after those that were there.
    @Test(arguments: [21, 22, 23, 24] as [UInt64])
    func numberedOperationsAreThoseOfTheirKeys(_ seed: UInt64) throws {
        var generator = SeededRandom(seed: seed)
        for round in 0..<20 {
            let keys = Array(Set(makeKeys(round, &generator))).sorted { $0.lexicographicallyPrecedes($1) }.shuffled(using: &generator)
            let plain = IndexOperations(), mixed = IndexOperations(), numbered = NumberedOperations()
            for _ in 0..<3 {
                for _ in 0..<[0, 5, 300].randomElement(using: &generator)! {
                    note(keys.randomElement(using: &generator)!, in: [plain, mixed], &generator)
                }
                for _ in 0..<[1, 40, 2000].randomElement(using: &generator)! {
                    let number = Int.random(in: keys.indices, using: &generator)
                    let object = Int64.random(in: -30...30, using: &generator), isRemoval = Bool.random(using: &generator)
                    keys[number].withUnsafeBytes { plain.append(IndexKey($0), object, isRemoval: isRemoval) }
                    numbered.append(number, object, isRemoval: isRemoval)
                }
                let before = numbered.count
                let spelt = ByteBuffer()
                try numbered.move(into: mixed) { number in
                    spelt.removeAll()
                    keys[number].withUnsafeBytes { spelt.append($0) }
                    return IndexKey(spelt.bytes)
                }
                #expect(before > 0 && numbered.isEmpty && mixed.count == plain.count && mixed.hasInserts == plain.hasInserts)
            }
            plain.sort()
            mixed.sort()
            let isSame = changes(plain) == changes(mixed)
            #expect(isSame, "seed \(seed), round \(round)")
        }
    }

    private func note(_ key: [UInt8], in lists: [IndexOperations], _ generator: inout SeededRandom) {
        let object = Int64.random(in: -30...30, using: &generator), isRemoval = Bool.random(using: &generator)
        for list in lists { key.withUnsafeBytes { list.append(IndexKey($0), object, isRemoval: isRemoval) } }
    }

    private func makeKeys(_ round: Int, _ generator: inout SeededRandom) -> [[UInt8]] {
        let length = [0, 1, 7, 8, 9, 16, 17, 63, 64, 65, 80, 200][round % 12]
        let alphabet: [UInt8] = round.isMultiple(of: 2) ? [0, 255] : Array(0...255)
        let shared = [UInt8](repeating: 5, count: [0, 3, 70].randomElement(using: &generator)!)
        return (0..<40).map { _ in
            shared + (0..<Int.random(in: 0...length, using: &generator)).map { _ in alphabet.randomElement(using: &generator)! }
        }
    }

    /// The list, after checking the marks of repeated keys.
    private func changes(_ operations: IndexOperations) -> [Change] {
        var found: [Change] = []
        for index in 0..<operations.count {
            let operation = operations.list[index]
            let key = operations.key(of: operation)
            let bytes = Array(UnsafeRawBufferPointer(start: key.start, count: key.count))
            #expect(operation.repeatsKey == (found.last?.posting.key == bytes))
            found.append(Change(posting: Posting(key: bytes, object: operation.objectKey), isRemoval: operation.isRemoval))
        }
        return found
    }

    @Test func tensOfThousandsOfOperationsSortByTheWiderRadix() {
        let operations = IndexOperations()
        var generator = SeededRandom(seed: 5)
        for object in 0..<150_000 {
            var word = UInt64.random(in: 0..<500, using: &generator).bigEndian
            withUnsafeBytes(of: &word) { operations.insert($0, ObjectKey(Int64(object))) }
        }
        operations.sort()
        #expect(operations.count == 150_000)
        var isSorted = true
        for index in 1..<operations.count {
            let (one, other) = (operations.list[index - 1], operations.list[index])
            isSorted = isSorted && (one.prefix, one.objectKey) < (other.prefix, other.objectKey)
        }
        #expect(isSorted)
    }

    @Test func numberedOperationsOfManyChunksComeOutInOrder() throws {
        let operations = IndexOperations(), numbered = NumberedOperations()
        for object in 0..<150_000 { numbered.append(object * 7 % 500, Int64(object), isRemoval: false) }
        let spelt = ByteBuffer()
        try numbered.move(into: operations) { number in
            spelt.removeAll()
            spelt.append(big: UInt64(999 - number))
            return IndexKey(spelt.bytes)
        }
        operations.sort()
        #expect(operations.count == 150_000)
        var seen: Set<Int64> = []
        var isRight = true
        for index in 0..<operations.count {
            let operation = operations.list[index]
            isRight = isRight && operation.prefix == UInt64(999 - operation.objectKey * 7 % 500)
                && (!operation.repeatsKey || operations.list[index - 1].objectKey < operation.objectKey)
            seen.insert(operation.objectKey)
        }
        #expect(isRight && seen.count == 150_000)
    }

    @Test func anEmptiedListIsAsNew() {
        let operations = IndexOperations()
        [UInt8]("key".utf8).withUnsafeBytes { operations.insert($0, ObjectKey(1)) }
        operations.removeAll()
        #expect(operations.isEmpty)
        [UInt8]("a".utf8).withUnsafeBytes { operations.remove($0, ObjectKey(2)) }
        operations.sort()
        #expect(changes(operations) == [Change(posting: Posting(key: Array("a".utf8), object: 2), isRemoval: true)])
    }
}
