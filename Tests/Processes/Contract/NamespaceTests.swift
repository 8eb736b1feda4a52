import ContractKit
import FreeholdEngine
import TestKit
import Testing

private let mayMakeNamespaces = ((try? SpawnedProcess.inNewProcessNamespace("/bin/true")) ?? nil) != nil

/// Processes in different pid namespaces (containers) on one file.
@Suite(.serialized, .timeLimit(.minutes(10)), .enabled(if: mayMakeNamespaces, "unshare is not permitted here"))
struct NamespaceTests {
    let folder: TemporaryFolder
    var path: String { folder.file("x.freehold") }

    init() throws {
        folder = try TemporaryFolder()
        let database = try Database.open(path)
        try Ledger.prepare(database)
        database.close()
    }

    /// The kernel tells the owner of a robust mutex by a thread id that means nothing in another namespace: there a
    /// killed waiter would hand the lock over while its owner is inside.
    @Test func aKilledWaiterHandsNothingOver() throws {
        let owners = [try HelperProcess(), try #require(try HelperProcess.isolated())]
        let probe = try HelperProcess.opened(path)
        for owner in owners { try owner.tell("open \(path)", "open") }
        for round in 0..<12 {
            let owner = owners[round % 2]
            try owner.tell("begin 10000", "begun")
            let waiter = round % 4 < 2 ? try #require(try HelperProcess.isolated()) : try HelperProcess()
            try waiter.tell("open \(path)", "open")
            waiter.process.send("begin 60000")
            try probe.refuses("begin 0", "busy")
            try waiter.kill()
            try probe.refuses("begin 20", "busy", "has been writing for")
            try owner.tell("rollback", "rolled back")
            try probe.tell("append 7 \(round + 1) fast", "A 7 \(round + 1) \(round + 3)")
        }
    }

    @Test func aKilledOwnerIsFollowedFromTheOtherNamespace() throws {
        let survivors = [try HelperProcess(), try #require(try HelperProcess.isolated())]
        for survivor in survivors { try survivor.tell("open \(path)", "open") }
        for round in 0..<8 {
            let owner = round % 2 == 0 ? try #require(try HelperProcess.isolated()) : try HelperProcess()
            try owner.tell("open \(path)", "open")
            try owner.tell("begin 10000", "begun")
            try survivors[round / 2 % 2].refuses("begin 0", "busy")
            survivors[0].process.send("append 1 \(round + 1) fast")
            survivors[1].process.send("append 2 \(round + 1) fast")
            try owner.kill()
            for (number, survivor) in survivors.enumerated() {
                let answer = try #require(try survivor.process.readLine())
                #expect(answer.hasPrefix("A \(number + 1) \(round + 1) "), "\(answer)")
            }
        }
    }

    @Test func crewsOfTwoNamespacesWorkWhileOthersOfBothAreKilled() throws {
        let crew = Crew(path)
        try crew.hire(["full-writer", "fast-writer", "listener"])
        try crew.hire(["fast-writer", "full-writer", "reader"], isolated: true)
        let points = [
            "begin.locked", "begin.ownerSet", "commit.segmentsWritten", "commit.rootWritten", "publish.newestSet",
            "commit.ownerCleared", "flush.locked", "flush.unlocked", "flush.confirmed", "wait.armed", "open.slotClaimed",
        ]
        for point in points {
            for isolated in [true, false] {
                let role = point == "wait.armed" ? "waiter" : "full-writer"
                let victim = try #require(
                    try crew.start(role, rounds: 6, isolated: isolated, environment: ["FREEHOLD_KILL_AT": "\(point):2"]))
                crew.victims = [victim]
                try crew.runToDeath(victim)
                #expect(victim.process.wait() == (isolated ? .exited(137) : .signalled(9)), "\(point)")
                try crew.everybodyGoesOn()
            }
        }
        try crew.dismiss()
        try crew.audit()
    }
}
