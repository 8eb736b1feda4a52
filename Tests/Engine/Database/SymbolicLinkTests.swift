import Foundation
@testable import FreeholdEngine
import Platform
import TestKit
import Testing

/// A symbolic link that leads to no file. Opening one once tried for ever to open the file that is not there and to create the one whose name
/// is taken.
@Suite(.timeLimit(.minutes(1))) struct SymbolicLinkTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func link(_ name: String, to target: String) throws -> String {
        try FileManager.default.createSymbolicLink(atPath: folder.file(name), withDestinationPath: target)
        return folder.file(name)
    }

    private func options(_ change: (inout OpenOptions) -> Void = { _ in }) -> OpenOptions {
        var options = OpenOptions()
        change(&options)
        return options
    }

    @Test("the database is created where the link leads to")
    func created() throws {
        try FileManager.default.createDirectory(atPath: folder.file("inner"), withIntermediateDirectories: false)
        let targets = ["x.freehold", "inner/y.freehold", folder.file("z.freehold"), "last-link", "./inner/../w.freehold"]
        for (index, target) in targets.enumerated() {
            let path = try link("link\(index)", to: target)
            if target == "last-link" { _ = try link(target, to: "inner/v.freehold") }
            #expect(try !Database.exists(at: path))
            let database = try Database.open(path, options())
            try database.write { try $0.createClass(ClassSchema("Note", [])) }
            let place = ["x.freehold", "inner/y.freehold", "z.freehold", "inner/v.freehold", "w.freehold"][index]
            #expect(database.path == folder.file(place))
            // The same session, by either name.
            let other = try Database.open(folder.file(place), options())
            #expect(try other.snapshot().classes.map(\.name) == ["Note"])
            other.close()
            database.close()
            #expect(try Database.exists(at: path))
            #expect(!FileManager.default.fileExists(atPath: path + ".lock"))
        }
    }

    @Test("a link into a folder that is not there, and a link to itself, are errors")
    func refused() throws {
        let lost = try link("lost", to: "nowhere/x.freehold"), itself = try link("itself", to: "itself")
        #expect(throws: FreeholdError.self) { try Database.open(itself, options()) }
        let error = #expect(throws: FreeholdError.self) { try Database.open(lost, options()) }
        #expect(error?.code == .notFound)
        let dangling = try link("dangling", to: "none")
        for change in [{ $0.readOnly = true }, { $0.createIfMissing = false }] as [(inout OpenOptions) -> Void] {
            let error = #expect(throws: FreeholdError.self) { try Database.open(dangling, options(change)) }
            #expect(error?.code == .notFound)
        }
        #expect(try LinuxSystem.shared.listDirectory(folder.path) == ["dangling", "itself", "lost"])
    }

    /// The link came after the path was resolved.
    @Test("a name that is taken by nothing is an error once the time is up")
    func taken() throws {
        let path = try link("late", to: "none")
        var session = options().session
        session.openTimeoutMilliseconds = 20
        let error = #expect(throws: FreeholdError.self) { try SessionOpener.openData(path, session, LinuxSystem.shared) }
        #expect(error?.code == .notFound && error?.message.contains("symbolic link") == true)
    }
}
