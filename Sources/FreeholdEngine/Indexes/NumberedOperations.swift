/// Operations on keys that the caller has numbered, such as the strings of a dictionary: a number represents the key,
/// so a million of them cost a counting sort, and each key is written out and compared once, not for every operation.
///
/// 1. Operations come in any order; those on one (key, object key) keep their order.
/// 2. `move` leaves the list empty.
///
/// Safe throughout: an operation lies in the chunk that its place names, which holds `chunkOperations`; numbers are not
/// negative and at most `highest`, so each has its place in the table of counts.
final class NumberedOperations {
    private struct Operation {
        var objectKey: Int64
        /// Number << 1 | remove.
        var packed: UInt64
    }

    // Safe (all exclusivity below): one thread uses the list, and nothing here re-enters it.
    @exclusivity(unchecked) private var chunks: [UnsafeMutablePointer<Operation>] = []
    @exclusivity(unchecked) private var current = UnsafeMutablePointer<Operation>(bitPattern: 64)!
    @exclusivity(unchecked) private(set) var count = 0
    @exclusivity(unchecked) private var highest = 0

    private static let chunkShift = 16
    private static let chunkOperations = 1 << chunkShift

    deinit { for chunk in chunks { chunk.deallocate() } }

    var isEmpty: Bool { count == 0 }

    @inline(__always) func append(_ number: Int, _ objectKey: Int64, isRemoval: Bool) {
        precondition(number >= 0, "a key's number")
        let place = count & (Self.chunkOperations - 1)
        if place == 0 { startChunk() }
        current[place] = Operation(objectKey: objectKey, packed: UInt64(number) << 1 | (isRemoval ? 1 : 0))
        count += 1
        highest = max(highest, number)
    }

    @inline(never) private func startChunk() {
        let index = count >> Self.chunkShift
        if index == chunks.count { chunks.append(.allocate(capacity: Self.chunkOperations)) }
        current = chunks[index]
    }

    /// Removes the operations after the first `count`.
    func truncate(to count: Int) {
        self.count = count
        if count & (Self.chunkOperations - 1) != 0 { current = chunks[count >> Self.chunkShift] }
    }

    /// An independent list with the same operations.
    func copy() -> NumberedOperations {
        let copy = NumberedOperations()
        forEach { copy.append(Int(truncatingIfNeeded: $0.packed >> 1), $0.objectKey, isRemoval: $0.packed & 1 != 0) }
        return copy
    }

    /// Appends all operations to `list`, by key; those on one key in their order.
    func move(into list: IndexOperations, key: (Int) throws(FreeholdError) -> IndexKey) throws(FreeholdError) {
        var places = Array(repeating: 0, count: highest + 1)
        forEach { places[Int(truncatingIfNeeded: $0.packed >> 1)] += 1 }
        // Each key once, with its number for an object key.
        var keys: [IndexOperation] = []
        for number in places.indices where places[number] > 0 {
            keys.append(list.store(try key(number)).on(Int64(number), isRemoval: true))
        }
        list.sort(&keys)
        var spelt = Array(repeating: IndexOperation(prefix: 0, objectKey: 0, offset: 0, length: 0, isRemoval: false), count: places.count)
        var place = 0
        for key in keys {
            let number = Int(truncatingIfNeeded: key.objectKey)
            spelt[number] = key
            (places[number], place) = (place, place + places[number])
        }
        let isFirst = list.isEmpty && !keys.contains(where: \.repeatsKey)
        let target = list.extend(by: count)
        var hasInserts = false
        forEach {
            let number = Int(truncatingIfNeeded: $0.packed >> 1), isRemoval = $0.packed & 1 != 0
            target[places[number]] = spelt[number].on($0.objectKey, isRemoval: isRemoval)
            places[number] += 1
            hasInserts = hasInserts || !isRemoval
        }
        if hasInserts { list.noteInserts() }
        if isFirst { list.noteAscending() }
        removeAll()
    }

    /// Removes all operations, keeping a little memory.
    func removeAll() {
        while chunks.count > 1 { chunks.removeLast().deallocate() }
        count = 0
        highest = 0
    }

    @inline(__always) private func forEach(_ body: (Operation) -> Void) {
        var left = count
        for chunk in chunks where left > 0 {
            for place in 0..<min(left, Self.chunkOperations) { body(chunk[place]) }
            left -= Self.chunkOperations
        }
    }
}
