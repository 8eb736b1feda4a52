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
        let least: UInt16
    }

    private let shape: SignShape
    // Safe (all exclusivity below): one thread uses the distances, and nothing here re-enters them.
    @exclusivity(unchecked) private var groups: [Group] = []
    @exclusivity(unchecked) private var distances: UnsafeMutablePointer<UInt16>
    @exclusivity(unchecked) private var count = 0
    @exclusivity(unchecked) private var capacity = 4096
    /// The number of rows with each distance.
    @exclusivity(unchecked) private var counts: [UInt32]

    init(_ shape: SignShape) {
        self.shape = shape
        counts = Array(repeating: 0, count: shape.bits + 1)
        distances = .allocate(capacity: capacity)
    }

    deinit { distances.deallocate() }

    /// Measures rows of a group; groups ascend.
    func add(_ group: SignTree.Group, _ chosen: UInt64, from wanted: [UInt64]) {
        precondition(wanted.count == shape.words, "a row of the shape")
        if chosen == 0 { return }
        if capacity - count < 64 { grow() }
        let target = distances + count, rowBytes = shape.words * 8
        var least = UInt32.max
        if chosen == group.present {
            count += chosen.nonzeroBitCount
            least = freehold_kernel_hamming(group.rows, chosen.nonzeroBitCount, shape.words, wanted, target, &counts)
        } else {
            var left = chosen
            while left != 0 {
                let row = (group.present & (left & (0 &- left) &- 1)).nonzeroBitCount
                least = min(least, freehold_kernel_hamming(group.rows + row * rowBytes, 1, shape.words, wanted, distances + count, &counts))
                count += 1
                left &= left - 1
            }
        }
        groups.append(Group(number: group.number, chosen: chosen, least: UInt16(least)))
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
