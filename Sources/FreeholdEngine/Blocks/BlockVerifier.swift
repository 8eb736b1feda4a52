import CShims
import Platform
import Synchronization

/// The slow path of reading: checks a block the first time this process touches it, and remembers.
///
/// Safe throughout: reads only after the reference is checked against the file's length.
final class BlockVerifier: @unchecked Sendable {
    // Safe: immutable but for `lengthKnown`, which is atomic.
    let path: String
    let system: any System
    /// The stemmings of derived indexes with a language.
    let stemmings: TextStemmings
    /// Asks the file for its present length in bytes.
    private let measure: @Sendable () -> UInt64
    /// Checks the parts specific to the block's kind; returns the fault, or nil.
    let validate: @Sendable (BlockView) -> String?
    /// Whether the mapping has delivered only the file's bytes so far.
    private let isMappingIntact: @Sendable () -> Bool
    private let lengthKnown = Atomic<UInt64>(0)
    /// The birth of the youngest block that a write transaction found damaged, or 0.
    private let damagedInWrite = Atomic<UInt64>(0)
    /// The shadow in which an encrypted file's blocks are decrypted; nil without encryption.
    let shadow: Shadow?
    /// Another access to the same blocks, in which some may have been decrypted.
    private let sharing: BlockAccess?
    // Safe: the window owns this; it is set once, before any other code has either.
    /// The window to which these blocks belong; nil for the usual access, and for plain files.
    unowned(unsafe) var window: BlockWindow?

    init(path: String, system: any System = LinuxSystem.shared, shadow: Shadow? = nil, sharing: BlockAccess? = nil,
         measure: @escaping @Sendable () -> UInt64, validate: @escaping @Sendable (BlockView) -> String?,
         isMappingIntact: @escaping @Sendable () -> Bool = { true }) {
        self.path = path
        self.system = system
        stemmings = TextStemmings(system)
        self.shadow = shadow
        self.sharing = sharing
        self.measure = measure
        self.validate = validate
        self.isMappingIntact = isMappingIntact
    }

    /// Returns a verifier for blocks that are decrypted elsewhere, otherwise equal to this one.
    func with(_ shadow: Shadow, sharing: BlockAccess?) -> BlockVerifier {
        BlockVerifier(path: path, system: system, shadow: shadow, sharing: sharing, measure: measure, validate: validate,
                      isMappingIntact: isMappingIntact)
    }

    /// The file's present length in bytes.
    var fileLength: UInt64 { measure() }

    /// Throws if any read so far met a page that the file could not deliver, and got zeros instead.
    func requireIntactMapping() throws(FreeholdError) {
        guard isMappingIntact() else {
            throw FreeholdError(.io, "part of the file could not be read: it was cut short while it was open, or its disk "
                + "failed; close the database in all processes and restore the file from a backup", path: path)
        }
    }

    /// The birth of the youngest block that write transactions of this process have found damaged since the last call;
    /// 0 for none. Readers do not count: a block found by a reader that has lost its pin may have been overwritten
    /// properly.
    func takeDamage() -> UInt64 { damagedInWrite.exchange(0, ordering: .acquiringAndReleasing) }

    private func noteDamage(_ reference: BlockReference, in access: BlockAccess) {
        if access.pending != nil { damagedInWrite.max(reference.birth, ordering: .acquiringAndReleasing) }
    }

    func verify(_ reference: BlockReference, in access: BlockAccess) throws(FreeholdError) -> BlockView {
        if let view = sharing?.verified(reference) { return view }
        let end = reference.byteOffset + UInt64(reference.byteLength), mapped = access.pageLimit << 12
        guard !reference.isNull, !reference.isPending, (1...BlockLayout.maximumGranules(isEncrypted: shadow != nil)).contains(reference.granuleCount),
              end <= mapped || end <= measure()
        else { throw damaged(reference, "the reference itself is invalid") }
        guard end <= mapped else {
            throw FreeholdError(.outOfMemory, "the file has outgrown the \(mapped) bytes of address space that this process could "
                + "reserve for it; raise its limit (ulimit -v) and open it again", path: path)
        }
        if end > lengthKnown.load(ordering: .relaxed) {
            lengthKnown.store(measure(), ordering: .relaxed)
            guard end <= lengthKnown.load(ordering: .relaxed) else {
                throw FreeholdError(.truncated, "the file ends before byte \(end), which its root refers to; "
                    + "restore it from a backup or run `freehold salvage`", path: path)
            }
        }
        let view = BlockView(start: access.base + Int(reference.byteOffset))
        if let shadow {
            try open(reference, shadow, in: access)
            return view
        }
        guard freehold_shim_checksum(view.start, reference.byteLength) == reference.check else {
            try requireIntactMapping()
            noteDamage(reference, in: access)
            throw damaged(reference, "its checksum does not match")
        }
        if let complaint = Self.complaint(about: view, byteLength: reference.byteLength) ?? validate(view) {
            throw damaged(reference, complaint)
        }
        (access.touched + Int(reference.byteOffset >> 12)).pointee
            .insert(1 << (reference.granuleIndex & 63), birth: reference.birth)
        return view
    }

    /// Decrypts and checks a block of an encrypted file.
    private func open(_ reference: BlockReference, _ shadow: Shadow, in access: BlockAccess) throws(FreeholdError) {
        let length = reference.byteLength - FileCipher.prefixLength
        let outcome = shadow.open(reference) { Self.complaint(about: $0, byteLength: length) ?? validate($0) }
        switch outcome {
        case .intact: return
        case .failed(let error): throw error
        case .damaged(let what):
            try requireIntactMapping()
            noteDamage(reference, in: access)
            throw damaged(reference, what)
        }
    }

    /// The fault of a block's common part, or nil.
    static func complaint(about view: BlockView, byteLength: Int) -> String? {
        guard view.kind != nil else { return "its kind \(view.kindByte) is unknown" }
        let needed = BlockLayout.references + view.referenceCount * BlockReference.byteCount + view.bodyLength
        return needed <= byteLength ? nil : "its parts take \(needed) of \(byteLength) bytes"
    }

    private func damaged(_ reference: BlockReference, _ what: String) -> FreeholdError {
        FreeholdError(.corrupt, "the block at byte \(reference.byteOffset) (\(reference.byteLength) bytes, written by "
            + "version \(reference.birth)) is damaged: \(what); restore a backup or run `freehold salvage`", path: path)
    }
}
