/// The lengths that a commit changes, and the changes of the sums over all documents.
///
/// 1. A document is added with its words before and after; if it is added again, the later change follows the earlier one.
struct LengthChanges {
    private struct Change {
        var field: Int
        var object: Int64
        var code: UInt8
    }

    private var changes: [Change] = []
    /// How many documents more a field has, and how many words more, by field.
    private(set) var sums: [TextFieldSums]

    init(fields: Int) { sums = Array(repeating: TextFieldSums(documents: 0, words: 0), count: fields) }

    var isEmpty: Bool { changes.isEmpty && sums.allSatisfy { $0.documents == 0 && $0.words == 0 } }

    /// Records the words of a field before and after.
    mutating func add(field: Int, _ object: ObjectKey, oldWords: Int, newWords: Int) {
        if oldWords == newWords { return }
        sums[field].documents += (newWords > 0 ? 1 : 0) - (oldWords > 0 ? 1 : 0)
        sums[field].words += newWords - oldWords
        let code = TextLength.code(words: newWords)
        if code != TextLength.code(words: oldWords) { changes.append(Change(field: field, object: object.rawValue, code: code)) }
    }

    /// Applies the changes to a tree of lengths and returns its new root.
    func apply(to root: BlockReference, table: UInt32, in pending: PendingBlocks) throws(FreeholdError) -> BlockReference {
        if changes.isEmpty { return root }
        let index = OrderedIndex(root: root, access: pending.access), operations = IndexOperations()
        // The sort is stable (1).
        let sorted = changes.sorted { ($0.field, $0.object) < ($1.field, $1.object) }
        var place = 0
        while place < sorted.count {
            let field = sorted[place].field, group = LengthRow.group(of: sorted[place].object)
            let old = try LengthReader.row(in: index, field: field, group: group)
            var row = old?.row ?? LengthRow(field: field, group: group)
            while place < sorted.count, sorted[place].field == field, LengthRow.group(of: sorted[place].object) == group {
                row.set(LengthRow.place(of: sorted[place].object), sorted[place].code)
                place += 1
            }
            // Safe: the pointers are used within the calls, which copy the bytes.
            old?.key.withUnsafeBytes { operations.remove($0, ObjectKey(0)) }
            row.key?.withUnsafeBytes { operations.insert($0, ObjectKey(0)) }
        }
        return try OrderedIndex.apply(operations, to: root, table: table, in: pending)
    }
}
