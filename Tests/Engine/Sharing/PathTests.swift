import Glibc
import Platform
import TestKit
import Testing

@testable import FreeholdEngine
@testable import SharingKit

/// Paths are bytes: a slash and the mark behind it are one character, and canonically equivalent names are two files.
@Suite struct PathTests {
    @Test func aMarkBehindASlashBelongsToTheName() {
        #expect(SessionPaths.folder(of: "/a/\u{301}b") == "/a")
        #expect(Array(SessionPaths.name(of: "/a/\u{301}b").utf8) == Array("\u{301}b".utf8))
        #expect(SessionPaths.folder(of: "/\u{301}b") == "/" && SessionPaths.folder(of: "\u{301}b") == ".")
        #expect(SessionPaths.name(of: "b") == "b" && SessionPaths.name(of: "/a/") == "")
    }

    @Test func aDatabaseWhoseNameBeginsWithAMarkStandsInItsFolder() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/\u{301}x.freehold"
        let session = try ToyStore.open(path)
        try ToyStore.commit(session, .full)
        try session.close()
        #expect(try LinuxSystem.shared.status(of: path) != nil)
        // By way of a symbolic link that leads to a name that is not there yet, too.
        let target = folder.path + "/\u{308}y.freehold"
        #expect(symlink(target, folder.file("link")) == 0)
        try ToyStore.open(folder.file("link")).close()
        #expect(try LinuxSystem.shared.status(of: target) != nil)
    }

    @Test func whatIsLeftOfAnotherFilesRunStays() throws {
        let folder = try TemporaryFolder(), process = LinuxSystem.shared
        let composed = folder.file("caf\u{E9}.freehold"), decomposed = folder.file("cafe\u{301}.freehold")
        // Left by a run that made a file for the one name; another run makes one for the other name, and then for the same.
        try process.openFile(composed + ".unfinished-00000001", .createExclusive(permissions: 0o600)).close()
        let other = try UnfinishedFile(for: decomposed, permissions: 0o600, process)
        #expect(try process.status(of: composed + ".unfinished-00000001") != nil)
        other.end()
        let same = try UnfinishedFile(for: composed, permissions: 0o600, process)
        #expect(try process.status(of: composed + ".unfinished-00000001") == nil)
        same.end()
    }
}
