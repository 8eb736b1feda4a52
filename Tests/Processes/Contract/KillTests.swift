import ContractKit
import Foundation
import FreeholdEngine
import Glibc
import Platform
import TestKit
import Testing

/// SIGKILL at every named point, among real processes on one database.
///
/// Always: what was acknowledged is there, once, as its writer's unbroken sequence; at most the one commit under way
/// is there too; every version adds up; the checker finds nothing; nobody hangs; nothing stays held for the dead; never
/// are two writers inside.
@Suite(.serialized, .timeLimit(.minutes(30))) struct KillTests {
    let folder: TemporaryFolder
    var path: String { folder.file("x.freehold") }

    init() throws { folder = try TemporaryFolder() }

    /// The database of one case: one in three is encrypted.
    func path(_ number: Int) -> String { number % 3 == 2 ? folder.file("encrypted.freehold") : path }

    static let colleagues = ["full-writer", "fast-writer", "reader", "listener"]

    @Test func everyPointOfTheCodeHasItsVictims() {
        for point in KillPlan.pointsInCode { #expect(!KillPlan.roles(passing: point).isEmpty, "nobody is killed at \(point)") }
        #expect(KillPlan.pointsOfTheStreaming.count == 5)
        #expect(KillPlan.pointsOfTheNaming.count == 6)
        #expect(KillPlan.pointsOfTheIndexing.count == 3)
        #expect(KillPlan.pointsOfTheShrinking.isSubset(of: KillPlan.pointsInCode))
        #expect(KillPlan.pointsOfTheFirst.isSubset(of: KillPlan.pointsInCode))
        #expect(KillPlan.orders.count + KillPlan.ordersOfTheFirst.count + KillPlan.commonOrders.count >= 300)
    }

    @Test("killed beside two writers, a reader and a listener at work", arguments: KillPlan.shares.indices)
    func besideOthers(share: Int) throws {
        let path = path(share)
        try begin(path)
        let crew = Crew(path)
        try crew.hire(Self.colleagues)
        for order in KillPlan.shares[share] {
            if order.point.hasPrefix("reap") { try leaveCorpses(order.count, for: crew) }
            try kill(order, in: crew)
            crew.members.forEach { $0.process.signal(SIGCONT) }
            try crew.everybodyGoesOn()
        }
        let living = crew.members.map(\.process.id)
        let dead = try crew.holders().filter { !living.contains($0) }
        #expect(dead.isEmpty, "processes \(dead) are dead and hold versions still")
        try crew.dismiss()
        try crew.audit()
    }

    @Test("killed while beginning or ending a session, four others waiting for it", arguments: KillPlan.ordersOfTheFirst)
    func first(order: KillPlan.Order) throws {
        let path = path(order.point.utf8.count + order.role.utf8.count)
        let crew = Crew(path)
        if order.point != "open.created" { try begin(path) }
        let victim = try stopped(order, in: crew)
        let others = try Self.colleagues.compactMap { try crew.start($0) }
        for other in others { other.process.send("go") }
        victim.process.killNow()
        try crew.runToDeath(victim, sayingGo: false)
        crew.adopt(others)
        try crew.everybodyGoesOn()
        try crew.dismiss()
        try crew.audit()
    }

    @Test("everybody killed at once, one of five at a named point", arguments: KillPlan.commonOrders)
    func everybody(order: KillPlan.Order) throws {
        let path = path(order.point.utf8.count + order.count)
        try begin(path)
        let crew = Crew(path)
        try crew.hire(Self.colleagues)
        if order.point.hasPrefix("reap") { try leaveCorpses(1, for: crew) }
        let victim = try stopped(order, in: crew)
        crew.adopt([victim])
        try crew.killAll()
        try crew.audit()
    }

    @Test("killed while giving the file's end back", arguments: KillPlan.pointsOfTheShrinking.sorted(), [1, 2])
    func shrinking(point: String, count: Int) throws {
        let path = path(count)
        try begin(path)
        let crew = Crew(path)
        try crew.hire(Self.colleagues)
        let victim = try HelperProcess.opened(path, environment: ["FREEHOLD_KILL_AT": "\(point):\(count)"])
        var rounds = 0
        while rounds < 30, try swell(victim) { rounds += 1 }
        #expect(victim.process.wait() == .signalled(9), "\(point) was never passed")
        try crew.everybodyGoesOn()
        try crew.dismiss()
        try crew.audit()
    }

    @Test("killed while streaming a long value", arguments: KillPlan.pointsOfTheStreaming.sorted(), [1, 2])
    func streaming(point: String, count: Int) throws {
        let path = path(count)
        try begin(path)
        let crew = Crew(path)
        try crew.hire(Self.colleagues)
        let victim = try HelperProcess.opened(path, environment: ["FREEHOLD_KILL_AT": "\(point):\(count)"])
        for _ in 0..<3 {
            victim.process.send("stream")
            guard let answer = try victim.process.readLine() else { break }
            #expect(answer == "streamed")
        }
        #expect(victim.process.wait() == .signalled(9), "\(point) was never passed")
        try crew.everybodyGoesOn()
        let next = try HelperProcess.opened(path)
        try next.tell("stream", "streamed")
        try next.tell("reserved", "reserved 0")
        try next.kill()
        try crew.everybodyGoesOn()
        try crew.dismiss()
        try crew.audit()
    }

    @Test("killed while building derived indexes, which others keep up to date and the next one completes",
          arguments: KillPlan.pointsOfTheIndexing.sorted(), ["called 1", "called 2", "background 1", "background 2"])
    func indexing(point: String, way: String) throws {
        let words = way.split(separator: " "), count = Int(words[1])!, path = path(count)
        try begin(path)
        let crew = Crew(path)
        try crew.hire(Self.colleagues)
        // An index is completed once.
        let times = point == "derived.complete" ? 1 : count
        let victim = try HelperProcess.opened(path, environment: ["FREEHOLD_KILL_AT": "\(point):\(times)"])
        victim.process.send("index \(words[0])")
        #expect(try victim.process.readLine() == nil)
        #expect(victim.process.wait() == .signalled(9), "\(point) was never passed")
        try crew.everybodyGoesOn()
        try completeIndexes(path, crew, by: words[0] == "called" ? "background" : "called")
    }

    @Test("a process that ends while a thread of its own adds a slice leaves nothing held, and the next one completes the index",
          arguments: [1, 2])
    func leavingWhileIndexing(number: Int) throws {
        let path = path(number)
        try begin(path)
        let crew = Crew(path)
        try crew.hire(Self.colleagues)
        let leaving = try HelperProcess.opened(path)
        leaving.process.send("index left")
        #expect(try leaving.process.readLine() == nil)
        #expect(leaving.process.wait() == .exited(0))
        try crew.everybodyGoesOn()
        try completeIndexes(path, crew, by: "background")
    }

    /// Another process builds what is left, and the crew's work is whole.
    private func completeIndexes(_ path: String, _ crew: Crew, by way: String) throws {
        let next = try HelperProcess.opened(path)
        try next.tell("index \(way)", "indexed")
        try next.tell("check", "clean")
        try next.kill()
        try crew.everybodyGoesOn()
        try crew.dismiss()
        try crew.audit()
    }

    @Test("killed while a new file gets its name, others work on with the old file or the new one", arguments: KillPlan.pointsOfTheNaming.sorted())
    func naming(point: String) throws {
        let path = path(point.utf8.count), backup = folder.file("backup.freehold")
        try begin(path)
        let victim = try HelperProcess(environment: ["FREEHOLD_KILL_AT": "\(point):1"])
        victim.process.send(point == "make.named" ? "back-up \(path) \(backup)" : "compact-anew \(path)")
        #expect(try victim.process.readLine() == nil)
        #expect(victim.process.wait() == .signalled(9), "\(point) was never passed")
        let crew = Crew(path)
        try crew.hire(Self.colleagues)
        try crew.everybodyGoesOn()
        try crew.dismiss()
        try crew.audit()
        let next = try HelperProcess()
        if point == "make.named" { try next.refuses("back-up \(path) \(backup)", "alreadyExists", "does not overwrite an existing file") }
        try next.tell("compact-anew \(path)", "compacted")
        try next.kill()
        let left = try FileManager.default.contentsOfDirectory(atPath: URL(filePath: path).deletingLastPathComponent().path)
        #expect(!left.contains { $0.contains("unfinished") || $0.contains(".lock") }, "\(left)")
        try crew.audit()
    }

    /// Lets it write much and delete it again; false once it is dead.
    private func swell(_ victim: HelperProcess) throws -> Bool {
        victim.process.send("swell")
        guard let answer = try victim.process.readLine() else { return false }
        #expect(answer == "swollen")
        return true
    }

    /// A process that stands still at the point.
    private func stopped(_ order: KillPlan.Order, in crew: Crew) throws -> CrewMember {
        let victim = try #require(try crew.start(order.role, rounds: 6, environment: ["FREEHOLD_STOP_AT": order.trigger]))
        crew.victims = [victim]
        victim.process.send("go")
        #expect(victim.process.waitUntilStopped(), "\(order): it was never passed")
        return victim
    }

    /// Makes the database.
    private func begin(_ path: String) throws {
        let database = try Database.open(path, Ledger.options(for: path))
        try Ledger.prepare(database)
        database.close()
    }

    private func kill(_ order: KillPlan.Order, in crew: Crew) throws {
        let victim = try #require(try crew.start(order.role, rounds: 6, environment: ["FREEHOLD_KILL_AT": order.trigger]))
        crew.victims = [victim]
        try crew.runToDeath(victim)
        #expect(victim.process.wait() == .signalled(9), "\(order): it was never passed; \(crew.complaints)")
    }

    /// Processes that died holding versions, left to the victim: the others stand still until it is dead.
    private func leaveCorpses(_ count: Int, for crew: Crew) throws {
        let corpses = try (0..<count).map { _ in try HelperProcess.opened(crew.path) }
        for corpse in corpses { try corpse.tell("pin", "pinned") }
        for member in crew.members {
            member.process.signal(SIGSTOP)
            #expect(member.process.waitUntilStopped())
        }
        for corpse in corpses { try corpse.kill() }
    }
}
