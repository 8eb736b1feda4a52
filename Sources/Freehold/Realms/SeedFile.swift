import FreeholdEngine

/// A file that new files begin as copies of.
struct SeedFile {
    let path: String
    /// The settings of the file to create.
    let terms: SharedDatabase.Terms

    /// Copies the seed to the file if there is none yet. Several processes may do so at once: the copy that gets the
    /// name first stays, complete.
    func plant() throws {
        do {
            if try Database.exists(at: terms.path) { return }
            var options = try terms.options()
            options.readOnly = true
            let seed = try Database.open(path, options)
            defer { seed.close() }
            do { try seed.copy(to: terms.path) } catch let error as FreeholdError where error.code == .alreadyExists {
                // Another process was faster, and its file stays.
                guard try Database.exists(at: terms.path) else { throw error }
            }
        } catch let error as FreeholdError {
            throw RealmError(error)
        }
    }
}
