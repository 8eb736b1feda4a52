import TestKit
import Testing
@testable import BlockKit
@testable import FreeholdEngine

@Suite("Random commit histories")
struct HistoryTests {
    @Test("Held versions stay intact, nothing is lost or given away, and a reload shows the same map",
          arguments: UInt64(1)...4)
    func randomHistory(seed: UInt64) throws {
        let database = try TestDatabase(seed: seed, clusters: 20)
        for step in 0..<250 {
            try self.step(database)
            if step % 20 == 0 { try check(database) }
        }
        try check(database)
    }

    private func step(_ database: TestDatabase) throws {
        switch Int.random(in: 0..<20, using: &database.random) {
        case 0: database.hold()
        case 1, 2:
            if !database.held.isEmpty {
                database.held.remove(at: Int.random(in: 0..<database.held.count, using: &database.random))
            }
        case 3: try abort(database)
        case 4: try database.update(20, resizing: true)
        case 5: try database.update(1, skip: 7)
        default: try database.update(Int.random(in: 1...4, using: &database.random), resizing: Bool.random(using: &database.random))
        }
    }

    /// A commit that fails while writing, or is given up.
    private func abort(_ database: TestDatabase) throws {
        let before = MapPicture(database.map, held: database.heldVersions)
        database.file.failAt = database.file.writes + 1
        #expect(throws: FreeholdError.self) { try database.update(3, resizing: true) }
        database.file.failAt = .max
        #expect(MapPicture(database.map, held: database.heldVersions) == before)
    }

    private func check(_ database: TestDatabase) throws {
        for version in database.held + [database.newest] {
            #expect(try database.isIntact(version), "version \(version.version)")
        }
        let audit = SpaceWalk.audit(top: database.newest.top, access: database.file.access(), map: database.map)
        #expect(audit.problems == [])
        #expect(audit.granules == database.map.liveGranules)
        let held = database.heldVersions
        let reloaded = MapPicture(try database.load(database.newest), held: held)
        #expect(reloaded == MapPicture(database.map, held: held))
    }

    @Test("A second process that catches up now and then shows the map of the first", arguments: UInt64(1)...4)
    func catchingUp(seed: UInt64) throws {
        let database = try TestDatabase(seed: seed, clusters: 30)
        var other = try database.load(database.newest)
        var reloads = 0
        for _ in 0..<40 {
            for _ in 0..<Int.random(in: 1...25, using: &database.random) { try step(database) }
            let newest = database.newest
            let caughtUp = try other.catchUp(to: newest.version, root: try database.spaceRoot(of: newest),
                                             length: newest.length, access: database.file.access())
            if !caughtUp {
                other = try database.load(newest)
                reloads += 1
            }
            let held = database.heldVersions
            let own = MapPicture(database.map, held: held), others = MapPicture(other, held: held)
            #expect(own.marks == others.marks)
            #expect(own == others)
            // The two take turns writing.
            swap(&other, &database.map)
            database.writer = CommitWriter(map: database.map)
        }
        #expect(reloads < 5, "a writer a few commits behind seldom loads anew")
        try check(database)
    }

    @Test("A map that is behind by any number of commits which freed much catches up with all of it, or is loaded anew",
          arguments: TestScale.seeds(4, long: 16))
    func behindLargeCommits(seed: UInt64) throws {
        let database = try TestDatabase(seed: seed, clusters: 600)
        var behind: [(map: SpaceMap, due: Int)] = [], caughtUp = 0
        for step in 0..<60 {
            for (map, _) in behind.filter({ $0.due == step }) {
                let newest = database.newest, root = try database.spaceRoot(of: newest), own = map.version
                let access = database.file.access()
                guard try map.catchUp(to: newest.version, root: root, length: newest.length, access: access) else { continue }
                caughtUp += 1
                let held = database.heldVersions, isSame = MapPicture(map, held: held) == MapPicture(database.map, held: held)
                #expect(isSame, "seed \(seed): from \(own) to \(newest.version)")
            }
            for lag in 1...8 where lag == 1 + step % 8 || Bool.random(using: &database.random) {
                behind.append((try database.load(database.newest), step + lag))
            }
            // More than a space root records, most of the time: the ranges get chunks of their own.
            try database.update(Int.random(in: 20...160, using: &database.random))
            if step % 7 == 3 { database.hold() }
            if step % 7 == 6 { database.held = [] }
        }
        #expect(caughtUp > 50, "\(caughtUp)")
        try check(database)
    }
}
