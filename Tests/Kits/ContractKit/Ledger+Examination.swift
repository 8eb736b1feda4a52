import FreeholdEngine

extension Ledger {
    /// What one version says in short.
    public struct Sight: Sendable {
        public let version: Version
        public let entries: Int
    }

    /// Looks whether a version adds up, quickly enough to be done all the time; throws a `Complaint` if not.
    @discardableResult
    public static func examine(_ snapshot: Snapshot) throws -> Sight {
        let entries = try snapshot.table("Entry")
        let writers = try snapshot.table("Writer")
        let accounts = try snapshot.table("Account")
        let where_ = "version \(snapshot.version)"
        let last = try writers.sum(writers.column("last"))
        guard last == .int(Int64(entries.count)) || entries.count == 0 else {
            throw Complaint("\(where_): \(entries.count) entries, the writers count \(last)")
        }
        let balance = try accounts.sum(accounts.column("balance"))
        guard balance == .int(0) else { throw Complaint("\(where_): balances sum up to \(balance)") }
        let account = ObjectKey(Int64(snapshot.version.rawValue) % Self.accounts + 1)
        let links = try entries.backlinkCount(to: account, from: entries.column("account"))
        let counted = try accounts.value(account, accounts.column("entries"))
        guard counted == .int(Int64(links)) else {
            throw Complaint("\(where_): account \(account) counts \(counted) entries, \(links) link to it")
        }
        return Sight(version: snapshot.version, entries: entries.count)
    }

    /// Every entry of every writer: sequence → version. Throws at duplicates.
    public static func entries(_ snapshot: Snapshot) throws -> [Int64: [Int64: UInt64]] {
        let table = try snapshot.table("Entry")
        let (writer, sequence, version) = (
            try table.column("writer"), try table.column("sequence"), try table.column("version"))
        var found: [Int64: [Int64: UInt64]] = [:]
        try table.forEach { row in
            let (name, number) = (try row.int(writer), try row.int(sequence))
            let previous = found[name, default: [:]].updateValue(UInt64(try row.int(version)), forKey: number)
            guard previous == nil else { throw Complaint("entry \(number) of writer \(name) is there twice") }
            return true
        }
        return found
    }

    /// Compares what is stored with what writers were told: each acknowledged entry, at its version, and at most
    /// `underWay` more of each writer, without a hole.
    public static func audit(
        _ snapshot: Snapshot, acknowledged: [Int64: [Int64: UInt64]], underWay: Int64
    ) throws -> [String] {
        try examine(snapshot)
        let stored = try entries(snapshot)
        var wrong: [String] = []
        for writer in Set(stored.keys).union(acknowledged.keys).sorted() {
            let has = stored[writer] ?? [:]
            let told = acknowledged[writer] ?? [:]
            for (sequence, version) in told where has[sequence] != version {
                wrong.append("entry \(sequence) of writer \(writer) was acknowledged as version \(version); "
                    + "stored is \(has[sequence].map(String.init) ?? "nothing")")
            }
            let last = Int64(has.count)
            if let highest = has.keys.max(), highest != last { wrong.append("writer \(writer) has \(last) entries up to \(highest)") }
            if last > (told.keys.max() ?? 0) + underWay { wrong.append("writer \(writer) has more than it could begin") }
        }
        return wrong
    }
}
