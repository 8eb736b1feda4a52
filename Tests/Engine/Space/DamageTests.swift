import CShims
import Testing
@testable import BlockKit
@testable import FreeholdEngine

@Suite("Damage is found, and never trusted")
struct DamageTests {
    @Test("Freeing a block twice, or one that is not live, stops the commit before it writes")
    func doubleFree() throws {
        let database = try TestDatabase(seed: 1, clusters: 20)
        let old = database.newest.top
        for _ in 0..<3 {
            let pending = database.transaction()
            let (top, table) = try database.edit(pending)
            pending.free(table.view.reference(0))
            pending.free(table.view.reference(0))
            expectRefused(database, pending, top)
        }
        try database.update(1)
        let pending = database.transaction()
        let (top, _) = try database.edit(pending)
        pending.free(old)
        expectRefused(database, pending, top)
        try database.update(1)
        #expect(try database.isIntact(database.newest))
    }

    private func expectRefused(_ database: TestDatabase, _ pending: PendingBlocks, _ top: BlockReference) {
        let writes = database.file.writes
        #expect { try database.commit(pending, top: top) } throws: { ($0 as? FreeholdError)?.code == .corrupt }
        #expect(database.file.writes == writes)
    }

    @Test("The audit names lost, twice used, given away and damaged blocks")
    func audit() throws {
        let database = try TestDatabase(seed: 2, clusters: 20)
        try database.update(3)
        let access = database.file.access(), newest = database.newest
        func kinds(_ map: SpaceMap) -> Set<String> {
            Set(SpaceWalk.audit(top: newest.top, access: access, map: map).problems.map { "\($0.kind)" })
        }
        #expect(kinds(database.map) == [])
        let page = (4..<database.map.table.count).first { PageMark.isLive(database.map.table.mark($0)) }!
        let lost = try database.load(newest)
        lost.applyTaken(TakenRun(page: lost.runs.allRuns()[0].lowerBound, granules: 3), version: 9)
        #expect(kinds(lost) == ["lost"])
        let given = try database.load(newest)
        given.table.setMark(page, given.table.mark(page) - 1)
        #expect(kinds(given) == ["freeButLive"])
        let younger = try database.load(newest)
        younger.table.setBirth(page, 77)
        #expect(kinds(younger) == ["wrongBirth"])
        database.file.damage(at: UInt64(page * 4096 + 40))
        #expect(kinds(database.map).contains("damaged"))
    }

    @Test("Verifying a version reads what was born after its base, and only that")
    func verifying() throws {
        let database = try TestDatabase(seed: 4, clusters: 20)
        let base = database.newest.version, oldPage = 4
        for _ in 0..<5 { try database.update(2) }
        let top = database.newest.top
        // Damage in a block of the base version: its reader would find it, the recovery need not.
        database.file.damage(at: UInt64(oldPage * 4096 + 100))
        try SpaceWalk.verify(top: top, bornAfter: base, access: freshAccess(database), path: "memory")
        #expect(throws: FreeholdError.self) {
            try SpaceWalk.verify(top: top, bornAfter: 0, access: freshAccess(database), path: "memory")
        }
        database.file.damage(at: top.byteOffset + 30)
        #expect(throws: FreeholdError.self) {
            try SpaceWalk.verify(top: top, bornAfter: base, access: freshAccess(database), path: "memory")
        }
    }

    /// An access that has verified nothing yet.
    private func freshAccess(_ database: TestDatabase) -> BlockAccess {
        database.file.forgetVerified()
        return database.file.access()
    }

    @Test("Altered space blocks with right checksums give errors or a map, never a crash", arguments: UInt64(1)...3)
    func fuzz(seed: UInt64) throws {
        let database = try TestDatabase(seed: seed, clusters: 60)
        for _ in 0..<700 { try database.update(4, resizing: true) }
        let root = try database.spaceRoot(of: database.newest)
        var refused = 0, accepted = 0
        for round in 0..<800 {
            let altered = alteredRoot(database, root, round)
            do {
                let map = try SpaceMap.load(version: database.newest.version, root: altered, length: database.newest.length,
                                            access: database.file.access(), path: "memory")
                map.begin(version: database.newest.version + 1, held: database.heldVersions)
                if let start = try map.takeWhole(2) { map.recordTaken(page: start, granules: 2 * BlockLayout.granulesPerPage) }
                map.discard()
                accepted += 1
            } catch {
                #expect(error.code == .corrupt)
                refused += 1
            }
        }
        #expect(refused > 80 && accepted > 0, "refused \(refused), accepted \(accepted)")
    }

    /// A space root of which one block (root, chunk or fold) is altered, written at the end of the file with all
    /// checksums right.
    private func alteredRoot(_ database: TestDatabase, _ root: BlockReference, _ round: Int) -> BlockReference {
        var bytes = database.file.copyBytes(root.byteOffset, root.byteLength)
        let count = Int(bytes[2])
        let slot = Int.random(in: -1..<count, using: &database.random)
        if slot >= 0 {
            let at = BlockLayout.references + slot * BlockReference.byteCount
            let child = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: at, as: BlockReference.self) }
            var childBytes = database.file.copyBytes(child.byteOffset, child.byteLength)
            alter(&childBytes, database)
            let place = UInt64(database.file.pageLimit - 32) << 6
            let moved = database.file.place(childBytes, atGranule: place, birth: UInt64(1_000_000 + round))
            withUnsafeBytes(of: moved) { bytes.replaceSubrange(at..<at + 32, with: $0) }
        } else {
            alter(&bytes, database)
        }
        return database.file.place(bytes, atGranule: UInt64(database.file.pageLimit - 64) << 6,
                                   birth: UInt64(1_000_000 + round))
    }

    private func alter(_ bytes: inout [UInt8], _ database: TestDatabase) {
        for _ in 0..<Int.random(in: 1...4, using: &database.random) {
            let at = Int.random(in: 0..<(Bool.random(using: &database.random) ? 64 : bytes.count), using: &database.random)
            bytes[min(at, bytes.count - 1)] = UInt8.random(in: 0...255, using: &database.random)
        }
    }
}
