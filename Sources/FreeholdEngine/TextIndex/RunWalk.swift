/// Walks runs side by side in the order of merges: by term, by field and class, by object; the entries of both signs of one
/// term, field and class together.
///
/// ```swift
/// let walk = try RunWalk(runs, from: runs.map { _ in position })
/// while try walk.nextEntry() {
///     while try walk.union.next() { … walk.term, walk.tag, walk.union.object, walk.union.sum … }
/// }
/// ```
///
/// Safe throughout: each slot of `memory` holds a term and eight zero bytes behind it; the last one is that of the walk.
final class RunWalk {
    private struct Input {
        /// On the first posting of a key whose term comes after those that were walked.
        var cursor: IndexCursor
        /// The term's first eight bytes as a number, and its length.
        var prefix: UInt64 = 0
        var length = 0
        var tag = EntryTag(byte: 0)
    }

    /// The postings of one key of the present term in one input.
    private struct Part {
        let tag: EntryTag
        let cursor: IndexCursor
    }

    private static let slotBytes = 80

    private let memory: UnsafeMutableRawPointer
    private let slot: Int
    // Safe (all exclusivity below): one thread uses the walk, and nothing here re-enters it.
    @exclusivity(unchecked) private var inputs: [Input] = []
    /// Where each input began, until the first term is passed; then empty.
    @exclusivity(unchecked) private var positions: [MergePosition?] = []
    @exclusivity(unchecked) private var parts: [Part] = []
    @exclusivity(unchecked) private var nextPart = 0
    @exclusivity(unchecked) private var length = 0
    /// The field and class of the present entry; without a sign.
    @exclusivity(unchecked) private(set) var tag = EntryTag(byte: 0)
    /// The objects of the present entry; a sum is the number of entries less the number of those that cancel.
    @exclusivity(unchecked) var union = SignedUnion()

    /// The term of the present entry, until the next call of `nextEntry`.
    var term: IndexKey { IndexKey(start: UnsafeRawPointer(memory) + slot, count: length) }

    /// - Parameter positions: for each run what is passed: all before it; nil for nothing.
    init(_ runs: [OrderedIndex], from positions: [MergePosition?]) throws(FreeholdError) {
        slot = runs.count * Self.slotBytes
        memory = .allocate(byteCount: slot + Self.slotBytes, alignment: 8)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: slot + Self.slotBytes)
        for (run, position) in zip(runs, positions) where !run.root.isNull {
            var cursor = try run.cursor()
            let start = position.map { EntryKey.bytes($0.term, EntryTag(byte: 0)) } ?? []
            let isOpen = try start.span.bytes.withUnsafeBytes { bytes throws(FreeholdError) in try cursor.seek(toKey: IndexKey(bytes)) }
            guard isOpen else { continue }
            inputs.append(Input(cursor: cursor))
            self.positions.append(position)
            try load(inputs.count - 1)
        }
        if self.positions.allSatisfy({ $0 == nil }) { self.positions = [] }
    }

    deinit { memory.deallocate() }

    /// Moves to the next entry; false after the last.
    func nextEntry() throws(FreeholdError) -> Bool {
        while nextPart == parts.count {
            guard try gather() else { return false }
        }
        tag = parts[nextPart].tag.unsigned
        union.removeAll()
        while nextPart < parts.count, parts[nextPart].tag.unsigned == tag {
            union.add(parts[nextPart].cursor, weight: parts[nextPart].tag.cancels ? -1 : 1)
            nextPart += 1
        }
        return true
    }

    /// What is left, from the next object of the present entry on; nil if the entry has none.
    var position: MergePosition? {
        union.upcoming.map { MergePosition(term: Array(UnsafeRawBufferPointer(start: term.start, count: length)), tag: tag, object: $0) }
    }

    /// Gathers the entries of the lowest term of all inputs.
    private func gather() throws(FreeholdError) -> Bool {
        parts.removeAll(keepingCapacity: true)
        nextPart = 0
        guard var lowest = inputs.indices.first else { return false }
        for place in inputs.indices.dropFirst() where order(place, lowest) < 0 { lowest = place }
        length = inputs[lowest].length
        (memory + slot).copyMemory(from: memory + lowest * Self.slotBytes, byteCount: length + 8)
        let prefix = inputs[lowest].prefix
        for place in inputs.indices.reversed() {
            while inputs[place].prefix == prefix, inputs[place].length == length, length <= 8 || termOf(place).order(term) == 0 {
                let start = inputs[place].cursor, hasNext = try inputs[place].cursor.nextKey()
                let part = Part(tag: inputs[place].tag, cursor: start.ending(at: inputs[place].cursor.rank))
                if let part = positions.isEmpty ? part : try rest(of: part, from: positions[place]) { parts.append(part) }
                guard hasNext else {
                    removeInput(place)
                    break
                }
                let last = inputs[place].tag
                try load(place)
                try requireAscending(place, after: last)
            }
        }
        if parts.count > 1 { parts.sort { $0.tag.unsigned.byte < $1.tag.unsigned.byte } }
        return true
    }

    /// The slot of an input is that of its place, so the last one moves into a gap.
    private func removeInput(_ place: Int) {
        let last = inputs.count - 1
        if place != last {
            (memory + place * Self.slotBytes).copyMemory(from: memory + last * Self.slotBytes, byteCount: Self.slotBytes)
            inputs[place] = inputs[last]
            if !positions.isEmpty { positions[place] = positions[last] }
        }
        inputs.removeLast()
        if !positions.isEmpty { positions.removeLast() }
    }

    private func termOf(_ place: Int) -> IndexKey {
        IndexKey(start: UnsafeRawPointer(memory) + place * Self.slotBytes, count: inputs[place].length)
    }

    private func order(_ left: Int, _ right: Int) -> Int {
        let one = inputs[left].prefix, other = inputs[right].prefix
        return one != other ? (one < other ? -1 : 1) : termOf(left).order(termOf(right))
    }

    /// Reads the key that an input is at.
    private func load(_ place: Int) throws(FreeholdError) {
        let bytes = memory + place * Self.slotBytes
        guard let count = inputs[place].cursor.copyKey(to: bytes, limit: EntryKey.longest),
              let parts = EntryKey.parts(IndexKey(start: bytes, count: count)) else {
            throw FreeholdError(.corrupt, "a run of a full-text index has a key that is none of an entry; run `freehold check`")
        }
        (bytes + parts.termLength).storeBytes(of: 0, as: UInt64.self)
        inputs[place].length = parts.termLength
        inputs[place].tag = parts.tag
        inputs[place].prefix = UInt64(bigEndian: bytes.load(as: UInt64.self))
    }

    /// Throws if the key that an input is at is not after the one before it, of the present term and with a tag: a walk over
    /// a damaged run might never end.
    @inline(__always)
    private func requireAscending(_ place: Int, after tag: EntryTag) throws(FreeholdError) {
        let order = termOf(place).order(term)
        if order < 0 || order == 0 && inputs[place].tag.byte <= tag.byte { throw TextIndexRoot.damagedRun() }
    }

    /// What a part has from a position on; nil if nothing.
    private func rest(of part: Part, from position: MergePosition?) throws(FreeholdError) -> Part? {
        guard let position, position.term.elementsEqual(UnsafeRawBufferPointer(start: term.start, count: length)) else { return part }
        let tag = part.tag.unsigned
        if tag != position.tag { return tag.byte > position.tag.byte ? part : nil }
        var cursor = part.cursor
        return try cursor.seek(to: ObjectKey(position.object)) ? Part(tag: part.tag, cursor: cursor) : nil
    }
}
