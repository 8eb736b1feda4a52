/// Entries of the elements of lists.
///
/// Safe throughout: bytes of keys are copied, or not changed, before the call that takes them returns.
extension PendingChange {
    /// So many entries are read in the time of a search.
    private static let entriesOfSearch = 4

    /// Whether an object was created in the open epoch, so that nobody knows of it.
    func isCreatedUnsent(_ object: Int64) throws(FreeholdError) -> Bool {
        guard let known = try trees.creation(of: object, ByteBuffer(capacity: 32), in: access) else { return false }
        return isUnsent(known.origin)
    }

    /// Reads what is pending of some of a list's elements, of one act: at least the entries that name one of them.
    ///
    /// - Parameter identities: disjoint and ascending.
    func load(_ act: SyncChange.Act, _ identities: [ClosedRange<UInt64>], of object: Int64, _ property: UInt32,
              into notes: inout ElementNotes) throws(FreeholdError) {
        if trees.changes.isNull || identities.isEmpty { return }
        let key = ByteBuffer(capacity: 64), tree = OrderedIndex(root: trees.changes, access: access)
        func setPrefix() {
            key.setChange(.element, of: object, property)
            key.append(act.rawValue)
        }
        setPrefix()
        let all = try tree.ranks(prefix: key.bytes)
        if identities.count * Self.entriesOfSearch >= all.count { return try load(0...UInt64.max, all, tree, into: &notes) }
        for range in identities {
            setPrefix()
            key.append(big: range.lowerBound)
            // Every entry that begins with this element is before the key.
            key.append(big: UInt64.max)
            let behind = try tree.rank(of: IndexKey(key.bytes), behind: true)
            try load(range, min(max(all.lowerBound, behind - 1), all.upperBound)..<all.upperBound, tree, into: &notes)
        }
    }

    /// Reads entries up to the last one that begins in a range.
    private func load(_ range: ClosedRange<UInt64>, _ ranks: Range<Int>, _ tree: OrderedIndex,
                      into notes: inout ElementNotes) throws(FreeholdError) {
        var cursor = IndexCursor(tree, ranks: ranks), key: [UInt8] = []
        while try cursor.next() {
            try cursor.copyKey(into: &key)
            guard let entry = PendingKey.entry(key, posting: cursor.objectKey.rawValue), case .element(_, let change) = entry.what else {
                throw PendingTrees.damaged("a pending change", access)
            }
            if change.first.rawValue > range.upperBound { return }
            if change.last.rawValue >= range.lowerBound { notes.load(change, entry.stamp, entry.origin) }
        }
    }

    /// Reads what is pending beside positions of a list.
    ///
    /// - Parameter positions: disjoint and ascending.
    func load(beside positions: [ClosedRange<UInt64>], of object: Int64, _ property: UInt32,
              into notes: inout ElementNotes) throws(FreeholdError) {
        if positions.isEmpty { return }
        let next = positions.compactMap { $0.upperBound < .max ? $0.upperBound + 1...$0.upperBound + 1 : nil }
        try load(.inserted, next, of: object, property, into: &notes)
        if trees.neighbours.isNull { return }
        var found: [SyncChange.Act: [ClosedRange<UInt64>]] = [:], bytes: [UInt8] = []
        let key = ByteBuffer(capacity: PendingNeighbours.keyBytes), tree = OrderedIndex(root: trees.neighbours, access: access)
        key.setList(of: object, property)
        let all = try tree.ranks(prefix: key.bytes)
        for range in positions where !all.isEmpty {
            key.setList(of: object, property)
            key.append(big: range.lowerBound)
            let start = try tree.rank(of: IndexKey(key.bytes), behind: false)
            var cursor = IndexCursor(tree, ranks: min(start, all.upperBound)..<all.upperBound)
            while try cursor.next() {
                try cursor.copyKey(into: &bytes)
                guard let (position, act) = PendingNeighbours.key(bytes) else {
                    throw PendingTrees.damaged("the neighbour of a pending element", access)
                }
                if position > range.upperBound { break }
                let first = UInt64(bitPattern: cursor.objectKey.rawValue)
                found[act, default: []].append(first...first)
            }
        }
        for (act, entries) in found { try load(act, entries.joined(), of: object, property, into: &notes) }
    }

    /// Writes what is pending of a list's elements: removes entries that are not true any more, and adds those that there were not.
    func write(_ notes: ElementNotes, of object: Int64, _ property: UInt32) throws(FreeholdError) {
        func entry(_ note: ElementNotes.Note) -> PendingEntry {
            PendingEntry(key: object, what: .element(property, note.change), stamp: note.stamp, origin: note.origin)
        }
        for note in notes.dropped { remove(entry(note)) }
        for note in notes.added { try insert(entry(note)) }
    }
}
