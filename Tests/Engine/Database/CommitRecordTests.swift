import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Who committed the last versions, and when.
@Suite struct CommitRecordTests {
    private let machine: SimulatedSystem
    private let path = "/records.freehold"

    init() { machine = SimulatedSystem(seed: 11) }

    private func open(creating: Bool = false) throws -> (Database, SimulatedProcess) {
        let process = machine.makeProcess()
        let database = try Database.open(path, OpenOptions.simulated, on: process)
        if creating { try database.write { try $0.createClass(ClassSchema("Note", primaryKey: "id", [PropertySchema("id", .int)])) } }
        return (database, process)
    }

    @discardableResult
    private func add(_ id: Int, to database: Database, _ durability: Durability = .processCrash) throws -> Version {
        let transaction = try database.beginWrite()
        try transaction.insert(into: transaction.table("Note"), primaryKey: .int(Int64(id))) { _ in }
        return try transaction.commit(durability)
    }

    @Test("each of two programs learns which of them made a commit, in the order of time")
    func twoPrograms() throws {
        defer { machine.discard() }
        let (one, first) = try open(creating: true), (other, second) = try open()
        let start = try add(0, to: one)
        for id in 1..<20 { try add(id, to: id % 3 == 0 ? one : other, id % 5 == 0 ? .full : .processCrash) }
        let last = try add(20, to: other)
        for database in [one, other] {
            let commits = try database.commits(start...last)
            #expect(commits.map(\.version.rawValue) == Array(start.rawValue...last.rawValue))
            #expect(commits.map(\.processIdentifier) == (0...20).map { $0 % 3 == 0 ? first.process.id : second.process.id })
            #expect(commits.allSatisfy { $0.processName == ($0.processIdentifier == first.process.id ? first : second).process.name })
            #expect(zip(commits, commits.dropFirst()).allSatisfy { $0.time <= $1.time })
        }
    }

    @Test("of more than 256 commits the last 256 are known; of versions that are not there yet, nothing")
    func manyCommits() throws {
        defer { machine.discard() }
        let (database, process) = try open(creating: true)
        var last = Version.zero
        for id in 0..<300 { last = try add(id, to: database) }
        let commits = try database.commits(Version(1)...Version(last.rawValue + 10))
        #expect(commits.map(\.version.rawValue) == Array(last.rawValue - 255...last.rawValue))
        #expect(commits.allSatisfy { $0.processIdentifier == process.process.id })
        #expect(try database.commits(last.next...Version(last.rawValue + 1000)).isEmpty)
    }

    @Test("a program that has closed the database is known by its number alone")
    func closedProgram() throws {
        defer { machine.discard() }
        let (one, _) = try open(creating: true), (other, second) = try open()
        let version = try add(1, to: other)
        other.close()
        let commit = try #require(try one.commits(version...version).first)
        #expect(commit.processIdentifier == second.process.id)
        #expect(commit.processName == nil)
    }

    @Test("a program of before, which leaves the word as it is, is not taken for the one that committed 256 versions earlier")
    func olderProgram() throws {
        defer { machine.discard() }
        let (database, _) = try open(creating: true)
        let version = try add(1, to: database)
        #expect(try database.commits(version...version).first?.processIdentifier != nil)
        // What such a program writes for the version with the same place.
        let ring = try database.core().session.member.memory.ring
        let later = version.rawValue + UInt64(LockLayout.ringEntries)
        let entry = ring.base + LockLayout.ring + Int(later % UInt64(LockLayout.ringEntries)) * LockLayout.ringEntryBytes
        SharedWord(entry, 0).store(later)
        #expect(ring.entry(of: later)?.committer == nil)
    }
}
