public import Foundation

/// The default file location, for programs that choose none.
extension Realm.Configuration {
    /// `default.freehold` in a folder with the program's name within `$XDG_DATA_HOME`, else within `~/.local/share`.
    ///
    /// Opening a file in that folder creates the folder; no other folder is created.
    public static let defaultPath = path(environment: ProcessInfo.processInfo.environment, home: NSHomeDirectory(),
                                         program: CommandLine.arguments.first ?? "program")

    /// `defaultPath` as a URL.
    public static let defaultURL = URL(fileURLWithPath: defaultPath)

    // Allowed: environment variables, as Foundation provides them.
    static func path(environment: [String: String], home: String, program: String) -> String {
        let name = (program as NSString).lastPathComponent
        // By the XDG Base Directory Specification a relative path is ignored.
        let base = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/.local/share"
        return "\(base)/\(name.isEmpty ? "program" : name)/default.freehold"
    }

    /// Creates the library's default folder if the file is in it.
    static func makeDefaultFolder(for path: String) throws {
        let folder = (path as NSString).deletingLastPathComponent
        guard folder == (defaultPath as NSString).deletingLastPathComponent else { return }
        do { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) } catch {
            throw RealmError(.fileAccess, "could not create the folder of the program's files: \(error.localizedDescription)",
                             fileURL: URL(fileURLWithPath: folder))
        }
    }
}
