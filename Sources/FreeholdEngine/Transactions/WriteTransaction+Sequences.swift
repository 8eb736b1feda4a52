/// Numbers that a class counts by name, beside the keys of its objects.
extension WriteTransaction {
    /// The next number of a sequence of the class: 1 at first, then always one more than the last.
    ///
    /// ```swift
    /// let number = try transaction.next("invoice", of: invoices)
    /// ```
    /// No two committed transactions, of any process, give the same number, and none is left out: what a transaction or savepoint that
    /// is rolled back gave, or one whose commit a crash undid, is given again. Deleting objects gives no numbers back. Sequences stay with
    /// the class when it is renamed, and end with it. A sequence begins when its first number is asked for.
    /// Classes that extend one another have their sequences in common.
    ///
    /// - Throws: `.invalidArgument` for an empty name or one of more than 63 bytes, and for more than 64 sequences of one class;
    ///   `.valueTooLarge` behind the last integer.
    public func next(_ sequence: String, of table: Table) throws(FreeholdError) -> Int64 {
        let last = table.lastNumber(of: sequence) ?? 0
        guard last < .max else {
            throw FreeholdError(.valueTooLarge, "sequence '\(sequence)' of class '\(table.schema.name)' has reached its maximum")
        }
        try set(sequence, of: table, toLast: last + 1)
        return last + 1
    }

    /// Makes a sequence continue after `last`, whether it has given that number or not: to begin elsewhere than at 1,
    /// or to skip numbers.
    ///
    /// - Throws: as `next`; `.invalidArgument` also for a number below the last one given, which would be given twice.
    public func set(_ sequence: String, of table: Table, toLast last: Int64) throws(FreeholdError) {
        let writer = try own(table)
        guard (1...TableRoot.maximumSequenceName).contains(sequence.utf8.count) else {
            throw FreeholdError(.invalidArgument, "a sequence's name has 1 to \(TableRoot.maximumSequenceName) bytes; '\(sequence)' has "
                + "\(sequence.utf8.count)")
        }
        try writer.open(keepingRows: true)
        guard let place = writer.state.root.sequences.firstIndex(where: { $0.name.isSame(as: sequence) }) else {
            guard writer.state.root.sequences.count < TableRoot.maximumSequences else {
                throw FreeholdError(.invalidArgument, "class '\(writer.stored.name)' has \(TableRoot.maximumSequences) sequences, and no "
                    + "class has more")
            }
            return writer.state.root.sequences.append((sequence, last))
        }
        guard last >= writer.state.root.sequences[place].last else {
            throw FreeholdError(.invalidArgument, "sequence '\(sequence)' of class '\(writer.stored.name)' has given "
                + "\(writer.state.root.sequences[place].last) already; it cannot go back to \(last)")
        }
        writer.state.root.sequences[place].last = last
    }

    /// Continues counting keys and sequences where the source did.
    func takeCounters(of stored: StoredClass, from root: TableRoot) throws(FreeholdError) {
        let writer = try writer(Int(stored.number))
        guard writer.state.root.nextKey < root.nextKey || !root.sequences.isEmpty else { return }
        try writer.open()
        writer.state.root.nextKey = max(writer.state.root.nextKey, root.nextKey)
        writer.state.root.sequences = root.sequences
    }
}

extension Table {
    /// The last number that a sequence of the class has given; nil if it has given none.
    public func lastNumber(of sequence: String) -> Int64? { state.root.sequences.first { $0.name.isSame(as: sequence) }?.last }

    /// The names of the class's sequences, in the order in which they began.
    public var sequences: [String] { state.root.sequences.map(\.name) }
}
