/// The operations of a queue at the time a savepoint was created.
///
/// Operations are mostly appended: then a mark is two numbers for each column, and a rollback to it drops those after
/// it. They are copied only before they are merged.
final class IndexQueueMark {
    fileprivate let counts: [(plain: IndexOperations.Mark?, numbered: Int)]
    /// Previous operations of columns whose operations have been merged since.
    // Safe: one thread uses a queue and its marks.
    @exclusivity(unchecked) fileprivate var kept: [Int: (plain: IndexOperations?, numbered: NumberedOperations?)] = [:]

    fileprivate init(_ queue: IndexQueue) {
        counts = (0..<max(queue.plain.count, queue.numbered.count)).map { column in
            (column < queue.plain.count ? queue.plain[column]?.mark : nil,
             column < queue.numbered.count ? queue.numbered[column]?.count ?? 0 : 0)
        }
    }

    /// Keeps a column's operations, which are about to be merged or converted.
    func keep(_ column: Int, of queue: IndexQueue) {
        if column >= counts.count || kept[column] != nil { return }
        let plain = counts[column].plain.flatMap { mark in
            let copy = queue.plain[column]?.copy()
            copy?.truncate(to: mark)
            return copy
        }
        let count = counts[column].numbered
        let numbered = count == 0 ? nil : queue.numbered[column]?.copy()
        numbered?.truncate(to: count)
        kept[column] = (plain, numbered)
    }

    /// Takes over the operations kept for a later mark that is released: they begin with those of this mark.
    func inherit(_ later: IndexQueueMark) {
        for (column, value) in later.kept where kept[column] == nil && column < counts.count {
            let plain = counts[column].plain
            if let plain { value.plain?.truncate(to: plain) }
            value.numbered?.truncate(to: min(counts[column].numbered, value.numbered?.count ?? 0))
            kept[column] = (plain == nil ? nil : value.plain, value.numbered)
        }
    }

    /// Hands over what was kept, once: the queue uses it from now on.
    fileprivate func takeKept() -> [Int: (plain: IndexOperations?, numbered: NumberedOperations?)] {
        defer { kept.removeAll() }
        return kept
    }
}

extension IndexQueue {
    /// Creates a mark, whose operations are preserved from now on.
    func mark() -> IndexQueueMark {
        let mark = IndexQueueMark(self)
        guarded = mark
        return mark
    }

    /// Restores the operations as they were at `mark`.
    func rollBack(to mark: IndexQueueMark) {
        let kept = mark.takeKept(), plain = plain, numbered = numbered
        self.plain = mark.counts.indices.map { column in
            if let value = kept[column] { return value.plain }
            let list = column < plain.count ? plain[column] : nil
            if let mark = mark.counts[column].plain { list?.truncate(to: mark) } else { list?.removeAll() }
            return list
        }
        self.numbered = mark.counts.indices.map { column in
            if let value = kept[column] { return value.numbered }
            let list = column < numbered.count ? numbered[column] : nil
            list?.truncate(to: mark.counts[column].numbered)
            return list
        }
        codesOfRows.removeAll()
    }
}
