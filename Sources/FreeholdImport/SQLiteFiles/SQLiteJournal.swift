/// The rollback journal beside a database (`NAME-journal`): the pages as they were before a transaction.
///
/// After a crash it is what makes the database whole again, by writing to it; only SQLite does that.
enum SQLiteJournal {
    private static let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]

    /// Throws if there is a journal of a transaction that has not ended. An empty one, or one whose header is cleared, is what
    /// some modes of SQLite leave behind.
    static func refuse(beside database: SQLiteHandle) throws(SourceError) {
        guard let journal = try SQLiteHandle(existing: database.path + "-journal") else { return }
        guard try journal.bytes(at: 0, count: magic.count).elementsEqual(magic) else { return }
        if SQLiteLock.isReserved(database) {
            throw SourceError(.changed, "another program is writing to the database; try again when it has finished")
        }
        throw SourceError(.unsupported, "a program ended within a transaction and left \(journal.path); "
            + "open the database once with SQLite, which undoes the transaction")
    }
}
