import FreeholdEngine

/// Compacts a file before this process opens it, if the program asks for it.
struct LaunchCompaction {
    let terms: SharedDatabase.Terms
    let isWanted: @Sendable (_ totalBytes: Int, _ usedBytes: Int) -> Bool

    /// Compacts the file. Does nothing if another process has it open, or if the copy cannot be made. Damage is thrown.
    func run() throws {
        do {
            guard try Database.exists(at: terms.path), try isWorthwhile() else { return }
            try Database.compactFile(at: terms.path, terms.options())
        } catch let error as FreeholdError {
            if error.code.band == .damaged || [.wrongKey, .keyMissing, .notEncrypted].contains(error.code) { throw RealmError(error) }
        }
    }

    private func isWorthwhile() throws -> Bool {
        let information = try information()
        guard information.freeBytes > 0 else { return false }
        // The file is closed by now, so the program may take its time to answer.
        return isWanted(Int(clamping: information.fileLength), Int(clamping: information.usedBytes))
    }

    private func information() throws(FreeholdError) -> DatabaseInformation {
        let database = try Database.open(terms.path, terms.options())
        defer { database.close() }
        return try database.information()
    }
}
