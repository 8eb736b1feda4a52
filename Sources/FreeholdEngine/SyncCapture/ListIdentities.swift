/// The identities of one list's elements, as its parts in tree 62,004, and how they change.
///
/// 1. Parts are in the order of their labels, and so of the list. A changed part keeps its label; new ones get labels between their
///    neighbours', and if there are none left, all parts get new ones.
/// 2. Parts that no edit concerns are not decoded.
struct ListIdentities {
    struct Part {
        let label: UInt64
        /// The bytes of its runs, in its key.
        let key: [UInt8]
        let start: Int
        let count: Int

        var end: Int { start + count }
        var runs: [IdentityRun]? { IdentityChunk.runs(key[IdentityKey.partHead...]) }
    }

    /// Elements of the old list, and those that replace them.
    struct Edit {
        var old: Range<Int>
        var runs: [IdentityRun]
    }

    /// A part of the new list: one of the old list that stays, or bytes.
    private enum Made {
        case old(Part)
        case new(bytes: [UInt8], count: Int, label: UInt64?)
    }

    let parts: [Part]
    /// The part that was decoded last.
    private var decoded: (index: Int, runs: [IdentityRun])?

    private static let firstLabel: UInt64 = 1 << 63, stride: UInt64 = 1 << 32

    init(parts: [Part]) { self.parts = parts }

    /// How many elements they are.
    var count: Int { parts.last?.end ?? 0 }

    /// The identities of some elements.
    mutating func runs(_ range: Range<Int>) throws(FreeholdError) -> [IdentityRun] {
        var found: [IdentityRun] = []
        if range.isEmpty { return found }
        var index = part(at: range.lowerBound)
        while index < parts.count, parts[index].start < range.upperBound {
            var start = parts[index].start
            for run in try runs(ofPart: index) {
                let low = max(range.lowerBound, start), high = min(range.upperBound, start + run.count)
                if low < high { found.append(joining: run.part(low - start..<high - start)) }
                start += run.count
            }
            index += 1
        }
        return found
    }

    /// The position of one element; none outside of the list.
    mutating func position(at index: Int) throws(FreeholdError) -> SyncIdentity {
        guard index >= 0, index < count else { return .none }
        return try runs(index..<index + 1).first?.position ?? .none
    }

    private mutating func runs(ofPart index: Int) throws(FreeholdError) -> [IdentityRun] {
        if let decoded, decoded.index == index { return decoded.runs }
        guard let runs = parts[index].runs, runs.elements == parts[index].count else { throw Self.damaged() }
        decoded = (index, runs)
        return runs
    }

    /// The part that has an element, or ends with it.
    private func part(at position: Int) -> Int {
        var low = 0, high = parts.count - 1
        while low < high {
            let middle = (low + high) / 2
            if parts[middle].end > position { high = middle } else { low = middle + 1 }
        }
        return max(0, low)
    }

    static func damaged() -> FreeholdError {
        FreeholdError(.corrupt, "the identities of a list's elements differ from the list; run `freehold check`")
    }

    // MARK: Changing

    /// Replaces elements. Edits ascend and do not touch one another's elements.
    ///
    /// - Returns: keys of parts that go, and those that come, with the number of their elements.
    mutating func applying(_ edits: [Edit], head: [UInt8]) throws(FreeholdError) -> (gone: [Part], new: [(key: [UInt8], count: Int)]) {
        var made: [Made] = [], next = 0, edit = 0
        while edit < edits.count {
            let lowest = parts.isEmpty ? 0 : part(touching: edits[edit].old.lowerBound)
            while next < lowest {
                made.append(.old(parts[next]))
                next += 1
            }
            var group: [Edit] = [], end = next
            repeat {
                group.append(edits[edit])
                while end < parts.count, end == next || parts[end].start < edits[edit].old.upperBound { end += 1 }
                edit += 1
            } while edit < edits.count && end > next && edits[edit].old.lowerBound <= parts[end - 1].end
            var runs = try edited(next..<end, group)
            var bytes = Self.encoded(runs)
            while end < parts.count, edit == edits.count || edits[edit].old.lowerBound > parts[end].end,
                  bytes.reduce(0, { $0 + $1.bytes.count }) < IdentityChunk.smallBytes {
                for run in try self.runs(ofPart: end) { runs.append(joining: run) }
                end += 1
                bytes = Self.encoded(runs)
            }
            for (index, piece) in bytes.enumerated() {
                made.append(.new(bytes: piece.bytes, count: piece.count, label: next + index < end ? parts[next + index].label : nil))
            }
            next = end
        }
        while next < parts.count {
            made.append(.old(parts[next]))
            next += 1
        }
        return finished(made, head)
    }

