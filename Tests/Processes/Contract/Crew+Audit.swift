import ContractKit
import FreeholdEngine
import Testing

extension Crew {
    /// Everything that must hold once all have ended.
    func audit(sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))", sourceLocation: sourceLocation)
        let database = try Database.open(path, Ledger.options(for: path))
        defer { database.close() }
        let snapshot = try database.snapshot()
        let wrong = try Ledger.audit(snapshot, acknowledged: acknowledged, underWay: 1)
        #expect(wrong.isEmpty, "\(wrong.prefix(10).joined(separator: "\n"))", sourceLocation: sourceLocation)
        snapshot.end()
        let report = try database.check()
        #expect(report.isClean, "\(report.problems.prefix(10))", sourceLocation: sourceLocation)
        let information = try database.information()
        #expect(information.holders.count <= 1, "\(information.holders)", sourceLocation: sourceLocation)
        #expect(information.heldBytes == 0, "pages are kept for nobody", sourceLocation: sourceLocation)
    }
}
