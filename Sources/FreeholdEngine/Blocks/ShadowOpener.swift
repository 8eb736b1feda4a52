import Platform

/// The state with which a stripe opens blocks.
///
/// Safe throughout: the scratch memory holds the longest block; a block that is searched for has the bytes it is given.
final class ShadowOpener {
    private let opener: BlockOpener
    private var scratch: SecretMemory?

    init(_ cipher: FileCipher) { opener = BlockOpener(cipher) }

    /// Decrypts a block to where it is to lie.
    func open(_ block: UnsafeRawBufferPointer, _ reference: BlockReference, to plain: UnsafeMutableRawPointer) throws(SystemError) -> Bool {
        try opener.open(
            block, to: plain, location: reference.location, birth: reference.birth, tag: (reference.check, reference.tag))
    }

    /// Decrypts a block by way of other memory: the present contents of its place stay if the block is damaged.
    func open(_ block: UnsafeRawBufferPointer, _ reference: BlockReference, carefullyTo plain: UnsafeMutableRawPointer) throws(SystemError) -> Bool {
        guard let view = try view(block, reference) else { return false }
        plain.copyMemory(from: view.start, byteCount: reference.byteLength - FileCipher.prefixLength)
        return true
    }

    /// Verifies a block by decrypting it to scratch memory.
    func verify(_ block: UnsafeRawBufferPointer, _ reference: BlockReference) throws(SystemError) -> Bool {
        try view(block, reference) != nil
    }

    /// Decrypts a block to memory that the next call uses again; nil if it is damaged.
    func view(_ block: UnsafeRawBufferPointer, _ reference: BlockReference) throws(SystemError) -> BlockView? {
        let plain = try memory().base
        return try open(block, reference, to: plain) ? BlockView(start: UnsafeRawPointer(plain)) : nil
    }

    private func memory() throws(SystemError) -> SecretMemory {
        if let scratch { return scratch }
        let length = BlockLayout.maximumBytes(isEncrypted: true)
        guard let memory = SecretMemory(byteCount: length, atLeast: length) else {
            throw SystemError(code: ErrorNumber.outOfMemory, call: "mmap", path: "")
        }
        scratch = memory
        return memory
    }

    /// A reference to the block that was sealed at a granule, independent of any parent; nil if there is none, or it is
    /// damaged.
    /// - Parameters:
    ///   - bytes: what stands there, up to the end of the file.
    ///   - isWanted: asked before the whole block is looked at, of what may turn out to be none.
    func reference(toBlockAt granule: Int, in bytes: UnsafeRawBufferPointer, isWanted: (BlockKind) -> Bool) throws(SystemError) -> BlockReference? {
        guard bytes.count >= BlockLayout.granule, let start = bytes.baseAddress else { return nil }
        let prefix = SealedPrefix(start)
        // Other bytes nearly never pass for these two.
        guard (1...FileCipher.blocksPerEpoch).contains(prefix.counter), (1..<Root.versionLimit).contains(prefix.birth) else { return nil }
        let plain = try memory().base, head = FileCipher.prefixLength..<BlockLayout.granule
        try opener.peek(prefix, UnsafeRawBufferPointer(rebasing: bytes[head]), to: plain)
        let view = BlockView(start: UnsafeRawPointer(plain))
        guard let kind = view.kind, isWanted(kind), view.bodyLength < 1 << 16 else { return nil }
        let granules = BlockLayout.granules(references: view.referenceCount, body: view.bodyLength, prefix: FileCipher.prefixLength)
        guard granules <= BlockLayout.maximumGranules(isEncrypted: true), granules * BlockLayout.granule <= bytes.count else { return nil }
        let reference = BlockReference(
            location: UInt64(granule) << 16 | UInt64(granules), birth: prefix.birth, check: prefix.tag.0, tag: prefix.tag.1)
        return try verify(UnsafeRawBufferPointer(rebasing: bytes[..<(granules * BlockLayout.granule)]), reference) ? reference : nil
    }
}
