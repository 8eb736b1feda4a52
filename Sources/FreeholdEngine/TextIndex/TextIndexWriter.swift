/// What a commit does to a full-text index: adds runs, changes lengths, and continues merges.
///
/// 1. It changes nothing but lengths, outputs and the root, and reads no run that is not merged.
/// 2. Runs and outputs stay at most `TextIndexRoot.maximumTrees`.
struct TextIndexWriter {
    private(set) var root: TextIndexRoot
    private let table: UInt32
    private let pending: PendingBlocks
    /// Merges that wait because a block of an input cannot be read, by their first input from the end; and the last error.
    private var postponed: Set<Int> = []
    private var error: FreeholdError?

    init(_ root: TextIndexRoot, table: UInt32, in pending: PendingBlocks) {
        self.root = root
        self.table = table
        self.pending = pending
    }

    /// Adds a batch of documents as a run, and merges for it. The batch is empty afterwards.
    mutating func add(_ batch: RunBatch) throws(FreeholdError) {
        let added = batch.count
        try addRun(of: batch)
        try merge(RunPlan.budget(added: added))
    }

    /// Adds a batch of documents as a run, without merging.
    mutating func addRun(of batch: RunBatch) throws(FreeholdError) {
        let run = try batch.write(table: table, in: pending)
        if !run.isNull { root.add(run) }
        try batch.applyLengths(to: &root, table: table, in: pending)
    }

    /// Merges about `budget` postings, and on while there are too many runs.
    mutating func merge(_ budget: Int) throws(FreeholdError) {
        var left = budget
        while true {
            let sizes = try sizes()
            while root.merges.count < TextIndexRoot.maximumMerges, let window = RunPlan.next(sizes, busy: root.merges.map(\.inputs)) {
                root.begin(window)
            }
            let isForced = root.treeCount > TextIndexRoot.manyTrees
            guard left > 0 || isForced else { return }
            if let number = try next(sizes) {
                left -= try step(number, limit: max(left, isForced ? RunPlan.budget(added: 0) : 1))
            } else if isForced, root.merges.count < TextIndexRoot.maximumMerges,
                      let window = RunPlan.forced(sizes, busy: root.merges.map(\.inputs)) {
                root.begin(window)
            } else if root.treeCount > TextIndexRoot.maximumTrees, let error {
                throw error
            } else {
                return
            }
        }
    }

    /// Merges about `budget` postings towards one run. Returns whether one is left.
    mutating func compact(_ budget: Int) throws(FreeholdError) -> Bool {
        var left = budget
        while root.runs.count > 1 {
            let sizes = try sizes()
            if let number = try next(sizes) {
                if left <= 0 { return false }
                left -= try step(number, limit: left)
            } else {
                guard let window = RunPlan.compacting(sizes.count, busy: root.merges.map(\.inputs)) else { break }
                root.begin(window)
            }
        }
        if let error { throw error }
        return root.runs.count <= 1
    }

    /// The number of postings of each run.
    private func sizes() throws(FreeholdError) -> [Int] {
        var sizes: [Int] = []
        for run in root.runs { sizes.append(try OrderedIndex(root: run, access: pending.access).count()) }
        return sizes
    }

    /// The merge with the least left, of those that are not postponed.
    private func next(_ sizes: [Int]) throws(FreeholdError) -> Int? {
        var best: Int?, least = Int.max
        for (number, merge) in root.merges.enumerated() where !postponed.contains(root.runs.count - merge.inputs.lowerBound) {
            var left = sizes[merge.inputs].reduce(0, +)
            if let position = merge.position {
                let key = position.key(cancels: false)
                for run in root.runs[merge.inputs] {
                    let index = OrderedIndex(root: run, access: pending.access)
                    // Safe: the pointer is used within the call.
                    left -= try key.span.bytes.withUnsafeBytes { bytes throws(FreeholdError) in
                        try index.rank(of: IndexKey(bytes), position.object).before
                    }
                }
            }
            if left < least { (best, least) = (number, left) }
        }
        return best
    }

    /// Continues a merge; postpones it, and returns 0, if a block of an input cannot be read.
    private mutating func step(_ number: Int, limit: Int) throws(FreeholdError) -> Int {
        let step: RunMerge
        do {
            step = try RunMerge(root, merge: number, limit: limit, pending.access)
        } catch {
            guard error.code == .corrupt else { throw error }
            self.error = error
            postponed.insert(root.runs.count - root.merges[number].inputs.lowerBound)
            return 0
        }
        try step.apply(to: &root, merge: number, table: table, in: pending)
        return step.read
    }
}
