import Foundation
import FreeholdEngine

/// A file that others begin as copies of.
struct SeedFile {
    let path: String
    /// The file to be made.
    let terms: SharedDatabase.Terms

    /// Makes the file if there is none. Several processes may do so at once: the copy that gets the name first stays, whole.
    func plant() throws {
        do {
            if try Database.exists(at: terms.path) { return }
            var options = try terms.options()
            options.readOnly = true
            let seed = try Database.open(path, options)
            defer { seed.close() }
            let copy = terms.path + ".seed-" + UUID().uuidString
            try seed.copy(to: copy)
            defer { try? FileManager.default.removeItem(atPath: copy) }
            // A link does not replace a file that came meanwhile.
            do { try FileManager.default.linkItem(atPath: copy, toPath: terms.path) } catch {
                if try Database.exists(at: terms.path) { return }
                throw RealmError(.fileAccess, "could not put the copy of '\(path)' in place: \(error.localizedDescription)",
                                 fileURL: URL(fileURLWithPath: terms.path))
            }
        } catch let error as FreeholdError {
            throw RealmError(error)
        }
    }
}
