@testable import FreeholdEngine

/// Classes in a transaction's memory, without a file: tables can be written, finished and read back.
final class Scratch {
    private let verifier = BlockVerifier(path: "", measure: { 0 }, validate: { _ in nil })
    let pending: PendingBlocks
    let buffer = RowBuffer()
    let maker = LeafMaker()

    init() {
        // Safe: no page lies below the limit, so neither pointer is ever followed.
        let nowhere = UnsafeMutableRawPointer(bitPattern: BlockLayout.page)!
        pending = PendingBlocks(reading: BlockAccess(
            base: UnsafeRawPointer(nowhere), touched: nowhere.assumingMemoryBound(to: TouchedPage.self), pageLimit: 0,
            verifier: Unmanaged.passUnretained(verifier), pending: nil))
    }

    func writer(_ stored: StoredClass, _ root: TableRoot = TableRoot()) throws -> TableWriter {
        try TableWriter(stored, root: root, buffer: buffer, maker: maker, in: pending)
    }

    /// Ends the writer's work and reads what it left; every block must pass its own kind's check.
    func finished(_ writer: TableWriter) throws -> TableState {
        let reference = try writer.finished()
        try checkStructure(reference)
        return try TableState(writer.stored, root: TableRoot(reference, in: pending.access), buffer: nil, in: pending.access)
    }

    private func checkStructure(_ reference: BlockReference) throws {
        if reference.isNull { return }
        let view = try pending.access.view(reference)
        if let complaint = BlockStructure.complaint(about: view) { throw FreeholdError(.corrupt, complaint) }
        for index in 0..<view.referenceCount { try checkStructure(view.reference(index)) }
    }

    /// What the checker says of a class.
    func problems(_ state: TableState) throws -> [CheckProblem] {
        var checker = ClusterChecker(state: state, report: CheckReport(version: Version(1)))
        try checker.run()
        return checker.report.problems
    }
}

/// A stored class of these properties, made as the API makes one.
func storedClass(_ properties: [PropertySchema], primaryKey: String? = nil) throws -> StoredClass {
    try StoredSchema.empty.adding(ClassSchema("Thing", primaryKey: primaryKey, properties)).classes[0]
}

extension TableWriter {
    /// Ends the work on the class, as a commit does; returns the table root.
    func finished() throws -> BlockReference {
        try settle()
        return writeRoot()
    }
}
