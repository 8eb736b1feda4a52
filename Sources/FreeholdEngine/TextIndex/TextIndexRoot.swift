/// The sums of one field over all documents.
struct TextFieldSums: Equatable, Sendable {
    /// The documents with a word in the field.
    var documents: Int
    /// The words of these.
    var words: Int

    /// Whether there can be such documents: each has a word at least.
    var isPossible: Bool { documents >= 0 && documents <= words && words <= 1 << 62 && (documents == 0) == (words == 0) }
}

/// What a merge has not read of its inputs: all entries from (term, tag, object) on.
///
/// Entries of both signs move together, in the order (term, field and class, object): so what the output has of an object is
/// always the whole sum of the inputs. The tag has no sign.
struct MergePosition: Equatable, Sendable {
    var term: [UInt8]
    var tag: EntryTag
    var object: Int64

    /// The key at which the entries of a sign go on.
    func key(cancels: Bool) -> [UInt8] { EntryKey.bytes(term, cancels ? tag.canceling : tag) }
}

/// A merge of neighbouring runs that is under way.
struct TextMerge: Equatable, Sendable {
    /// Its inputs among the runs.
    var inputs: Range<Int>
    /// What is summed so far; null while nothing is.
    var output: BlockReference
    /// Nil before the first entry.
    var position: MergePosition?
}

/// The part of a derived root that a full-text index has: its runs, the merges of them, and the sums of its fields.
///
/// 1. Runs are in the order of the commits that made them, the newest first; none is null.
/// 2. Merges are in ascending order of their inputs; these are two neighbouring runs or more, each in one merge only.
/// 3. Runs and outputs are at most `maximumTrees`.
struct TextIndexRoot: Equatable, Sendable {
    /// The tree of lengths; null for none.
    var lengths = BlockReference.null
    var merges: [TextMerge] = []
    var runs: [BlockReference] = []
    var fields: [TextFieldSums]

    static let maximumTrees = 64
    static let maximumMerges = 16
    /// The runs and outputs beyond which a commit merges on.
    static let manyTrees = 56

    /// An index without documents.
    init(fields: Int) {
        precondition((1...EntryTag.fieldLimit).contains(fields), "a full-text index has 1…16 fields")
        self.fields = Array(repeating: TextFieldSums(documents: 0, words: 0), count: fields)
    }

    /// The number of runs and outputs.
    var treeCount: Int { runs.count + merges.count { !$0.output.isNull } }

    /// The merge that has a run among its inputs.
    func merge(ofRun run: Int) -> TextMerge? { merges.first { $0.inputs.contains(run) } }

    /// Puts a run before all others.
    mutating func add(_ run: BlockReference) {
        assert(!run.isNull, "an empty run (1)")
        runs.insert(run, at: 0)
        for place in merges.indices {
            let inputs = merges[place].inputs
            merges[place].inputs = inputs.lowerBound + 1..<inputs.upperBound + 1
        }
    }

    /// Begins a merge of neighbouring runs.
    mutating func begin(_ inputs: Range<Int>) {
        assert(inputs.count > 1 && inputs.upperBound <= runs.count, "inputs \(inputs) of \(runs.count) runs (2)")
        assert(merges.allSatisfy { !$0.inputs.overlaps(inputs) }, "inputs \(inputs) are in another merge (2)")
        let place = merges.firstIndex { $0.inputs.lowerBound > inputs.lowerBound } ?? merges.count
        merges.insert(TextMerge(inputs: inputs, output: .null, position: nil), at: place)
    }

    /// Replaces the inputs of a merge that has read all of them by its output, which is null if nothing is left of them.
    mutating func finish(_ number: Int) {
        let merge = merges.remove(at: number)
        let outputs = merge.output.isNull ? [] : [merge.output]
        runs.replaceSubrange(merge.inputs, with: outputs)
        for place in number..<merges.count {
            let inputs = merges[place].inputs, shift = merge.inputs.count - outputs.count
            merges[place].inputs = inputs.lowerBound - shift..<inputs.upperBound - shift
        }
    }
}
