import DatabaseKit
@testable import FreeholdEngine
import Glibc
import TestKit
import Testing

/// One process at a time syncs a file: who has the lease, and when the next one gets it.
@Suite struct SyncLeaseTests {
    @Test("one handle has the lease, whether the others are in its process or not, until it gives it up or lets it go",
          arguments: [false, true])
    func handles(encrypted: Bool) throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let options = encrypted ? OpenOptions.simulated(seed: 3) : .simulated, first = machine.makeProcess(), second = machine.makeProcess()
        let one = try Database.open("/x.freehold", options, on: first), same = try Database.open("/x.freehold", options, on: first)
        let other = try Database.open("/x.freehold", options, on: second)
        let lease = try #require(try one.takeSyncLease())
        #expect(lease.isHeld)
        for database in [one, same, other] { #expect(try database.takeSyncLease() == nil) }
        lease.release()
        var next = try other.takeSyncLease()
        #expect(try next != nil && one.takeSyncLease() == nil)
        next = nil
        #expect(try same.takeSyncLease() != nil)
        for database in [one, same, other] { database.close() }
        #expect { try one.takeSyncLease() } throws: { ($0 as? FreeholdError)?.code == .closed }
    }

    @Test("writers, readers and closers take no notice of the lease")
    func others() throws {
        let machine = SimulatedSystem(seed: 2)
        defer { machine.discard() }
        let first = machine.makeProcess(), second = machine.makeProcess()
        let agent = try Database.open("/x.freehold", .simulated, on: first)
        let program = try Database.open("/x.freehold", .simulated, on: second)
        let lease = try #require(try agent.takeSyncLease())
        try program.write { try $0.createClass(ClassSchema("A", [PropertySchema("a", .int)])) }
        program.close()
        // Neither does the lease keep the session: it ends with the last handle, and the next one begins.
        agent.close()
        let again = try Database.open("/x.freehold", .simulated, on: second)
        #expect(try again.snapshot().classes.count == 1)
        #expect(try lease.isHeld && again.takeSyncLease() == nil)
        lease.release()
        #expect(try again.takeSyncLease() != nil)
        again.close()
    }

    @Test("who reads only gets no lease, and is told so")
    func readOnly() throws {
        let folder = try TemporaryFolder(), path = folder.file("x.freehold")
        let database = try Database.open(path)
        defer { database.close() }
        var options = OpenOptions()
        options.readOnly = true
        let reader = try Database.open(path, options)
        defer { reader.close() }
        #expect { try reader.takeSyncLease() } throws: { ($0 as? FreeholdError)?.code == .readOnly }
    }

    @Test("a copy and a file put into place have leases of their own, and one that was replaced is held no longer")
    func replaced() throws {
        let folder = try TemporaryFolder(), path = folder.file("x.freehold"), copyPath = folder.file("y.freehold")
        let database = try Database.open(path)
        defer { database.close() }
        let lease = try #require(try database.takeSyncLease())
        try database.copy(to: copyPath)
        let copy = try Database.open(copyPath)
        #expect(try copy.takeSyncLease() != nil)
        copy.close()
        #expect(rename(copyPath, path) == 0)
        #expect(!lease.isHeld)
        let newer = try Database.open(path)
        defer { newer.close() }
        #expect(try newer.takeSyncLease() != nil)
        #expect { try database.takeSyncLease() } throws: { ($0 as? FreeholdError)?.code == .fileReplaced }
    }

    @Test("the lease goes with its process when that is killed, also one whose forked children live on")
    func killed() throws {
        let folder = try TemporaryFolder(), path = folder.file("x.freehold")
        let database = try Database.open(path)
        defer { database.close() }
        for children in [0, 2, 0] {
            let holder = try SpawnedProcess("LiveHelper", ["lease", path, "0", "\(children)"])
            var lines: [String] = []
            for _ in 0...children { lines.append(try #require(try holder.readLine())) }
            #expect(lines.contains("held true"))
            #expect(lines.filter { $0.hasPrefix("child") }.allSatisfy { $0.hasSuffix(" false") })
            defer {
                for line in lines where line.hasPrefix("child") {
                    if let child = Int32(line.split(separator: " ")[1]) { kill(child, SIGKILL) }
                }
            }
            #expect(try database.takeSyncLease() == nil)
            try SpawnedProcess("LiveHelper", ["lease", path, "0", "0"]).expect("refused")
            holder.signal(SIGSTOP)
            #expect(try database.takeSyncLease() == nil)
            holder.killNow()
            let lease = try #require(try database.takeSyncLease())
            lease.release()
        }
    }
}
