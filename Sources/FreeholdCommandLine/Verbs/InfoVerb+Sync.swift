import FreeholdEngine
import FreeholdImport

extension Snapshot {
    /// How much is pending; nil if no class is synced.
    func syncedPending() throws -> PendingCounts? { try hasSynced ? try pendingCounts() : nil }
}

extension SyncRules {
    /// The rules as an object of JSON.
    var json: ImportedValue {
        JSONObject([
            "onConflict": .text(onConflict == .updateWins ? "updateWins" : "deletionWins"), "counters": .array(counters.map { .text($0) }),
            "merged": .array(merged.map { .text($0) }),
        ]).value
    }
}

extension PendingCounts {
    /// One line.
    var text: String {
        if isEmpty { return "nothing is pending" }
        let parts = [
            (created, Figures.count(created, "created object")), (deleted, Figures.count(deleted, "deleted object")),
            (changes, Figures.count(changes, "change")), (sums, Figures.count(sums, "counter")),
        ]
        return parts.filter { $0.0 > 0 }.map(\.1).joined(separator: ", ") + " pending"
    }

    var json: ImportedValue {
        JSONObject([
            "created": .int(Int64(created)), "deleted": .int(Int64(deleted)), "changes": .int(Int64(changes)), "sums": .int(Int64(sums)),
        ]).value
    }
}
