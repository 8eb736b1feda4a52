/// A value whose chunks were written to the file before the transaction that takes it over, into pages reserved for them.
struct AttachedValue {
    /// The top block above them, by its pending index.
    let root: UInt64
    /// The pages, from their first granule on filled with chunks.
    let runs: [WrittenRun]
    /// The object that wrote them.
    let source: AnyObject
}

/// Pages filled outside a commit: `granules` granules from the start of `page` on.
struct WrittenRun: Equatable {
    var page: Int
    var granules: Int
}

/// Taking over values that were written to the file before.
///
/// 1. Their chunks are born in the transaction's own version; it neither frees nor changes them, and its commit counts their pages as
///    taken if the top block above them is reached, all or none.
/// 2. A rollback to a savepoint drops the values attached since.
extension PendingBlocks {
    /// Takes over chunks of a value of `length` bytes, more than one, whose places and checksums are known.
    ///
    /// - Returns: the top block above them.
    func attach(_ chunks: [BlockReference], length: Int, table number: UInt32, runs: [WrittenRun], from source: AnyObject) -> BlockReference {
        let born = chunks.map { chunk in
            var chunk = chunk
            chunk.birth = version
            return chunk
        }
        let root = LargeValue.index(over: born, length: length, table: number, in: self)
        attached.append(AttachedValue(root: root.granuleIndex, runs: runs, source: source))
        hasAttached = true
        return root
    }

    func isAttached(_ reference: BlockReference) -> Bool {
        reference.isPending && attached.contains { $0.root == reference.granuleIndex }
    }

    /// The error for changing such a value in the transaction that attached it.
    var freshlyAttached: FreeholdError {
        FreeholdError(.invalidArgument, "a value that this transaction streamed in cannot be changed in parts yet; commit, and change it in "
            + "the next transaction", path: access.path)
    }
}
