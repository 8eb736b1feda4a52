import CShims

/// Sorts objects term by term: each term orders the runs that are equal in the terms before.
///
/// ```
/// level 1   7 7 7 7 7 7 7          one run: all of them
/// level 2   3 3 5 5 5 8 9          runs of equal words are left to the next level
/// level 3   1 4 2 6 6 8 9
/// ```
/// Runs after the limit are not sorted, and of a run that crosses it only the smallest items are kept.
///
/// Safe throughout: runs lie within `count` items; positions are those of the items made here, and a level has a word or a text for
/// each of them.
final class Sorter {
    private let items: ItemSorter
    private let limit: Int
    private var runs: [Range<Int>]
    /// The remaining items.
    private(set) var count: Int

    /// The sort key of one level.
    enum Level {
        /// A word for each position, compared as unsigned numbers.
        case words(UnsafePointer<UInt64>)
        /// A text for each position.
        case texts(UnsafePointer<SortText>, isDescending: Bool)
    }

    init(count: Int, limit: Int) {
        self.count = count
        self.limit = limit
        items = ItemSorter(count: count)
        for position in 0..<count { (items.items + position).initialize(to: SortItem(word: 0, position: position)) }
        runs = count > 1 ? [0..<count] : []
    }

    /// The position of the object at a rank in the sorted order.
    @inline(__always) subscript(place: Int) -> Int { items.items[place].position }

    /// Number of objects requested.
    var places: Int { min(count, limit) }

    /// The runs of objects that are equal so far.
    var ties: [Range<Int>] { runs }

    func refine(by levels: [Level]) {
        for level in levels where !runs.isEmpty {
            switch level {
            case .words(let words): refine(by: words)
            case .texts(let texts, let isDescending): refine(by: texts, isDescending: isDescending)
            }
        }
    }

    private func refine(by words: UnsafePointer<UInt64>) {
        let items = items.items
        let given = runs
        runs = []
        for run in given where run.lowerBound < limit {
            for place in run { items[place].word = words[items[place].position] }
            forEachTie(in: settle(run)) { runs.append($0) }
        }
    }

    /// Sorts a run whose words are in the items; returns the rest of it.
    private func settle(_ run: Range<Int>) -> Range<Int> {
        var run = run
        if run.upperBound > limit {
            run = run.lowerBound..<run.lowerBound + keepLeast(of: run, limit - run.lowerBound)
            count = run.upperBound
        }
        items.sort(run)
        return run
    }

    @inline(__always)
    private func forEachTie(in run: Range<Int>, _ body: (Range<Int>) -> Void) {
        let items = items.items
        var first = run.lowerBound
        while first < run.upperBound, first < limit {
            let word = items[first].word
            var end = first &+ 1
            while end < run.upperBound, items[end].word == word { end &+= 1 }
            if end &- first > 1 { body(first..<end) }
            first = end
        }
    }

    // MARK: texts

    /// Compares eight bytes at a time, as big-endian words, padded with zeros. If words are equal and a text ends, the
    /// shorter one is first.
    private func refine(by texts: UnsafePointer<SortText>, isDescending: Bool) {
        var open = runs, depth = 0
        runs = []
        while !open.isEmpty {
            let given = open
            open = []
            for run in given where run.lowerBound < limit {
                load(texts, run, depth, isDescending)
                forEachTie(in: settle(run)) { tie in divide(tie, texts, depth, isDescending, &open) }
            }
            depth += 8
        }
    }

    /// How far ahead of the reader a text is prefetched.
    private static let distance = 24

    private func load(_ texts: UnsafePointer<SortText>, _ run: Range<Int>, _ depth: Int, _ isDescending: Bool) {
        let items = items.items, flip: UInt64 = isDescending ? ~0 : 0
        for place in run {
            let ahead = place &+ Self.distance
            if depth > 0, ahead < count { freehold_shim_prefetch(texts[items[ahead].position].start + depth) }
            items[place].word = texts[items[place].position].word(depth) ^ flip
        }
    }

    /// Splits a run of equal words: texts that end at the same position are equal, the others continue.
    private func divide(_ run: Range<Int>, _ texts: UnsafePointer<SortText>, _ depth: Int, _ isDescending: Bool, _ open: inout [Range<Int>]) {
        let items = items.items
        let first = texts[items[run.lowerBound].position].left(depth)
        if run.allSatisfy({ texts[items[$0].position].left(depth) == first }) {
            if first > 8 { open.append(run) } else { runs.append(run) }
            return
        }
        for place in run {
            let left = UInt64(texts[items[place].position].left(depth))
            items[place].word = isDescending ? ~left : left
        }
        self.items.sort(run)
        forEachTie(in: run) { tie in
            if texts[items[tie.lowerBound].position].left(depth) > 8 { open.append(tie) } else { runs.append(tie) }
        }
    }

    // MARK: The smallest of many

    /// Moves the `count` smallest items of a run to its front, with all that are equal to the last of them, in their
    /// present order; returns their number. The value of the last one is found digit by digit.
    private func keepLeast(of run: Range<Int>, _ wanted: Int) -> Int {
        let items = items.items
        if run.count < 4 * wanted + 256 { return run.count }
        var left = wanted, low: UInt64 = 0, bits: UInt64 = 64
        withUnsafeTemporaryAllocation(of: Int.self, capacity: 2048) { counts in
            while bits > 0 {
                let step = min(bits, 11), shift = bits - step
                counts.initialize(repeating: 0)
                for place in run where bits == 64 || items[place].word >> bits == low >> bits {
                    counts[Int(truncatingIfNeeded: items[place].word >> shift) & (1 << Int(step) - 1)] += 1
                }
                var digit = 0
                while counts[digit] < left {
                    left -= counts[digit]
                    digit += 1
                }
                low |= UInt64(digit) << shift
                bits = shift
                if counts[digit] <= wanted + 256 { break }
            }
        }
        let greatest = bits == 64 ? ~0 : low | ((1 << bits) - 1)
        var kept = run.lowerBound
        for place in run where items[place].word <= greatest {
            items[kept] = items[place]
            kept += 1
        }
        return kept - run.lowerBound
    }
}

/// A text to sort by, in place.
///
/// Safe throughout: the creator passes the number of bytes and keeps them valid; no read goes past them.
struct SortText: BitwiseCopyable {
    var start: UnsafeRawPointer
    var count: Int

    /// Number of bytes from a depth on, capped: 9 stands for more than 8.
    @inline(__always) func left(_ depth: Int) -> Int { min(9, max(0, count &- depth)) }

    /// Eight bytes from a depth on as a big-endian number, padded with zeros.
    @inline(__always) func word(_ depth: Int) -> UInt64 {
        let left = count &- depth
        if left >= 8 { return UInt64(bigEndian: start.loadUnaligned(fromByteOffset: depth, as: UInt64.self)) }
        if left <= 0 { return 0 }
        let dropped = UInt64(truncatingIfNeeded: 8 &- left) &* 8
        if count >= 8 { return UInt64(bigEndian: start.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)) &<< dropped }
        var word: UInt64 = 0
        for offset in depth..<count { word = word &<< 8 | UInt64(start.load(fromByteOffset: offset, as: UInt8.self)) }
        return word &<< dropped
    }
}
