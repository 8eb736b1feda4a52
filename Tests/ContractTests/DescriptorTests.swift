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
            try helper.refuses(order, "leaseLost", path, "open it again")
        }
        try other.tell("append 3 1 full", "A 3 1 5")
        try helper.tell("close", "closed")
        try helper.tell("open \(path)", "open")
        try helper.tell("append 1 2 full", "A 1 2 6")
        try helper.tell("check", "clean")
    }
}
