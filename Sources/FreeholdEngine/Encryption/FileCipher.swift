// Safe throughout: blocks and records are as long as the lengths passed with them; `state` is touched under `gate` only.
import Platform
import Synchronization

/// Seals and opens the blocks and records of one encrypted file, in one process.
///
/// ```
/// block:  0  16  epoch    16  8  counter    24  8  birth    32  16  tag    48 …  ciphertext, as long as its granules allow
/// ```
/// 1. No nonce is used twice: the epoch is random and this process's own, drawn anew after a fork, and its counter only
///    grows. What was sealed for a commit that never happened has used its numbers up.
/// 2. The tag stands in the reference. It vouches for location and birth as well, and with the birth's commit for the
///    whole tree below a root. Birth and tag stand before the block once more, so that a salvage can tell a block that
///    nothing refers to any more; a block whose own differ from the reference's is not the one referred to.
/// 3. A block that is sealed before its birth is known has 0 in the birth's place, and its tag vouches for that.
final class FileCipher: @unchecked Sendable {
    /// Bytes before a block's ciphertext.
    static let prefixLength = 48
    /// Where in the prefix things stand: behind the epoch.
    static let counterOffset = 16, birthOffset = 24, tagOffset = 32
    /// Bytes of the code after a record that authenticates it.
    static let codeLength = 16
    /// Maximum number of blocks sealed in one epoch.
    static let blocksPerEpoch: UInt64 = 1 << 32
    /// The birth of a block that was sealed before its birth was known.
    static let unborn: UInt64 = 0
    /// Maximum number of epochs whose keys are cached.
    private static let knownEpochs = 4096

    struct Epoch: Hashable, Sendable {
        var high: UInt64
        var low: UInt64
    }

    /// The file's identifier, two words.
    let file: [UInt64]
    let cryptography: any Cryptography
    /// The user's key, for copies under the same one.
    let master: SecretBytes
    let dataKey: SecretBytes
    private let recordKey: SecretBytes
    private let system: any System
    private let gate = Mutex<Void>(())
    // Safe: under `gate`, which nothing below comes back to.
    @exclusivity(unchecked) private var state: Sealing?
    private let blockKeys = Mutex<[Epoch: SecretBytes]>([:])

    /// The state with which this process seals.
    private final class Sealing {
        let epoch: Epoch
        let forkGeneration: UInt32
        let sealer: any Sealer
        // Safe: as `state`.
        @exclusivity(unchecked) var counter: UInt64 = 0

        init(_ epoch: Epoch, _ sealer: any Sealer, forkGeneration: UInt32) {
            self.epoch = epoch
            self.sealer = sealer
            self.forkGeneration = forkGeneration
        }
    }

    init(_ wrapping: KeyWrapping, dataKey: SecretBytes, _ system: any System) {
        file = wrapping.file
        master = wrapping.master
        cryptography = wrapping.cryptography
        self.dataKey = dataKey
        self.system = system
        recordKey = dataKey.derive("freehold records 1", wrapping.file, with: wrapping.cryptography)
    }

    // MARK: blocks

    /// Encrypts a block where it lies: plain bytes behind the room for the prefix.
    /// - Parameter birth: `unborn` if it is not known yet.
    /// - Returns: the two halves of its tag.
    func seal(
        _ block: UnsafeMutableRawBufferPointer, location: UInt64, birth: UInt64
    ) throws(SystemError) -> (UInt64, UInt64) {
        let (start, length) = (block.baseAddress!, block.count)
        return try gate.withLock { _ throws(SystemError) in
            let sealing = try currentSealing()
            sealing.counter += 1
            let (epoch, counter) = (sealing.epoch, sealing.counter)
            start.storeBytes(of: epoch.high.littleEndian, as: UInt64.self)
            start.storeBytes(of: epoch.low.littleEndian, toByteOffset: 8, as: UInt64.self)
            start.storeBytes(of: counter.littleEndian, toByteOffset: Self.counterOffset, as: UInt64.self)
            start.storeBytes(of: birth.littleEndian, toByteOffset: Self.birthOffset, as: UInt64.self)
            let bytes = UnsafeRawBufferPointer(start: start + Self.prefixLength, count: length - Self.prefixLength)
            var tag: (UInt64, UInt64) = (0, 0)
            withUnsafeMutableBytes(of: &tag) { tag in
                Self.withAssociated(location, birth) {
                    sealing.sealer.seal(
                        bytes, to: start + Self.prefixLength, Nonce(counter: counter), associated: $0, tag: tag.baseAddress!)
                }
            }
            start.storeBytes(of: tag.0, toByteOffset: Self.tagOffset, as: UInt64.self)
            start.storeBytes(of: tag.1, toByteOffset: Self.tagOffset + 8, as: UInt64.self)
            return tag
        }
    }

    private func currentSealing() throws(SystemError) -> Sealing {
        if let state, state.forkGeneration == system.forkGeneration, state.counter < Self.blocksPerEpoch { return state }
        let next = try beginEpoch()
        state = next
        return next
    }

    private func beginEpoch() throws(SystemError) -> Sealing {
        var epoch = Epoch(high: 0, low: 0)
        // Safe: two words without padding.
        withUnsafeMutableBytes(of: &epoch) { system.fillRandom($0) }
        let sealer = try blockKey(epoch).withBytes { key throws(SystemError) in try cryptography.makeSealer(key: key) }
        return Sealing(epoch, sealer, forkGeneration: system.forkGeneration)
    }

    func blockKey(_ epoch: Epoch) -> SecretBytes {
        blockKeys.withLock { known in
            if let key = known[epoch] { return key }
            if known.count >= Self.knownEpochs { known.removeAll() }
            let key = dataKey.derive("freehold blocks 1", file + [epoch.high, epoch.low], with: cryptography)
            known[epoch] = key
            return key
        }
    }

    /// Calls `body` with location and birth as the tag authenticates them.
    static func withAssociated<Result>(_ location: UInt64, _ birth: UInt64, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let words = (location.littleEndian, birth.littleEndian)
        return withUnsafeBytes(of: words) { body($0) }
    }

    // MARK: records

    /// The code that authenticates a record at `offset`: the first half of its HMAC.
    func code(of record: UnsafeRawBufferPointer, at offset: Int) -> (UInt64, UInt64) {
        withUnsafeTemporaryAllocation(byteCount: record.count + 8 + 32, alignment: 8) { buffer in
            buffer.storeBytes(of: UInt64(offset).littleEndian, as: UInt64.self)
            (buffer.baseAddress! + 8).copyMemory(from: record.baseAddress!, byteCount: record.count)
            let message = UnsafeRawBufferPointer(rebasing: buffer[..<(record.count + 8)])
            let code = UnsafeMutableRawBufferPointer(rebasing: buffer[(record.count + 8)...])
            recordKey.withBytes { cryptography.authenticate(message, key: $0, into: code) }
            return (code.loadUnaligned(as: UInt64.self), code.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
    }
}
