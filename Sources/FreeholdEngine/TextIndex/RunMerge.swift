/// One step of a merge: reads entries of neighbouring runs from a position on, and adds their sums to the output.
///
/// Neighbouring runs have gained and lost a posting in turns, so their entries sum to -1, 0 or 1; with the oldest run among
/// them to 0 or 1. What is read of a run stays in it until the merge ends, and readers pass what is before the position.
/// Reading changes nothing, so a step may be given up when a block cannot be read.
///
/// Safe throughout: keys are written to memory with room for the longest; the lists' pointers are used at once.
struct RunMerge {
    /// What is to be added to the output.
    private let sums = IndexOperations()
    /// The number of postings that were read.
    private(set) var read = 0
    /// Where the merge goes on; nil if all is read.
    private(set) var position: MergePosition?

    /// Reads at least one posting of `runs` and not many more than `limit`, from a position on.
    ///
    /// - Parameter hasOldest: whether the oldest run of the index is among the runs.
    init(_ runs: [OrderedIndex], from position: MergePosition?, limit: Int, hasOldest: Bool) throws(FreeholdError) {
        let walk = try RunWalk(runs, from: runs.map { _ in position })
        let key = UnsafeMutableRawPointer.allocate(byteCount: EntryKey.longest, alignment: 8)
        defer { key.deallocate() }
        var hasLost = false, unbalanced: (object: Int64, sum: Int64)?
        while try walk.nextEntry() {
            var gained: IndexOperation?, lost: IndexOperation?
            while read + walk.union.read < limit, walk.union.upcoming != nil {
                try walk.union.pass(below: .max, atMost: limit - read - walk.union.read) { object, sum in
                    switch sum {
                    case 0: return
                    case 1:
                        let operation = gained ?? spell(walk.term, walk.tag, at: key)
                        gained = operation
                        sums.extend(by: 1).pointee = operation.on(object, isRemoval: false)
                    case -1 where !hasOldest:
                        let operation = lost ?? spell(walk.term, walk.tag.canceling, at: key)
                        lost = operation
                        hasLost = true
                        sums.extend(by: 1).pointee = operation.on(object, isRemoval: false)
                    default: unbalanced = unbalanced ?? (object, sum)
                    }
                }
                if let unbalanced { throw Self.unbalanced(walk, unbalanced.object, unbalanced.sum) }
            }
            read += walk.union.read
            if let position = walk.position {
                self.position = position
                break
            }
        }
        if sums.count > 0 { sums.noteInserts() }
        // What cancels comes after all other entries of its term; without it the order of the walk is that of the keys.
        if !hasLost { sums.noteAscending() }
        assert(self.position == nil || read > 0, "a step that reads nothing")
    }

    private func spell(_ term: IndexKey, _ tag: EntryTag, at key: UnsafeMutableRawPointer) -> IndexOperation {
        sums.store(IndexKey(start: UnsafeRawPointer(key), count: EntryKey.write(term, tag, to: key)))
    }

    private static func unbalanced(_ walk: RunWalk, _ object: Int64, _ sum: Int64) -> FreeholdError {
        let term = String(decoding: UnsafeRawBufferPointer(start: walk.term.start, count: walk.term.count), as: UTF8.self)
        return FreeholdError(.corrupt, "the runs of a full-text index have the term '\(term)' \(sum) times for the object "
            + "\(object) in field \(walk.tag.field); run `freehold check`, and rebuild the index")
    }

    /// Reads about `limit` postings of the inputs of a merge.
    init(_ root: TextIndexRoot, merge number: Int, limit: Int, _ access: BlockAccess) throws(FreeholdError) {
        let merge = root.merges[number], runs = root.runs[merge.inputs].map { OrderedIndex(root: $0, access: access) }
        try self.init(runs, from: merge.position, limit: max(1, limit), hasOldest: merge.inputs.upperBound == root.runs.count)
    }

    /// Adds the sums to the merge's output, and ends the merge if all is read: then the output takes the place of the inputs,
    /// whose blocks are freed.
    func apply(to root: inout TextIndexRoot, merge number: Int, table: UInt32, in pending: PendingBlocks) throws(FreeholdError) {
        let merge = root.merges[number]
        root.merges[number].output = try OrderedIndex.apply(sums, to: merge.output, table: table, in: pending)
        root.merges[number].position = position
        if position != nil { return }
        for run in root.runs[merge.inputs] { try pending.freeTree(run) }
        root.finish(number)
    }
}
