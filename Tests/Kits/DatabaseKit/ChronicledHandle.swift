@testable import FreeholdEngine
import TestKit

/// One open database of one simulated process, every use of which is written down.
public final class ChronicledHandle {
    private let chronicle: Chronicle
    private let database: Database
    private let pause: (StaticString) -> Void
    /// What it may not fall behind.
    private var seen: UInt64 = 1
    private var hasCommitted = false

    public init(_ database: Database, _ chronicle: Chronicle, pause: @escaping (StaticString) -> Void) {
        self.database = database
        self.chronicle = chronicle
        self.pause = pause
    }

    /// Notes the version that a snapshot has just begun to hold.
    public func take(_ snapshot: Snapshot) {
        let version = snapshot.version.rawValue
        if version < seen { chronicle.complain("a handle sees version \(version) after \(seen)") }
        seen = max(seen, version)
    }

    /// Reads the version that a snapshot holds.
    public func read(_ snapshot: Snapshot, times: Int) throws {
        let version = snapshot.version.rawValue
        for _ in 0..<times {
            let shelf = try Shelf.read(snapshot) { pause("test.reading") }
            chronicle.read(version, shelf, isMereReader: !hasCommitted)
            pause("test.read")
        }
    }

    /// One write transaction.
    public func write(_ durability: Durability, _ random: inout SeededRandom, isToBeRolledBack: Bool) throws {
        let transaction = try database.beginWrite()
        var shelf = try Shelf.read(transaction)
        let version = transaction.version.rawValue
        chronicle.began(base: transaction.lease.newest.version, next: version, found: shelf)
        try shelf.change(transaction, &random)
        if isToBeRolledBack { return transaction.rollback() }
        chronicle.intends(version, shelf, durability)
        do {
            try transaction.commit(durability)
            finish(version, isDurable: durability == .full)
        } catch {
            guard error.code == .notYetDurable else { throw error }
            finish(version, isDurable: false)
        }
    }

    private func finish(_ version: UInt64, isDurable: Bool) {
        hasCommitted = true
        chronicle.acknowledged(version, isDurable: isDurable)
        seen = max(seen, version)
    }

    /// Notes that it was told of a version.
    public func hear(_ version: Version?) {
        guard let version else { return }
        chronicle.heard()
        if version.rawValue < seen && !hasCommitted { chronicle.complain("a handle hears of \(version) after \(seen)") }
        seen = max(seen, version.rawValue)
    }
}
