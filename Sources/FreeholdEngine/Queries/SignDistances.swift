import CShims

/// In how many bits the rows of objects differ from the wanted row: two bytes for each object.
///
/// Safe throughout: `distances` has room for `capacity`, and a group has at most 64 rows.
final class SignDistances {
    /// Rows of one group, with the least distance among them.
    private struct Group {
        let number: Int64
        /// Which of its object keys have been measured.
        let chosen: UInt64
        var least: UInt16
    }

    /// As many rows of single groups are measured together, when their memory has come.
    private static let awaitedAtMost = 32

    private let shape: SignShape
    // Safe (all exclusivity below): one thread uses the distances, and nothing here re-enters them.
    @exclusivity(unchecked) private var groups: [Group] = []
    @exclusivity(unchecked) private var distances: UnsafeMutablePointer<UInt16>
    @exclusivity(unchecked) private var count = 0
    @exclusivity(unchecked) private var capacity = 4096
    /// Rows whose memory has been asked for, with the place of the group of each: room for `awaitedAtMost` and one group.
    private let awaited: UnsafeMutablePointer<(row: UnsafeRawPointer, group: Int)>
    @exclusivity(unchecked) private var awaitedCount = 0
    /// The number of rows with each distance.
    @exclusivity(unchecked) private var counts: [UInt32]

    init(_ shape: SignShape) {
        self.shape = shape
        counts = Array(repeating: 0, count: shape.bits + 1)
        distances = .allocate(capacity: capacity)
        awaited = .allocate(capacity: Self.awaitedAtMost + 64)
    }

    deinit {
        distances.deallocate()
        awaited.deallocate()
    }

    /// Measures rows of a group; groups ascend. Rows in place may be measured later, by `measureAwaited` at the latest.
    func add(_ group: SignTree.Group, _ chosen: UInt64, from wanted: [UInt64]) {
        precondition(wanted.count == shape.words, "a row of the shape")
        if chosen == 0 { return }
        if chosen == group.present {
            measureAwaited(from: wanted)
            if capacity - count < 64 { grow() }
            let size = chosen.nonzeroBitCount
            let least = freehold_kernel_hamming(group.rows, size, shape.words, wanted, distances + count, &counts)
            count += size
            groups.append(Group(number: group.number, chosen: chosen, least: UInt16(least)))
            return
        }
        groups.append(Group(number: group.number, chosen: chosen, least: .max))
        let rowBytes = shape.words * 8
        var left = chosen
        while left != 0 {
            let row = group.rows + (group.present & (left & (0 &- left) &- 1)).nonzeroBitCount * rowBytes
            freehold_shim_prefetch(row)
            freehold_shim_prefetch(row + rowBytes - 1)
            (awaited + awaitedCount).initialize(to: (row, groups.count - 1))
            awaitedCount += 1
            left &= left - 1
        }
        if awaitedCount >= Self.awaitedAtMost || !group.areInPlace { measureAwaited(from: wanted) }
    }

    /// Measures the rows of groups given so far: call it while the blocks of these are kept.
    func measureAwaited(from wanted: [UInt64]) {
        while capacity - count < awaitedCount { grow() }
        for place in 0..<awaitedCount {
            let (row, group) = awaited[place]
            let distance = freehold_kernel_hamming(row, 1, shape.words, wanted, distances + count, &counts)
            groups[group].least = min(groups[group].least, UInt16(distance))
            count += 1
        }
        awaitedCount = 0
    }

    private func grow() {
        let more = UnsafeMutablePointer<UInt16>.allocate(capacity: capacity * 2)
        more.update(from: distances, count: count)
        distances.deallocate()
        distances = more
        capacity *= 2
    }

    /// The number of rows with a distance in a range.
    func count(_ range: Range<Int>) -> Int { counts[range.clamped(to: counts.indices)].reduce(0) { $0 + Int($1) } }

    /// The number of rows from a distance on, of at least `size` if so many are up to another one, and the distance after theirs.
    func round(from: Int, through last: Int, size: Int) -> (count: Int, end: Int) {
        var end = from, count = 0
        while end <= last, end < counts.count, count < size {
            count += Int(counts[end])
            end += 1
        }
        return (count, end)
    }

    /// The objects with a distance in a range, by ascending keys.
    func objects(_ range: Range<Int>) -> [ObjectKey] {
        assert(awaitedCount == 0, "rows that were asked for are not measured")
        var found: [ObjectKey] = [], place = 0
        for group in groups {
            defer { place += group.chosen.nonzeroBitCount }
            if Int(group.least) >= range.upperBound { continue }
            var left = group.chosen, row = place
            while left != 0 {
                if range.contains(Int(distances[row])) { found.append(ObjectKey(shape.object(group.number, left.trailingZeroBitCount))) }
                left &= left - 1
                row += 1
            }
        }
        return found
    }
}
