/// Compares the parts of a full-text index with one another, without the documents.
///
/// Checked are: the trees; that for each term, field, class and object the signs sum to 0 or 1 over all runs, those in a
/// merge from its position on; that a merge's output has exactly the sums of its inputs before the position; and that the
/// documents with a length are those with a term, with sums that can be theirs.
struct TextIndexChecker {
    private let root: TextIndexRoot
    private let access: BlockAccess
    private(set) var problems: [String] = []
    /// The documents with a term that were met, by field and group of object keys: a bit each.
    private var met: [Place: [UInt64]] = [:]

    /// More problems are counted, not described.
    private static let mostProblems = 100

    private struct Place: Hashable {
        var field: Int
        var group: Int64
    }

    /// The faults of an index; empty if there are none.
    static func problems(_ root: TextIndexRoot, _ access: BlockAccess) -> [String] {
        var checker = TextIndexChecker(root: root, access: access)
        checker.run()
        return checker.problems
    }

    private init(root: TextIndexRoot, access: BlockAccess) {
        self.root = root
        self.access = access
    }

    private mutating func run() {
        let trees = [("lengths", root.lengths)] + root.runs.enumerated().map { ("run \($0.offset)", $0.element) }
            + root.merges.enumerated().map { ("output \($0.offset)", $0.element.output) }
        for (name, tree) in trees {
            for problem in OrderedIndex(root: tree, access: access).verify() { report("\(name), \(problem)") }
        }
        // A walk over trees out of order would report what follows from that.
        guard problems.isEmpty else { return }
        do {
            try checkSums()
            for (number, merge) in root.merges.enumerated() { try checkOutput(number, merge) }
            try checkLengths()
        } catch {
            report("\(error)")
        }
    }

    private mutating func report(_ problem: String) {
        if problems.count < Self.mostProblems { problems.append(problem) }
    }

    // MARK: entries

    private mutating func checkSums() throws(FreeholdError) {
        let parts = TermEntries(root, access).parts, walk = try RunWalk(parts.map(\.index), from: parts.map(\.position))
        while try walk.nextEntry() {
            let field = walk.tag.field
            if field >= root.fields.count { report("the term '\(Self.name(walk))' is in field \(field), of \(root.fields.count)") }
            if EntryKey.hasZero(walk.term) { report("the term '\(Self.name(walk))' has a zero byte") }
            while try walk.union.next() {
                switch walk.union.sum {
                case 0: continue
                case 1: note(walk.union.object, field)
                default:
                    let object = walk.union.object
                    report("'\(Self.name(walk))' has \(walk.union.sum) entries for object \(object) in field \(field), of 0 or 1")
                }
            }
        }
    }

    private mutating func note(_ object: Int64, _ field: Int) {
        let place = LengthRow.place(of: object)
        met[Place(field: field, group: LengthRow.group(of: object)), default: [0, 0, 0, 0]][place / 64] |= 1 << UInt64(place % 64)
    }

    private static func name(_ walk: RunWalk) -> String {
        String(decoding: UnsafeRawBufferPointer(start: walk.term.start, count: walk.term.count), as: UTF8.self)
    }

    /// Compares an output with the sums of its inputs before the position.
    private mutating func checkOutput(_ number: Int, _ merge: TextMerge) throws(FreeholdError) {
        let runs = root.runs[merge.inputs].map { OrderedIndex(root: $0, access: access) }
        var inputs = SumReader(try RunWalk(runs, from: runs.map { _ in nil }))
        var output = SumReader(try RunWalk([OrderedIndex(root: merge.output, access: access)], from: [nil]))
        while true {
            let wanted = try inputs.next(), found = try output.next(), limit = merge.position
            let isDone = wanted.map { wanted in limit.map { !wanted.isBefore($0) } ?? true } ?? true
            if isDone, found == nil { return }
            guard !isDone, let wanted, let found, wanted == found else {
                let term = String(decoding: (found ?? wanted)?.term ?? [], as: UTF8.self), object = (found ?? wanted)?.object ?? 0
                return report("output \(number) differs from its inputs at '\(term)', object \(object)")
            }
        }
    }

    // MARK: lengths

    private mutating func checkLengths() throws(FreeholdError) {
        var cursor = try OrderedIndex(root: root.lengths, access: access).cursor(), last: Place?
        var documents = root.fields.map { _ in 0 }, least = documents, most = documents
        while try cursor.next() {
            guard let row = LengthRow(key: try cursor.key()), row.field < root.fields.count, cursor.objectKey == ObjectKey(0) else {
                report("the lengths have an entry that is none")
                continue
            }
            let place = Place(field: row.field, group: row.group)
            if place == last { report("objects \(row.object(0)) to \(row.object(255)) have two rows of lengths in field \(row.field)") }
            last = place
            documents[row.field] += row.documents
            for code in row.codes where code != 0 {
                least[row.field] += TextLength.words(code)
                most[row.field] += code == 255 ? 1 << 32 : TextLength.words(code + 1) - 1
            }
            check(row, met.removeValue(forKey: place) ?? [0, 0, 0, 0])
        }
        for (place, _) in met.sorted(by: { ($0.key.field, $0.key.group) < ($1.key.field, $1.key.group) }) {
            report("objects from \(place.group << 8) on have terms in field \(place.field), and no lengths")
        }
        for (field, sums) in root.fields.enumerated() {
            if sums.documents != documents[field] { report("field \(field) counts \(sums.documents) documents of \(documents[field])") }
            if sums.words < least[field] || sums.words > most[field] {
                report("field \(field) counts \(sums.words) words; its lengths are \(least[field]) to \(most[field])")
            }
        }
    }

    /// Compares the documents of a row with those that have terms.
    private mutating func check(_ row: LengthRow, _ met: [UInt64]) {
        for place in 0..<LengthRow.keysPerRow {
            let hasTerm = met[place / 64] & 1 << UInt64(place % 64) != 0
            if hasTerm == (row.codes[place] != 0) { continue }
            report("object \(row.object(place)) has \(hasTerm ? "terms and no length" : "a length and no term") in field \(row.field)")
        }
    }
}

/// Reads the sums of a walk that are not 0, one after the other.
private struct SumReader {
    struct Sum: Equatable {
        var term: [UInt8]
        var tag: EntryTag
        var object: Int64
        var sum: Int64

        func isBefore(_ position: MergePosition) -> Bool {
            if term != position.term { return term.lexicographicallyPrecedes(position.term) }
            return (tag.byte, object) < (position.tag.byte, position.object)
        }
    }

    private let walk: RunWalk
    private var term: [UInt8] = []

    init(_ walk: RunWalk) { self.walk = walk }

    mutating func next() throws(FreeholdError) -> Sum? {
        while true {
            while try walk.union.next() {
                if walk.union.sum != 0 { return Sum(term: term, tag: walk.tag, object: walk.union.object, sum: walk.union.sum) }
            }
            guard try walk.nextEntry() else { return nil }
            term = Array(UnsafeRawBufferPointer(start: walk.term.start, count: walk.term.count))
        }
    }
}
