/// What capture keeps from one commit to the next, so that a small one allocates little. It belongs to the process's writer, and serves
/// one class after the other.
final class CaptureTools {
    // Safe: the owner of the writer lock alone uses the tools, on one thread.
    /// The columns of each class, by the number of its table.
    @exclusivity(unchecked) private var pairings: [(stored: StoredClass, pairing: ColumnPairing)?] = []
    /// The operations of a class that are to be written, on what is pending: empty between two classes.
    let changes: IndexOperations, deletions: IndexOperations, sums: IndexOperations, neighbours: IndexOperations
    /// Those on identities, and on links to absent objects.
    let lists: IndexOperations, embedded: IndexOperations, replicas: IndexOperations, absent: IndexOperations
    let key = ByteBuffer(), other = ByteBuffer(), identityKey = ByteBuffer(), absentKey = ByteBuffer()

    init() {
        let workspace = IndexWorkspace()
        (changes, deletions) = (IndexOperations(workspace), IndexOperations(workspace))
        (sums, neighbours) = (IndexOperations(workspace), IndexOperations(workspace))
        (lists, embedded) = (IndexOperations(workspace), IndexOperations(workspace))
        (replicas, absent) = (IndexOperations(workspace), IndexOperations(workspace))
    }

    /// The columns to compare.
    func pairing(_ old: StoredClass, _ new: StoredClass) -> ColumnPairing {
        guard old === new else { return ColumnPairing(old, new) }
        let number = Int(new.number)
        if number < pairings.count, let known = pairings[number], known.stored === new { return known.pairing }
        let made = ColumnPairing(old, new)
        while pairings.count <= number { pairings.append(nil) }
        pairings[number] = (new, made)
        return made
    }

    /// Empties what a commit may have left that failed.
    func reset() {
        changes.removeAll()
        deletions.removeAll()
        sums.removeAll()
        neighbours.removeAll()
        lists.removeAll()
        embedded.removeAll()
        replicas.removeAll()
        absent.removeAll()
    }
}
