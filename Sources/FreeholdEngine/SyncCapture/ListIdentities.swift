/// The identities of one list's elements, as its parts in tree 62,004, and how they change.
///
/// 1. Parts are in the order of their labels, and so of the list. A changed part keeps its label; new ones get labels between their
///    neighbours', and if there are none left, all parts get new ones.
/// 2. Of parts that no edit concerns only the numbers of elements are read.
struct ListIdentities {
    struct Part {
        let label: UInt64
        /// The bytes of its runs, in its key.
        let key: [UInt8]
        let count: Int

        init(_ key: [UInt8], _ count: Int) {
            (self.key, self.count) = (key, count)
            label = IdentityKey.word(key, IdentityKey.listHead, 8)
        }

        var runs: [IdentityRun]? { IdentityChunk.runs(key[IdentityKey.partHead...]) }
    }

    /// Where the keys of parts are.
    private enum Keys {
        case all([[UInt8]])
        /// In a tree, from a rank on.
        case tree(OrderedIndex, rank: Int)
    }

    /// Elements of the old list, and those that replace them.
    struct Edit {
        var old: Range<Int>
        var runs: [IdentityRun]
    }

    /// Parts of the old list, and the bytes that replace them.
    private struct Replacement {
        let parts: Range<Int>
        let pieces: [Piece]
    }

    /// The key of a new part, and how many elements it has.
    typealias NewPart = (key: [UInt8], count: Int)

    /// The bytes of a new part, and how many elements they are.
    private typealias Piece = (bytes: [UInt8], count: Int)

    private let keys: Keys
    /// Where each part ends, in elements.
    private let ends: [Int]
    /// The parts that were decoded last.
    private var decoded: [(index: Int, runs: [IdentityRun])] = []

    /// The label of the first part of a list that had none.
    static let firstLabel: UInt64 = 1 << 63
    private static let stride: UInt64 = 1 << 32, maximumDecoded = 4

    init(parts: [Part]) {
        keys = .all(parts.map(\.key))
        var end = 0
        ends = parts.map { part in
            end += part.count
            return end
        }
    }

    /// The list of consecutive entries of a tree.
    init(_ tree: OrderedIndex, _ ranks: Range<Int>) throws(FreeholdError) {
        keys = .tree(tree, rank: ranks.lowerBound)
        var cursor = IndexCursor(tree, ranks: ranks), ends: [Int] = [], end = 0
        while try cursor.next() {
            let count = cursor.objectKey.rawValue
            guard Self.isPossible(count), end <= 1 << 60 else { throw Self.damaged() }
            end += Int(count)
            ends.append(end)
        }
        guard ends.count == ranks.count else { throw Self.damaged() }
        self.ends = ends
    }

    /// Whether a part can have so many elements.
    static func isPossible(_ count: Int64) -> Bool { count > 0 && count <= Int64(SyncIdentity.maximumCount) }

    /// How many elements they are.
    var count: Int { ends.last ?? 0 }

    // Allowed: tests compare it.
    var partCount: Int { ends.count }

    private func start(of part: Int) -> Int { part > 0 ? ends[part - 1] : 0 }

    func part(_ index: Int) throws(FreeholdError) -> Part {
        let count = ends[index] - start(of: index)
        switch keys {
        case .all(let keys): return Part(keys[index], count)
        case .tree(let tree, let rank):
            var cursor = IndexCursor(tree, ranks: rank..<rank + ends.count)
            guard try cursor.move(toRank: rank + index) else { throw Self.damaged() }
            let key = try cursor.key()
            guard key.count > IdentityKey.partHead else { throw Self.damaged() }
            return Part(key, count)
        }
    }

    /// All parts, in their order.
    func parts() throws(FreeholdError) -> [Part] {
        var all: [Part] = []
        for index in ends.indices { all.append(try part(index)) }
        return all
    }

