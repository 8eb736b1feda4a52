import ContractKit
import FreeholdEngine
import Glibc
import Platform
import TestKit
import Testing

/// What is done to the files behind the engine's back while they are open: never two writers, and a clear word.
@Suite struct SecondPathTests {
    let folder: TemporaryFolder
    var path: String { folder.file("x.freehold") }
    let first: HelperProcess

    init() throws {
        folder = try TemporaryFolder()
        first = try HelperProcess.opened(folder.file("x.freehold"))
        try first.tell("prepare", "prepared")
        try first.tell("append 1 1 full", "A 1 1 3")
    }

    @Test func aDeletedLockFileLetsNobodyElseIn() throws {
        let second = try HelperProcess.opened(path)
        #expect(unlink(path + ".lock") == 0)
        try HelperProcess().refuses("open \(path)", "inUse", path, "lock file", "close it there")
        // Those inside go on, one at a time.
        try first.tell("begin 1000", "begun")
        try second.refuses("begin 0", "busy", "process \(first.id)")
        try first.tell("rollback", "rolled back")
        try second.tell("append 2 1 full", "A 2 1 4")
        try first.tell("append 1 2 full", "A 1 2 5")
        for helper in [first, second] { try helper.tell("close", "closed") }
        try HelperProcess.opened(path).tell("look", "entries 3")
    }

    @Test func aFileRenamedOverItIsAnotherDatabase() throws {
        let other = folder.file("other.freehold")
        let helper = try HelperProcess.opened(other)
        try helper.tell("prepare", "prepared")
        try helper.tell("close", "closed")
        try first.tell("pin", "pinned")
        #expect(rename(other, path) == 0)
        let second = try HelperProcess.opened(path)
        try second.tell("look", "entries 0")
        try second.tell("append 2 1 full", "A 2 1 3")
        try first.refuses("append 1 2 full", "fileReplaced", path, "close it")
        try first.tell("examine", "whole")
        try first.tell("read-all", "read 1")
        // The old session's end leaves the new one's files alone.
        try first.tell("close", "closed")
        try second.tell("append 2 2 full", "A 2 2 4")
        try HelperProcess.opened(path).tell("look", "entries 2")
        try second.tell("check", "clean")
    }

    @Test func aHardLinkIsRefusedAndASymbolicLinkIsFollowed() throws {
        let hard = folder.file("hard.freehold")
        let soft = folder.file("soft.freehold")
        #expect(link(path, hard) == 0)
        #expect(symlink(path, soft) == 0)
        try HelperProcess().refuses("open \(hard)", "inUse", hard, "another name")
        let second = try HelperProcess.opened(soft)
        try second.tell("append 2 1 full", "A 2 1 4")
        try first.tell("look", "entries 2")
        for helper in [first, second] { try helper.tell("close", "closed") }
        let third = try HelperProcess.opened(hard)
        try third.tell("look", "entries 2")
        try HelperProcess().refuses("open \(path)", "inUse", path)
    }

    @Test func aMovedFileIsRefusedUnderItsNewName() throws {
        let moved = folder.file("moved.freehold")
        #expect(rename(path, moved) == 0)
        try HelperProcess().refuses("open \(moved)", "inUse", moved)
        let empty = try HelperProcess.opened(path)
        try empty.tell("prepare", "prepared")
        try first.tell("close", "closed")
        try HelperProcess.opened(moved).tell("look", "entries 1")
    }

    @Test func aCopyMadeWhileItWasOpenIsRefusedOrWhole() throws {
        let copy = folder.file("copy.freehold")
        try first.tell("append 1 2 fast", "A 1 2 4")
        #expect(run("/bin/cp", path, copy) == .exited(0))
        try HelperProcess().refuses("open-read-only \(folder.file("missing.freehold"))", "notFound", "missing.freehold")
        let answer = try HelperProcess().ask("open \(copy)")
        #expect(answer == "open" || answer.hasPrefix("error copiedWhileOpen"), "\(answer)")
        try first.tell("check", "clean")
    }

    private func run(_ program: String, _ arguments: String...) -> SpawnedProcess.End? {
        try? SpawnedProcess(program, arguments).wait()
    }
}
