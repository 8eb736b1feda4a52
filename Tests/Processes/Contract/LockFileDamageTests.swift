@testable import FreeholdEngine
import Platform
import TestKit
import Testing

/// A lock file that somebody else has written into, under real processes: nothing of it reaches the data file unchecked, and nobody dies.
@Suite struct LockFileDamageTests {
    let folder: TemporaryFolder
    var path: String { folder.file("x.freehold") }

    init() throws { folder = try TemporaryFolder() }

    /// Two commits, of which the second is not durable yet.
    private func started() throws -> (HelperProcess, LockFileWords) {
        let helper = try HelperProcess.opened(path)
        try helper.tell("prepare", "prepared")
        try helper.tell("append 1 1 full", "A 1 1 3")
        try helper.tell("append 1 2 crash", "A 1 2 4")
        return (helper, try LockFileWords(path))
    }

    /// What was committed is there once the database was closed everywhere.
    private func expectWhole(_ entries: Int, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let next = try HelperProcess.opened(path)
        try next.tell("look", "entries \(entries)", sourceLocation: sourceLocation)
        try next.tell("append 2 1 full", "A 2 1 \(entries + 3)", sourceLocation: sourceLocation)
        try next.tell("check", "clean", sourceLocation: sourceLocation)
    }

    @Test(arguments: [UInt64.max, UInt64.max - 1, 1 << 47, (1 << 47) - 1] as [UInt64])
    func aVersionFloorBeyondAllVersionsIsAnError(floor: UInt64) throws {
        let (helper, words) = try started()
        try words.store(floor, at: LockLayout.versionFloor)
        try helper.refuses("begin 0", "corrupt", path, "open it again")
        try helper.refuses("append 1 3 full", "corrupt", path)
        try helper.tell("close", "closed")
        try expectWhole(2)
    }

    @Test(arguments: [LockLayout.newest, LockLayout.durable, LockLayout.flushing], 0..<9)
    func noWordOfARootReachesTheDataFileUnchecked(root: Int, word: Int) throws {
        let (helper, words) = try started()
        let place = try words.place(ofWord: word, inRootAt: root)
        try words.store(try words.load(place) ^ 1 << 40, at: place)
        if root == LockLayout.flushing { try words.store(1, at: LockLayout.targetWritten) }
        // Whether it goes on or refuses, it does not die of it, and writes nothing of it.
        let answer = try helper.ask("append 1 3 full")
        #expect(answer == "A 1 3 5" || answer.hasPrefix("error corrupt "), "\(answer)")
        try helper.tell("close", "closed")
        try expectWhole(answer == "A 1 3 5" ? 3 : 2)
    }

    @Test(arguments: [LockLayout.newest, LockLayout.durable, LockLayout.flushing], [7, 8])
    func aSessionThatEndsFlushesNoFeatureWordOfTheLockFile(root: Int, word: Int) throws {
        let (helper, words) = try started()
        try words.store(1 << 60, at: try words.place(ofWord: word, inRootAt: root))
        try helper.tell("close", "closed")
        try expectWhole(2)
    }

    /// The first writer of a session that a reader has begun writes the records that bind it to the boot.
    @Test(arguments: [LockLayout.newest, LockLayout.durable], 0..<9) func noWordOfAReadersSessionReachesTheDataFileUnchecked(root: Int, word: Int) throws {
        let (helper, _) = try started()
        try helper.tell("append 1 3 crash", "A 1 3 5")
        try helper.tell("flush", "flushed")
        try helper.tell("append 1 4 crash", "A 1 4 6")
        try helper.tell("close", "closed")
        let reader = try HelperProcess()
        try reader.tell("open-read-only \(path)", "open")
        let words = try LockFileWords(path), place = try words.place(ofWord: word, inRootAt: root)
        try words.store(try words.load(place) ^ 1 << 40, at: place)
        try words.store(try words.load(LockLayout.volatileSlot) ^ 1, at: LockLayout.volatileSlot)
        let writer = try HelperProcess()
        let answer = try writer.ask("open \(path)")
        #expect(answer == "open" || answer.hasPrefix("error corrupt ") || answer.hasPrefix("error unsupportedFormat "), "\(answer)")
        try reader.tell("close", "closed")
        try writer.tell("close", "closed")
        try expectWhole(4)
    }

