/// A part of an object's sort key, and the object's position among those that are sorted.
struct SortItem: BitwiseCopyable {
    var word: UInt64
    var position: Int
}

extension [ObjectKey] {
    /// The keys in ascending order.
    ///
    /// Safe: as many items as keys.
    func byDigits() -> [ObjectKey] {
        if count < 64 { return sorted { $0.rawValue < $1.rawValue } }
        let sorter = ItemSorter(count: count)
        for place in indices { (sorter.items + place).initialize(to: SortItem(word: OrderedKey.orderedBits(self[place].rawValue), position: place)) }
        sorter.sort(0..<count)
        return indices.map { ObjectKey(OrderedKey.int(orderedBits: sorter.items[$0].word)) }
    }
}

/// Sorts items by their words, stably: a radix sort by digits of the words, most significant first.
///
/// For many items the three highest differing digits are sorted from least to most significant, one pass each; items
/// equal in them, usually few, are sorted separately. Short runs use insertion sort.
///
/// Safe throughout: `items` and `scratch` hold `count` items each, `counts` three digits' values; ranges asked for lie within, and
/// places computed from exact counts as well.
final class ItemSorter {
    let items: UnsafeMutablePointer<SortItem>
    private let scratch: UnsafeMutablePointer<SortItem>
    private let counts: UnsafeMutablePointer<Int>
    private let count: Int

    private static let mostDigits = 3, mostBits = 11, insertedOnes = 20

    init(count: Int) {
        self.count = count
        items = .allocate(capacity: max(count, 1))
        scratch = .allocate(capacity: max(count, 1))
        counts = .allocate(capacity: Self.mostDigits << Self.mostBits)
    }

    deinit {
        items.deallocate()
        scratch.deallocate()
        counts.deallocate()
    }

    /// Sorts the items of a range.
    func sort(_ range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "a range of the items")
        sort(items + range.lowerBound, scratch + range.lowerBound, range.count)
    }

    private func sort(_ start: UnsafeMutablePointer<SortItem>, _ room: UnsafeMutablePointer<SortItem>, _ count: Int) {
        if count <= Self.insertedOnes { return insert(start, count) }
        let varying = Self.difference(start, count)
        if varying == 0 || Self.isOrdered(start, count) { return }
        let bits = count > 512 ? Self.mostBits : 8
        let digits = count > 1 << 15 ? 3 : count > 1 << 11 ? 2 : 1
        let top = 64 - varying.leadingZeroBitCount
        let low = max(varying.trailingZeroBitCount, top - digits * bits)
        pass(start, room, count, from: low, to: top, bits: bits, varying: varying)
        if low > varying.trailingZeroBitCount { sortRest(start, room, count, below: UInt64(low)) }
    }

    /// The bits in which the words differ.
    private static func difference(_ start: UnsafeMutablePointer<SortItem>, _ count: Int) -> UInt64 {
        let first = start[0].word
        var varying: UInt64 = 0
        for index in 1..<count { varying |= start[index].word ^ first }
        return varying
    }

    private static func isOrdered(_ start: UnsafeMutablePointer<SortItem>, _ count: Int) -> Bool {
        for index in 1..<count where start[index].word < start[index - 1].word { return false }
        return true
    }

    private func insert(_ start: UnsafeMutablePointer<SortItem>, _ count: Int) {
        var index = 1
        while index < count {
            let item = start[index]
            var place = index
            while place > 0, start[place - 1].word > item.word {
                start[place] = start[place - 1]
                place -= 1
            }
            start[place] = item
            index += 1
        }
    }

    /// Sorts by a range of bits, the lowest digit first.
    private func pass(_ start: UnsafeMutablePointer<SortItem>, _ room: UnsafeMutablePointer<SortItem>, _ count: Int, from low: Int, to top: Int,
                      bits: Int, varying: UInt64) {
        let mask: UInt64 = (1 << UInt64(bits)) - 1
        var (source, target) = (start, room)
        for shift in stride(from: low, to: top, by: bits) where varying >> UInt64(shift) & mask != 0 {
            counts.update(repeating: 0, count: 1 << bits)
            for index in 0..<count { counts[Int(truncatingIfNeeded: source[index].word &>> UInt64(shift) & mask)] &+= 1 }
            var sum = 0
            for digit in 0..<1 << bits {
                let next = sum &+ counts[digit]
                counts[digit] = sum
                sum = next
            }
            for index in 0..<count {
                let item = source[index], digit = Int(truncatingIfNeeded: item.word &>> UInt64(shift) & mask)
                target[counts[digit]] = item
                counts[digit] &+= 1
            }
            swap(&source, &target)
        }
        if source != start { start.update(from: source, count: count) }
    }

    /// Sorts items that are equal except for their lowest bits.
    private func sortRest(_ start: UnsafeMutablePointer<SortItem>, _ room: UnsafeMutablePointer<SortItem>, _ count: Int, below low: UInt64) {
        var first = 0
        while first < count {
            let head = start[first].word &>> low
            var end = first &+ 1
            while end < count, start[end].word &>> low == head { end &+= 1 }
            if end &- first > 1 { sort(start + first, room + first, end &- first) }
            first = end
        }
    }
}