    /// The identities of some elements.
    mutating func runs(_ range: Range<Int>) throws(FreeholdError) -> [IdentityRun] {
        var found: [IdentityRun] = []
        if range.isEmpty { return found }
        var index = part(at: range.lowerBound)
        while index < ends.count, start(of: index) < range.upperBound {
            var start = start(of: index)
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
        if let known = decoded.first(where: { $0.index == index }) { return known.runs }
        let part = try part(index)
        guard let runs = part.runs, runs.elements == part.count else { throw Self.damaged() }
        if decoded.count == Self.maximumDecoded { decoded.removeFirst() }
        decoded.append((index, runs))
        return runs
    }

    /// The part that has an element, or ends with it.
    private func part(at position: Int) -> Int {
        var low = 0, high = ends.count - 1
        while low < high {
            let middle = (low + high) / 2
            if ends[middle] > position { high = middle } else { low = middle + 1 }
        }
        return max(0, low)
    }

    static func damaged() -> FreeholdError {
        FreeholdError(.corrupt, "the identities of a list's elements differ from the list; run `freehold check`")
    }

    // MARK: Changing

    /// Replaces elements. Edits ascend and do not touch one another's elements.
    ///
    /// - Returns: parts that go, and keys of those that come, with the number of their elements.
    mutating func applying(_ edits: [Edit], head: [UInt8]) throws(FreeholdError) -> (gone: [Part], new: [NewPart]) {
        var made: [Replacement] = [], next = 0, edit = 0
        while edit < edits.count {
            if !ends.isEmpty { next = max(next, part(touching: edits[edit].old.lowerBound)) }
            var group: [Edit] = [], end = next
            repeat {
                group.append(edits[edit])
                while end < ends.count, end == next || start(of: end) < edits[edit].old.upperBound { end += 1 }
                edit += 1
            } while edit < edits.count && end > next && edits[edit].old.lowerBound <= ends[end - 1]
            var runs = try edited(next..<end, group)
            var pieces = Self.encoded(runs)
            while end < ends.count, edit == edits.count || edits[edit].old.lowerBound > ends[end],
                  pieces.reduce(0, { $0 + $1.bytes.count }) < IdentityChunk.smallBytes {
                for run in try self.runs(ofPart: end) { runs.append(joining: run) }
                end += 1
                pieces = Self.encoded(runs)
            }
            made.append(Replacement(parts: next..<end, pieces: pieces))
            next = end
        }
        return try finished(made, head)
    }

    /// The identities after edits, of the parts that the edits concern and of so many parts on either side of them.
    mutating func window(after edits: [Edit], parts: Int, _ ages: PositionAges) throws(FreeholdError) -> ListWindow {
        guard let first = edits.first, let last = edits.last, !ends.isEmpty else {
            return ListWindow(try edited(ends.indices, edits), ages)
        }
        let low = max(0, part(touching: first.old.lowerBound) - parts), high = min(ends.count, part(at: last.old.upperBound) + 1 + parts)
        return ListWindow(try edited(low..<high, edits), hasBegin: low == 0, hasEnd: high == ends.count, ages)
    }

    /// The part that an edit at a position begins in: of two that meet there, the first.
    private func part(touching position: Int) -> Int {
        let found = part(at: position)
        return found > 0 && start(of: found) >= position ? found - 1 : found
    }

    /// The runs of some parts after edits.
    private mutating func edited(_ indices: Range<Int>, _ edits: [Edit]) throws(FreeholdError) -> [IdentityRun] {
        var made: [IdentityRun] = []
        var position = indices.isEmpty ? 0 : start(of: indices.lowerBound)
        for edit in edits {
            for run in try runs(position..<max(position, edit.old.lowerBound)) { made.append(joining: run) }
            for run in edit.runs { made.append(joining: run) }
            position = max(position, edit.old.upperBound)
        }
        let end = indices.isEmpty ? 0 : ends[indices.upperBound - 1]
        for run in try runs(position..<max(position, end)) { made.append(joining: run) }
        return made
    }

    /// The bytes of parts, of about the same size, with the numbers of their elements.
    private static func encoded(_ runs: [IdentityRun]) -> [Piece] {
        var sizes: [Int] = [], expected: UInt64 = 0, scratch: [UInt8] = []
        for run in runs {
            scratch.removeAll(keepingCapacity: true)
            IdentityChunk.append(run, &expected, to: &scratch)
            sizes.append(scratch.count)
        }
        let total = sizes.reduce(0, +)
        let pieces = (total + IdentityChunk.maximumBytes - 1) / IdentityChunk.maximumBytes
        var made: [Piece] = [], bytes: [UInt8] = [], count = 0, written = 0
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

    /// Gives labels to new parts: those of the parts that they replace, as long as there are some.
    private func finished(_ made: [Replacement], _ head: [UInt8]) throws(FreeholdError) -> (gone: [Part], new: [NewPart]) {
        var gone: [Part] = [], new: [NewPart] = []
        for one in made {
            let first = gone.count
            for index in one.parts { gone.append(try part(index)) }
            var labels: [UInt64?] = gone[first...].prefix(one.pieces.count).map(\.label)
            if labels.count < one.pieces.count {
                let kept = labels.count, isFirst = one.parts.lowerBound == 0
                labels += [UInt64?](repeating: nil, count: one.pieces.count - kept)
                if !isFirst { labels.insert(try part(one.parts.lowerBound - 1).label, at: 0) }
                if one.parts.upperBound < ends.count { labels.append(try part(one.parts.upperBound).label) }
                guard Self.fill(&labels) else { return try relabelled(made, head) }
                if !isFirst { labels.removeFirst() }
            }
            for (piece, label) in zip(one.pieces, labels) {
                new.append((IdentityKey.part(head, label ?? 0, piece.bytes[...]), piece.count))
            }
        }
        return (gone, new)
    }

    /// All parts with new labels.
    private func relabelled(_ made: [Replacement], _ head: [UInt8]) throws(FreeholdError) -> (gone: [Part], new: [NewPart]) {
        let gone = try parts()
        var new: [NewPart] = [], next = 0
        func add(_ bytes: ArraySlice<UInt8>, _ count: Int) {
            new.append((IdentityKey.part(head, Self.firstLabel + UInt64(new.count) * Self.stride, bytes), count))
        }
        for one in made + [Replacement(parts: gone.count..<gone.count, pieces: [])] {
            for part in gone[next..<one.parts.lowerBound] { add(part.key[IdentityKey.partHead...], part.count) }
            for piece in one.pieces { add(piece.bytes[...], piece.count) }
            next = one.parts.upperBound
        }
        return (gone, new)
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
