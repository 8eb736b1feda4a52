/// Entries of the elements of lists.
extension PendingChange {
    /// Whether an object was created in the open epoch, so that nobody knows of it.
    func isCreatedUnsent(_ object: Int64) throws(FreeholdError) -> Bool {
        guard let known = try trees.creation(of: object, ByteBuffer(capacity: 32), in: access) else { return false }
        return isUnsent(known.origin)
    }

    /// Reads what is pending of a list's elements, of one act.
    ///
    /// Safe: the bytes are copied before the call returns.
    func load(_ act: SyncChange.Act, of object: Int64, _ property: UInt32, into notes: inout ElementNotes) throws(FreeholdError) {
        if trees.changes.isNull { return }
        let prefix = ByteBuffer(capacity: 16)
        prefix.setChange(.element, of: object, property)
        prefix.append(act.rawValue)
        try trees.forEachChange(prefix: prefix.bytes, in: access) { entry in
            if case .element(_, let change) = entry.what { notes.load(change, entry.stamp, entry.origin) }
        }
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
