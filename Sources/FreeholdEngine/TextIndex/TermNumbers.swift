/// Numbers terms in the order in which they first occur: a hash table over their bytes.
///
/// Safe throughout: `table` has a power of two of places, at least twice as many as there are terms; a term's bytes are at
/// `ends[number - 1]..<ends[number]` of the arena, which has eight bytes of room behind them.
final class TermNumbers {
    // Safe (all exclusivity below): one thread uses the table, and nothing here re-enters it.
    /// The number of the term + 1 with the upper half of its hash, or 0.
    @exclusivity(unchecked) private var table: UnsafeMutablePointer<UInt64>
    @exclusivity(unchecked) private var places = 1 << 10
    @exclusivity(unchecked) private var arena: UnsafeMutableRawPointer
    @exclusivity(unchecked) private var arenaCapacity = 1 << 14
    @exclusivity(unchecked) private var ends: [Int] = [0]

    init() {
        table = .allocate(capacity: places)
        table.initialize(repeating: 0, count: places)
        arena = .allocate(byteCount: arenaCapacity, alignment: 8)
    }

    deinit {
        table.deallocate()
        arena.deallocate()
    }

    var count: Int { ends.count - 1 }

    /// The bytes of a term, until the next call of `number(of:)`.
    func term(_ number: Int) -> IndexKey {
        IndexKey(start: UnsafeRawPointer(arena) + ends[number], count: ends[number + 1] - ends[number])
    }

    /// The number of a term; a new one is the count of terms.
    @inline(__always)
    func number(of term: UnsafeRawBufferPointer) -> Int {
        let key = IndexKey(term), hash = Self.hash(key), mask = places &- 1
        var place = Int(truncatingIfNeeded: hash) & mask
        while true {
            let entry = table[place]
            if entry == 0 { return add(key, hash, at: place) }
            if (entry ^ hash) >> 32 == 0 {
                let number = Int(truncatingIfNeeded: entry & 0xffff_ffff) &- 1, known = self.term(number)
                if known.count == key.count, IndexKey.order(known.start, key.start, key.count) == 0 { return number }
            }
            place = (place &+ 1) & mask
        }
    }

    /// Forgets all terms.
    func removeAll() {
        ends.removeSubrange(1...)
        table.update(repeating: 0, count: places)
    }

    @inline(never)
    private func add(_ key: IndexKey, _ hash: UInt64, at place: Int) -> Int {
        let number = count, start = ends[number]
        precondition(number < Int(Int32.max), "a batch has fewer terms than that")
        if start + key.count + 8 > arenaCapacity { growArena() }
        (arena + start).copyMemory(from: key.start, byteCount: key.count)
        ends.append(start + key.count)
        table[place] = hash & ~0xffff_ffff | UInt64(number + 1)
        if 2 * count > places { growTable() }
        return number
    }

    private func growArena() {
        let grown = UnsafeMutableRawPointer.allocate(byteCount: arenaCapacity * 2, alignment: 8)
        grown.copyMemory(from: arena, byteCount: ends[count])
        arena.deallocate()
        (arena, arenaCapacity) = (grown, arenaCapacity * 2)
    }

    private func growTable() {
        table.deallocate()
        places *= 4
        table = .allocate(capacity: places)
        table.initialize(repeating: 0, count: places)
        for number in 0..<count {
            let hash = Self.hash(term(number))
            var place = Int(truncatingIfNeeded: hash) & (places - 1)
            while table[place] != 0 { place = (place + 1) & (places - 1) }
            table[place] = hash & ~0xffff_ffff | UInt64(number + 1)
        }
    }

    /// A hash of which the lower bits choose the place and the upper half is compared.
    @inline(__always)
    private static func hash(_ key: IndexKey) -> UInt64 {
        let factor: UInt64 = 0x9E37_79B9_7F4A_7C15
        var hash = UInt64(truncatingIfNeeded: key.count) &* factor, place = 0
        while place &+ 8 <= key.count {
            hash = (hash ^ key.start.loadUnaligned(fromByteOffset: place, as: UInt64.self)) &* factor
            hash ^= hash >> 29
            place &+= 8
        }
        var rest: UInt64 = 0
        while place < key.count {
            rest = rest << 8 | UInt64(key.start.load(fromByteOffset: place, as: UInt8.self))
            place &+= 1
        }
        hash = (hash ^ rest) &* factor
        hash ^= hash >> 32
        return hash &* factor
    }
}
