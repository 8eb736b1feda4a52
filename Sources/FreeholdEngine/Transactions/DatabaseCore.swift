import Platform
import Synchronization

/// What every snapshot and transaction of one open database shares: the session, the way to blocks, and the writer's
/// tools, which only the holder of the writer lock touches.
///
/// Safe throughout: `writing` is used by the thread inside a write only (the session's lock sees to it); the touched
/// table is reserved here and released with this object, after all snapshots and transactions, which keep it alive.
final class DatabaseCore: @unchecked Sendable {
    let session: Session
    let access: BlockAccess
    private let verifier: BlockVerifier
    private let touchedBytes: Int
    private let schemas = Mutex<KnownSchema?>(nil)
    let writing: WriterTools

    private struct KnownSchema {
        let reference: BlockReference
        let schema: Schema
    }

    var path: String { session.path }

    init(_ session: Session) throws(FreeholdError) {
        self.session = session
        let file = session.file
        verifier = BlockVerifier(path: session.path, measure: { UInt64((try? file.length()) ?? 0) },
                                 validate: BlockStructure.complaint, isMappingIntact: { !file.mapping.hasFaulted })
        let pages = file.mappedLength / BlockLayout.page
        touchedBytes = pages * MemoryLayout<TouchedPage>.stride
        guard let touched = ReservedMemory.reserve(byteCount: touchedBytes) else {
            try? session.close()
            throw FreeholdError(.outOfMemory, "no address space for the table of verified pages; raise the process's "
                + "limit (ulimit -v)", path: session.path)
        }
        access = BlockAccess(base: file.base, touched: touched.assumingMemoryBound(to: TouchedPage.self),
                             pageLimit: UInt64(pages), verifier: Unmanaged.passUnretained(verifier), pending: nil)
        writing = WriterTools(access: access, path: session.path)
    }

    deinit {
        try? session.close()
        ReservedMemory.release(UnsafeMutableRawPointer(access.touched), byteCount: touchedBytes)
    }

    /// The schema stored at `reference`; snapshots of an unchanged schema share one object, also where a commit has moved
    /// its block.
    func schema(_ reference: BlockReference, in access: BlockAccess) throws(FreeholdError) -> Schema {
        if reference.isNull { return .empty }
        let known = schemas.withLock { $0 }
        if let known, known.reference == reference { return known.schema }
        var schema = try SchemaCodec.decode(LargeValue.read(reference, in: access))
        if let known, known.schema.classes == schema.classes { schema = known.schema }
        if !reference.isPending { schemas.withLock { $0 = KnownSchema(reference: reference, schema: schema) } }
        return schema
    }
}
