/// The new file that a salvage writes to, in consecutive transactions of bounded size.
final class SalvageTarget {
    private let begin: () throws -> WriteTransaction
    private(set) var transaction: WriteTransaction
    private let each: () -> Void
    private var waiting = 0

    /// The maximum number of objects written in one transaction, so that memory stays bounded.
    private static let batch = 100_000

    init(begin: @escaping () throws -> WriteTransaction, each: @escaping () -> Void) throws {
        self.begin = begin
        self.each = each
        transaction = try begin()
    }

    /// Counts an object and commits full transactions; call it after each object created.
    func noteObject() throws {
        each()
        waiting += 1
        if waiting < Self.batch { return }
        waiting = 0
        try transaction.commit(.processCrash)
        transaction = try begin()
    }

    func finish() throws { try transaction.commit(.full) }
}
