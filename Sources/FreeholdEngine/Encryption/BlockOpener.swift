import Platform

/// The prefix before a block's ciphertext.
///
/// Safe throughout: its maker has all of the prefix.
struct SealedPrefix {
    let epoch: FileCipher.Epoch
    let counter: UInt64
    let birth: UInt64
    /// The reference's two words.
    let tag: (UInt64, UInt64)

    init(_ start: UnsafeRawPointer) {
        func word(_ offset: Int) -> UInt64 { UInt64(littleEndian: start.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) }
        epoch = FileCipher.Epoch(high: word(0), low: word(8))
        counter = word(FileCipher.counterOffset)
        birth = word(FileCipher.birthOffset)
        // As they stand in a reference: bytes, not a number.
        tag = (start.loadUnaligned(fromByteOffset: FileCipher.tagOffset, as: UInt64.self),
               start.loadUnaligned(fromByteOffset: FileCipher.tagOffset + 8, as: UInt64.self))
    }
}

/// Opens blocks of one file; used by one thread at a time.
///
/// Safe throughout: buffers have the lengths that their callers give them.
final class BlockOpener {
    private let cipher: FileCipher
    private var epoch = FileCipher.Epoch(high: 0, low: 0)
    private var opener: (any Opener)?

    init(_ cipher: FileCipher) { self.cipher = cipher }

    /// Decrypts a whole block to `plain`, which gets as many bytes less the prefix.
    /// - Parameter tag: the reference's two words.
    /// - Returns: whether it is the block that was sealed for this place; if not, `plain` may hold garbage.
    func open(
        _ block: UnsafeRawBufferPointer, to plain: UnsafeMutableRawPointer, location: UInt64, birth: UInt64,
        tag: (UInt64, UInt64)
    ) throws(SystemError) -> Bool {
        let prefix = SealedPrefix(block.baseAddress!)
        guard prefix.birth == birth || prefix.birth == FileCipher.unborn, prefix.tag == tag else { return false }
        try turn(to: prefix.epoch)
        let bytes = UnsafeRawBufferPointer(rebasing: block[FileCipher.prefixLength...])
        return withUnsafeBytes(of: tag) { tag in
            FileCipher.withAssociated(location, prefix.birth) {
                opener!.open(bytes, to: plain, Nonce(counter: prefix.counter), associated: $0, tag: tag.baseAddress!)
            }
        }
    }

    /// Decrypts the first bytes of a possible block, unauthenticated: they say how long it is.
    func peek(_ prefix: SealedPrefix, _ bytes: UnsafeRawBufferPointer, to plain: UnsafeMutableRawPointer) throws(SystemError) {
        try turn(to: prefix.epoch)
        _ = withUnsafeBytes(of: (UInt64(0), UInt64(0))) { tag in
            opener!.open(bytes, to: plain, Nonce(counter: prefix.counter), associated: UnsafeRawBufferPointer(start: nil, count: 0),
                         tag: tag.baseAddress!)
        }
    }

    private func turn(to wanted: FileCipher.Epoch) throws(SystemError) {
        if opener != nil, wanted == epoch { return }
        try cipher.blockKey(wanted).withBytes { key throws(SystemError) in
            if let opener { opener.setKey(key) } else { opener = try cipher.cryptography.makeOpener(key: key) }
        }
        epoch = wanted
    }
}
