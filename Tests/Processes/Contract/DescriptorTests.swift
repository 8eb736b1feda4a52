@testable import FreeholdEngine
import Glibc
import Platform
import TestKit
import Testing

/// What a process does to itself: forking with a database open, closing descriptors that it does not know.
@Suite struct DescriptorTests {
    let folder: TemporaryFolder
    var path: String { folder.file("x.freehold") }

    init() throws { folder = try TemporaryFolder() }

    @Test func aForkedChildGetsErrorsAndItsParentGoesOn() throws {
        let helper = try HelperProcess.opened(path)
        try helper.tell("prepare", "prepared")
        try helper.tell("append 1 1 full", "A 1 1 3")
        try helper.tell("pin", "pinned")
        let calls = ["snapshot", "write", "wait", "listen", "held snapshot", "refresh", "information", "check"]
        let answers = calls.map { "\($0)=forked" } + ["rereads=done", "listener=forked", "watch=forked", "close=done"]
        try helper.tell("fork", "child 0 " + answers.joined(separator: ",") + ", alarmed")
        try helper.tell("examine", "whole")
        try helper.tell("append 1 2 full", "A 1 2 4")
        let other = try HelperProcess.opened(path)
        try other.tell("begin 0", "begun")
        try helper.refuses("begin 0", "busy", "process \(other.id)")
        try other.tell("rollback", "rolled back")
        try helper.tell("check", "clean")
    }

    /// A lock that another thread held stays locked in the child, where there is no such thread.
    @Test func childrenForkedWhileOtherThreadsUseTheDatabaseCloseAndOpenIt() throws {
        let helper = try HelperProcess.opened(path)
        try helper.tell("prepare", "prepared")
        try helper.tell("fork-busy", "children 100")
        try helper.tell("check", "clean")
    }

    @Test func aForkInsideAWriteLeavesItToTheParent() throws {
        let helper = try HelperProcess.opened(path)
        try helper.tell("prepare", "prepared")
        try helper.tell("pin", "pinned")
        try helper.tell("begin 0", "begun")
        #expect(try helper.ask("fork").hasPrefix("child 0 "))
        let other = try HelperProcess.opened(path)
        try other.refuses("begin 0", "busy", "process \(helper.id)")
        try helper.tell("rollback", "rolled back")
        try other.tell("begin 0", "begun")
    }

    @Test func closedDescriptorsCostTheLease() throws {
        let helper = try HelperProcess.opened(path)
        let other = try HelperProcess.opened(path)
        try helper.tell("prepare", "prepared")
        try helper.tell("append 1 1 full", "A 1 1 3")
        try helper.tell("pin", "pinned")
        try helper.tell("close-descriptors", "closed")
        // Whoever comes finds its byte unlocked, and counts it as dead.
        try HelperProcess.opened(path).tell("append 2 1 full", "A 2 1 4")
        for order in ["look", "append 1 2 full", "begin 0", "wait 1", "holders", "examine", "pin"] {
            try helper.refuses(order, "leaseLost", path, "open the database again")
        }
        try other.tell("append 3 1 full", "A 3 1 5")
        try helper.tell("close", "closed")
        try helper.tell("open \(path)", "open")
        try helper.tell("append 1 2 full", "A 1 2 6")
        try helper.tell("check", "clean")
    }

    @Test(arguments: ["append 1 2 full", "append 1 2 crash", "begin 0", "commit-after-closing full", "commit-after-closing crash"])
    func closedDescriptorsAreAnErrorThoughNobodyElseCame(order: String) throws {
        let helper = try HelperProcess.opened(path)
        try helper.tell("prepare", "prepared")
        try helper.tell("append 1 1 full", "A 1 1 3")
        if !order.hasPrefix("commit") { try helper.tell("close-descriptors", "closed") }
        try helper.refuses(order, "leaseLost", path, "open the database again")
        try helper.refuses("append 1 2 full", "leaseLost", path)
        try helper.tell("close", "closed")
        try helper.tell("open \(path)", "open")
        try helper.tell("append 1 2 full", "A 1 2 4")
        try helper.tell("look", "entries 2")
        try helper.tell("check", "clean")
    }

    @Test func othersGoOnWhereADescriptorWasClosedInAFlush() throws {
        let helper = try HelperProcess.opened(path)
        let other = try HelperProcess.opened(path)
        try helper.tell("prepare", "prepared")
        try helper.tell("append 1 1 crash", "A 1 1 3")
        try helper.tell("close-descriptors", "closed")
        // It has a commit to be flushed, and no descriptor to do so.
        try helper.refuses("append 1 2 full", "leaseLost")
        try helper.tell("close", "closed")
        try other.tell("append 2 1 full", "A 2 1 4")
        try other.tell("look", "entries 2")
        try other.tell("check", "clean")
    }

    @Test func anEndingSessionLeavesForeignDescriptorsOpen() throws {
        let helper = try HelperProcess.opened(path)
        try helper.tell("prepare", "prepared")
        try helper.tell("listen", "listening")
        try helper.tell("close-among-others", "left 64")
        try HelperProcess.opened(path).tell("append 1 1 full", "A 1 1 3")
    }

    /// Files that the program has opened since have the numbers, and are the program's alone.
    @Test(arguments: ["close", "flush", "append 1 2 full", "append 1 2 crash", "begin 0"])
    func nothingIsWrittenIntoFilesThatHaveTheNumbersNow(order: String) throws {
        let helper = try HelperProcess.opened(path)
        try helper.tell("prepare", "prepared")
        try helper.tell("append 1 1 crash", "A 1 1 3")
        try helper.tell("close-among-files \(folder.path)", "opened")
        if order != "close" {
            try helper.refuses(order, "leaseLost", path, "open the database again")
            try helper.tell("own-bytes", "own 0")
        }
        try helper.tell("close", "closed")
        try helper.tell("own-bytes", "own 0")
        let next = try HelperProcess.opened(path)
        try next.tell("look", "entries 1")
        try next.tell("append 1 2 full", "A 1 2 4")
        try next.tell("check", "clean")
    }

    /// A child that was forked and merely lives has its parent's descriptors, and so the locks that say that the parent lives.
    @Test(arguments: [false, true]) func aForkedChildThatLivesKeepsNothingOfItsDeadParent(usesByteLocks: Bool) throws {
        let helper = try HelperProcess.opened(path)
        try helper.tell("prepare", "prepared")
        if usesByteLocks { try LockFileWords(path).store(1, at: LockLayout.usesByteLocks) }
        try helper.tell("pin", "pinned")
        try helper.tell("begin 0", "begun")
        let answer = try helper.ask("leave-child")
        let child = try #require(answer.split(separator: " ").last.flatMap { Int32($0) })
        defer { Glibc.kill(child, SIGKILL) }
        try helper.kill()
        let other = try HelperProcess.opened(path)
        try other.tell("holders", "holders \(other.id)")
        try other.tell("append 1 1 full", "A 1 1 3")
        try other.tell("close", "closed")
        // The last one ends the session, which the child is no part of.
        #expect(try LinuxSystem.shared.listDirectory(folder.path) == ["x.freehold"])
    }
}