    @Test(arguments: [UInt64.max, 1 << 40, 0] as [UInt64]) func aForeignSessionNumberIsRefused(number: UInt64) throws {
        let (helper, words) = try started()
        try words.store(number, at: LockLayout.session)
        #expect(try HelperProcess().ask("open \(path)").hasPrefix("error inUse "))
        try helper.tell("append 1 3 full", "A 1 3 5")
        try helper.tell("close", "closed")
        try expectWhole(3)
    }

    @Test(arguments: [LockLayout.flushAttempt, LockLayout.lastFull, LockLayout.volatileSlot, LockLayout.rising, LockLayout.flushLeader,
                      LockLayout.writerLock + 64, LockLayout.writerLock + 72, LockLayout.flushLock + 64, LockLayout.lastFullSince])
    func aWordOfAllOnesBringsNobodyDown(offset: Int) throws {
        let (helper, words) = try started()
        try helper.tell("pin", "pinned")
        try words.store(.max, at: offset)
        _ = try helper.ask("append 1 3 crash")
        _ = try helper.ask("append 1 4 full")
        _ = try helper.ask("holders")
        try helper.tell("close", "closed")
        let next = try HelperProcess.opened(path)
        try next.tell("check", "clean")
    }

    /// A page of it that cannot be had, by whatever cause, is the end of this process's part in the session, not of one page of its memory: pins
    /// that nobody else sees would be no pins.
    @Test(arguments: 0..<(LockLayout.initialLength / LockLayout.page)) func aLockFileCutShortIsALeaseLost(pages: Int) throws {
        let (helper, _) = try started()
        let file = try LinuxSystem.shared.openFile(path + ".lock", .readWrite)
        try file.setLength(pages * LockLayout.page)
        file.close()
        let answer = try helper.ask("append 1 3 full")
        if answer == "A 1 3 5" {
            // The last page holds what a commit has no need of.
            #expect(pages == LockLayout.initialLength / LockLayout.page - 1)
        } else {
            #expect(answer.hasPrefix("error leaseLost ") && answer.contains(path) && answer.contains("open it again"), "\(answer)")
            try helper.refuses("look", "leaseLost")
            try helper.refuses("begin 0", "leaseLost")
        }
        try helper.tell("close", "closed")
        let next = try HelperProcess.opened(path)
        // A process that loses its lease behind the commit point cannot tell whether it has committed.
        #expect(try (answer == "A 1 3 5" ? ["entries 3"] : ["entries 2", "entries 3"]).contains(next.ask("look")))
        #expect(try next.ask("append 2 1 full").hasPrefix("A 2 1 "))
        try next.tell("check", "clean")
    }

    /// The mutex that a write under way holds is lost with the page: neither its thread nor the next database of the process stumbles over it.
    @Test(arguments: 0..<2) func aLockFileCutShortUnderAWriteLeavesNothingBehind(pages: Int) throws {
        let (helper, _) = try started()
        try helper.tell("begin 0", "begun")
        let file = try LinuxSystem.shared.openFile(path + ".lock", .readWrite)
        try file.setLength(pages * LockLayout.page)
        file.close()
        _ = try helper.ask("rollback")
        try helper.refuses("append 1 3 full", "leaseLost", path)
        try helper.tell("close", "closed")
        for sequence in 3...5 {
            try helper.tell("open \(path)", "open")
            #expect(try helper.ask("append 1 \(sequence) full").hasPrefix("A 1 \(sequence) "))
            try helper.tell("check", "clean")
            try helper.tell("close", "closed")
        }
    }
}
