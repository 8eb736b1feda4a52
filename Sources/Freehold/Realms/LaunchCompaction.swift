import FreeholdEngine

/// Makes a file smaller before this process opens it, if the program wants that.
struct LaunchCompaction {
    let terms: SharedDatabase.Terms
    let isWanted: @Sendable (_ totalBytes: Int, _ usedBytes: Int) -> Bool

    /// Who else has the file open keeps it as it is; so does a copy that cannot be made. Damage is told.
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
        // The file is closed again: the program may take its time to answer.
        return isWanted(Int(clamping: information.fileLength), Int(clamping: information.usedBytes))
    }

    private func information() throws(FreeholdError) -> DatabaseInformation {
        let database = try Database.open(terms.path, terms.options())
        defer { database.close() }
        return try database.information()
    }
}