    /// The identities of the whole list after edits.
    mutating func runs(after edits: [Edit]) throws(FreeholdError) -> [IdentityRun] { try edited(0..<parts.count, edits) }

    /// The part that an edit at a position begins in: of two that meet there, the first.
    private func part(touching position: Int) -> Int {
        let found = part(at: position)
        return found > 0 && parts[found].start >= position ? found - 1 : found
    }

    /// The runs of some parts after edits.
    private mutating func edited(_ indices: Range<Int>, _ edits: [Edit]) throws(FreeholdError) -> [IdentityRun] {
        var made: [IdentityRun] = []
        var position = indices.isEmpty ? 0 : parts[indices.lowerBound].start
        for edit in edits {
            for run in try runs(position..<max(position, edit.old.lowerBound)) { made.append(joining: run) }
            for run in edit.runs { made.append(joining: run) }
            position = max(position, edit.old.upperBound)
        }
        let end = indices.isEmpty ? 0 : parts[indices.upperBound - 1].end
        for run in try runs(position..<max(position, end)) { made.append(joining: run) }
        return made
    }

    /// The bytes of parts, of about the same size, with the numbers of their elements.
    private static func encoded(_ runs: [IdentityRun]) -> [(bytes: [UInt8], count: Int)] {
        var sizes: [Int] = [], expected: UInt64 = 0, scratch: [UInt8] = []
        for run in runs {
            scratch.removeAll(keepingCapacity: true)
            IdentityChunk.append(run, &expected, to: &scratch)
            sizes.append(scratch.count)
        }
        let total = sizes.reduce(0, +)
        let pieces = (total + IdentityChunk.maximumBytes - 1) / IdentityChunk.maximumBytes
        var made: [(bytes: [UInt8], count: Int)] = [], bytes: [UInt8] = [], count = 0, written = 0
        expected = 0
        for (run, size) in zip(runs, sizes) {
            // The first run of a part takes a few bytes more than counted: it begins at 0.
            IdentityChunk.append(run, &expected, to: &bytes)
            count += run.count
            written += size
            if written * pieces >= total * (made.count + 1) {
                made.append((bytes, count))
                (bytes, count, expected) = ([], 0, 0)
            }
        }
        return made
    }

    /// Gives labels to the parts that have none.
    private func finished(_ made: [Made], _ head: [UInt8]) -> (gone: [Part], new: [(key: [UInt8], count: Int)]) {
        var labels = [UInt64?](repeating: nil, count: made.count)
        for (index, part) in made.enumerated() {
            switch part {
            case .old(let part): labels[index] = part.label
            case .new(_, _, let label): labels[index] = label
            }
        }
        if !Self.fill(&labels) { for index in labels.indices { labels[index] = Self.firstLabel + UInt64(index) * Self.stride } }
        var new: [(key: [UInt8], count: Int)] = [], kept: Set<UInt64> = []
        for (index, part) in made.enumerated() {
            let label = labels[index] ?? 0
            switch part {
            case .old(let part) where part.label == label: kept.insert(label)
            case .old(let part): new.append((IdentityKey.part(head, label, part.key[IdentityKey.partHead...]), part.count))
            case .new(let bytes, let count, _): new.append((IdentityKey.part(head, label, bytes[...]), count))
            }
        }
        return (parts.filter { !kept.contains($0.label) }, new)
    }

    /// Labels between those that there are; false if there is no room.
    private static func fill(_ labels: inout [UInt64?]) -> Bool {
        var index = 0
        while index < labels.count {
            if labels[index] != nil {
                index += 1
                continue
            }
            var end = index
            while end < labels.count, labels[end] == nil { end += 1 }
            let missing = UInt64(end - index), before = index > 0 ? labels[index - 1] : nil
            let after = end < labels.count ? labels[end] : nil
            let first: UInt64, step: UInt64
            switch (before, after) {
            case (nil, nil): (first, step) = (firstLabel, stride)
            case (let low?, nil):
                guard (UInt64.max - low) / stride > missing else { return false }
                (first, step) = (low + stride, stride)
            case (nil, let high?):
                guard high / stride > missing else { return false }
                (first, step) = (high - missing * stride, stride)
            case (let low?, let high?):
                step = (high - low) / (missing + 1)
                if step == 0 { return false }
                first = low + step
            }
            for offset in 0..<(end - index) { labels[index + offset] = first + UInt64(offset) * step }
            index = end
        }
        return true
    }
}
