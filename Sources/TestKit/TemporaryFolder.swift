import Glibc
import Platform

/// A folder of a test's own, removed with all that is in it when the value goes.
public final class TemporaryFolder: Sendable {
    public let path: String

    /// - Parameter parent: where; by default the folder for temporary files.
    public init(in parent: String? = nil) throws {
        // Safe: nothing changes the environment while tests run, and the text is copied at once.
        let folder = parent ?? getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(folder)/freehold-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw SystemError(code: errno, call: "mkdtemp", path: folder)
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { removeTree(path) }

    /// The path of something in the folder.
    public func file(_ name: String) -> String { "\(path)/\(name)" }
}

private func removeTree(_ path: String) {
    for name in (try? LinuxSystem.shared.listDirectory(path)) ?? [] {
        let inner = "\(path)/\(name)"
        if unlink(inner) != 0 { removeTree(inner) }
    }
    rmdir(path)
}
