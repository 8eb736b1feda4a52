import Platform
import Synchronization

/// What every snapshot and transaction of one open database shares: the session, the access to blocks, and the writer's
/// tools, which only the holder of the writer lock touches.
///
/// Safe throughout: `writing` is used by the thread inside a write only (the session's lock ensures that); the touched
/// table is reserved here and released with this object, after all snapshots and transactions, which keep it alive.
final class DatabaseCore: @unchecked Sendable {
    let session: Session
    let access: BlockAccess
    /// Where an encrypted file's blocks are decrypted; nil without encryption.
    let shadow: Shadow?
    private let verifier: BlockVerifier
    private let touchedBytes: Int
    private let schemas = Mutex<KnownSchema?>(nil)
    // Safe: replaced and used by the owner of the writer lock only.
    @exclusivity(unchecked) private(set) var writing: WriterTools
    /// What a parked version may cost before this process's commits take it away.
    let parkedLimit: ParkedLimit
    /// How many threads may work on one query.
    let threadLimit: Int

    private struct KnownSchema {
        let reference: BlockReference
        let schema: StoredSchema
    }

    var path: String { session.path }

    /// - Parameter threadLimit: nil for `SharedWork.threadCount`.
    init(_ session: Session, decryptedBytesLimit: Int, parkedLimit: ParkedLimit, threadLimit: Int?) throws(FreeholdError) {
        self.parkedLimit = parkedLimit
        self.threadLimit = threadLimit ?? SharedWork.threadCount
        self.session = session
        let file = session.file
        var pages = file.mappedLength / BlockLayout.page
        // An encrypted file is read from a second address range, as long as the first or as long as is available.
        let memory = file.cipher == nil ? nil : SecretMemory(
            byteCount: (pages + 1) * BlockLayout.page, atLeast: min(file.mappedLength, max(DataFile.leastReserve, FileLayout.pages(holding: (try? file.length()) ?? 0))))
        if let memory { pages = min(pages, memory.byteCount / BlockLayout.page - 1) }
        touchedBytes = pages * MemoryLayout<TouchedPage>.stride
        let tooLittle = FreeholdError(.outOfMemory, "too little address space for the table of verified pages or for decrypted "
            + "pages; raise the process's limit (ulimit -v, RLIMIT_AS)", path: session.path)
        guard file.cipher == nil || memory != nil, let space = ReservedMemory.reserve(byteCount: touchedBytes) else {
            try? session.close()
            throw tooLittle
        }
        let touched = space.assumingMemoryBound(to: TouchedPage.self)
        var shadow: Shadow?
        if let cipher = file.cipher, let memory {
            shadow = Shadow(
                cipher, file: file.base, touched: touched, memory: memory, pageLimit: pages, limit: decryptedBytesLimit)
            if shadow == nil {
                ReservedMemory.release(space, byteCount: touchedBytes)
                try? session.close()
                throw tooLittle
            }
        }
        self.shadow = shadow
        verifier = BlockVerifier(path: session.path, system: session.system, shadow: shadow, measure: { UInt64((try? file.length()) ?? 0) },
                                 validate: BlockStructure.complaint, isMappingIntact: { !file.mapping.hasFaulted })
        access = BlockAccess(base: memory.map { UnsafeRawPointer($0.base) } ?? file.base, touched: touched,
                             pageLimit: UInt64(pages), verifier: Unmanaged.passUnretained(verifier), pending: nil)
        writing = Self.tools(session, access)
    }

    private static func tools(_ session: Session, _ access: BlockAccess) -> WriterTools {
        WriterTools(access: access, cipher: session.file.cipher, path: session.path) { session.heldVersionsForCommit().first ?? 0 }
    }

    /// Ends the session if this write has read a block of an undurable version that differs from what was written (E3);
    /// nil if it has not.
    func failureOfWrite(_ lease: WriteLease) -> FreeholdError? {
        let birth = verifier.takeDamage()
        // A writer that has lost the lock may have read what another writer put there.
        guard birth > 0, birth <= lease.newest.version, session.isUnderWay(lease) else { return nil }
        return session.flusher.noteDamage(bornAt: birth)
    }

    /// Leaves the writer's tools to the lost transaction that has them.
    func makeNewTools() { writing = Self.tools(session, access) }

    deinit {
        try? session.close()
        ReservedMemory.release(UnsafeMutableRawPointer(access.touched), byteCount: touchedBytes)
    }

    /// The schema stored at `reference`; snapshots of an unchanged schema share one object, also where a commit has moved
    /// its block.
    func schema(_ reference: BlockReference, in access: BlockAccess) throws(FreeholdError) -> StoredSchema {
        if reference.isNull { return .empty }
        let known = schemas.withLock { $0 }
        if let known, known.reference == reference { return known.schema }
        var schema = try SchemaCodec.decode(LargeValue.read(reference, in: access))
        if let known, known.schema.version == schema.version, known.schema.classes == schema.classes { schema = known.schema }
        if !reference.isPending { schemas.withLock { $0 = KnownSchema(reference: reference, schema: schema) } }
        return schema
    }
}

/// How much the parked versions of others may cost; nil: unlimited.
struct ParkedLimit: Sendable {
    /// Versions committed since the parked one.
    var versions: UInt64?
    /// Bytes of pages that are kept for the parked version alone, or for it and older ones.
    var bytes: UInt64?
}
