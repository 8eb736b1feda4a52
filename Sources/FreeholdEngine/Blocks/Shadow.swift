import Platform
import Synchronization

/// An encrypted file's blocks, decrypted: the memory that takes the mapped file's place below `BlockAccess`.
///
/// A block lies here at the offset it has in the file, once this process has touched it; it is shorter by the prefix.
/// ```
/// file      │ epoch, counter │ ciphertext ……………………………… │
/// shadow    │ kind, …, references, body, zeros │ (unused)   │
/// ```
/// 1. A block is decrypted at its first touch, under the lock of its page's stripe, and found by its bit from then on.
///    A thread that sees the bit sees the block's bytes.
/// 2. No code has a pointer to a block whose bit is not set: so it is decrypted in its final place.
/// 3. Memory is released only while no snapshot or transaction uses the blocks (`enter`, `leave`): pointers never
///    outlive the snapshot or transaction they came from. Objects that outlive those compare `generation`.
/// 4. A clock over chunks of 64 KiB releases it: chunks not touched since the hand's last visit are released, down to
///    three quarters of the limit.
///    Two MiB that are in use throughout become one large page, as the file's own mapping has them.
/// 5. A block ends at most `reach` pages behind its first: with a chunk go the bits of so many pages before it.
///
/// Safe throughout: offsets come from references that were compared with `pageLimit`; `touched` has an entry for each page
/// below it and outlives this object's users. No counter here comes near its bounds.
final class Shadow: @unchecked Sendable {
    let cipher: FileCipher
    let memory: SecretMemory
    /// The bytes of the file.
    let file: UnsafeRawPointer
    let touched: UnsafeMutablePointer<TouchedPage>
    let pageLimit: Int
    private let limit: Int
    /// Whether references may lead to what lies over blocks that are in use, as in a damaged file.
    private let isCareful: Bool
    private let stripes: [Stripe]
    private let chunks: ShadowChunks

    /// Number of snapshots and transactions that use blocks; far below zero while memory is being released.
    private let users = Atomic<Int>(0)
    private static let sweeping = -1 << 40
    /// Changes whenever blocks may have been released.
    private let sweeps = Atomic<UInt64>(0)
    private let sweepLock = Mutex<Int>(0)

    static let chunkPages = 16
    static let chunkBytes = chunkPages * BlockLayout.page
    static let reach = 17
    private static let stripeCount = 64

    private final class Stripe: Sendable {
        let opener: Mutex<ShadowOpener>

        init(_ cipher: FileCipher) { opener = Mutex(ShadowOpener(cipher)) }
    }

    /// Nil if there is no address space for its tables.
    ///
    /// - Parameters:
    ///   - pageLimit: the pages that `touched` has entries for.
    ///   - limit: about how many bytes stay decrypted while no use is open.
    ///   - isCareful: a block is decrypted elsewhere first, and comes to its place if it is intact.
    init?(
        _ cipher: FileCipher, file: UnsafeRawPointer, touched: UnsafeMutablePointer<TouchedPage>, memory: SecretMemory,
        pageLimit: Int, limit: Int, isCareful: Bool = false
    ) {
        guard let chunks = ShadowChunks(count: (pageLimit + Self.chunkPages - 1) / Self.chunkPages) else { return nil }
        self.chunks = chunks
        self.cipher = cipher
        self.file = file
        self.touched = touched
        self.memory = memory
        self.pageLimit = pageLimit
        self.limit = max(limit, Self.chunkBytes)
        self.isCareful = isCareful
        stripes = (0..<Self.stripeCount).map { _ in Stripe(cipher) }
    }

    /// Bytes of memory behind it at the moment, rounded up to chunks.
    var residentBytes: Int { chunks.residentCount * Self.chunkBytes }

    // MARK: blocks

    /// The result of an attempt to open a block.
    enum Outcome: Sendable {
        case intact
        case damaged(String)
        case failed(FreeholdError)
    }

    /// Decrypts a block if that is not done yet, checks it, and notes it.
    func open(_ reference: BlockReference, _ check: (BlockView) -> String?) -> Outcome {
        let page = Int(reference.byteOffset >> 12)
        return stripes[page % Self.stripeCount].opener.withLock { opener -> Outcome in
            let bit: UInt64 = 1 << (reference.granuleIndex & 63)
            let plain = memory.base + Int(reference.byteOffset)
            if (touched + page).pointee.warm(reference.birth) { use(reference) }
            if (touched + page).pointee.contains(bit, birth: reference.birth) { return .intact }
            do throws(SystemError) {
                let block = UnsafeRawBufferPointer(start: file + Int(reference.byteOffset), count: reference.byteLength)
                let isIntact = isCareful ? try opener.open(block, reference, carefullyTo: plain)
                    : try opener.open(block, reference, to: plain)
                guard isIntact else { return .damaged("its authentication tag does not match") }
            } catch { return .failed(FreeholdError(error, "decrypt a block")) }
            if let complaint = check(BlockView(start: plain)) { return .damaged(complaint) }
            note(reference, bit, page)
            return .intact
        }
    }

    /// Whether the file has the block's bytes as they were sealed.
    func isIntact(_ reference: BlockReference) -> Bool {
        stripes[Int(reference.byteOffset >> 12) % Self.stripeCount].opener.withLock { opener -> Bool in
            let block = UnsafeRawBufferPointer(start: file + Int(reference.byteOffset), count: reference.byteLength)
            return (try? opener.verify(block, reference)) ?? false
        }
    }

    /// Copies a block that this process has just committed, so that it need not decrypt it again.
    func adopt(_ plain: UnsafeRawPointer, _ reference: BlockReference) {
        let page = Int(reference.byteOffset >> 12)
        guard page + Self.reach < pageLimit else { return }
        stripes[page % Self.stripeCount].opener.withLock { _ in
            let place = memory.base + Int(reference.byteOffset)
            let used = BlockView(start: plain).usedLength, length = reference.byteLength - FileCipher.prefixLength
            assert(used <= length, "a block outgrew its place")
            place.copyMemory(from: plain, byteCount: used)
            (place + used).initializeMemory(as: UInt8.self, repeating: 0, count: length - used)
            note(reference, 1 << (reference.granuleIndex & 63), page)
        }
    }

    private func note(_ reference: BlockReference, _ bit: UInt64, _ page: Int) {
        use(reference)
        (touched + page).pointee.insert(bit, birth: reference.birth)
    }

    private func use(_ reference: BlockReference) {
        let last = Int(reference.byteOffset) + reference.byteLength - 1
        assert(last / BlockLayout.page <= pageLimit + Self.reach, "a block beyond the shadow")
        chunks.use(Int(reference.byteOffset) / Self.chunkBytes...last / Self.chunkBytes) { large in
            // Where memory comes and goes it stays in small pages.
            if residentBytes < limit { memory.gather(large * SecretMemory.largePage) }
        }
    }

    // MARK: use and rest

    /// Changes whenever pointers to blocks that were got before may have become wrong.
    var generation: UInt64 { sweeps.load(ordering: .acquiring) }

    /// Begins to use blocks; none is released before `leave`.
    @inline(__always)
    func enter() {
        if users.wrappingAdd(1, ordering: .acquiring).oldValue < 0 { enterLater() }
    }

    @inline(never)
    private func enterLater() {
        repeat {
            users.wrappingSubtract(1, ordering: .releasing)
            // The sweeping thread holds it.
            sweepLock.withLock { _ in }
        } while users.wrappingAdd(1, ordering: .acquiring).oldValue < 0
    }

    /// Ends a use. The last one releases memory if there is too much.
    @inline(__always)
    func leave() {
        let left = users.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue
        assert(left >= 0 || left < Self.sweeping / 2, "a use of the shadow ends that did not begin")
        if left == 0, residentBytes > limit { sweep(downTo: limit / 4 * 3) }
    }

    /// Bytes that a window beside this shadow may take.
    var windowLimit: Int { windowLimit(share: 1) }

    /// Bytes that each of so many windows may take.
    func windowLimit(share: Int) -> Int { max(limit / 4 / share, 2 * Self.chunkBytes) }

    /// Whether what is read once only had better be decrypted in a window.
    var crowding: ShadowGauge { chunks.gauge(mostBytes: limit - min(windowLimit, limit / 2)) }
    /// Whether there is more than there should be.
    var fullness: ShadowGauge { chunks.gauge(mostBytes: limit) }

    /// Releases everything if there is much and no use is open; true if pointers to blocks may have become invalid.
    func rest() -> Bool {
        if !fullness.isOver { return false }
        sweep(downTo: 0)
        return true
    }

    @inline(never)
    private func sweep(downTo wanted: Int) {
        sweepLock.withLock { sweepCount in
            guard users.compareExchange(expected: 0, desired: Self.sweeping, ordering: .acquiringAndReleasing).exchanged else { return }
            sweepCount += 1
            sweeps.wrappingAdd(1, ordering: .releasing)
            chunks.turn(until: wanted / Self.chunkBytes, cool: cool, drop: drop)
            assert(wanted > 0 || residentBytes == 0, "a shadow that released all has \(residentBytes) bytes")
            users.wrappingSubtract(Self.sweeping, ordering: .acquiringAndReleasing)
        }
    }

    private func pages(of chunk: Int) -> Range<Int> {
        let first = chunk * Self.chunkPages
        return first..<min(first + Self.chunkPages, pageLimit)
    }

    private func cool(_ chunk: Int) {
        for page in pages(of: chunk) { (touched + page).pointee.cool() }
    }

    private func drop(_ chunk: Int) {
        let pages = pages(of: chunk)
        for page in max(0, pages.lowerBound - Self.reach)..<pages.upperBound { (touched + page).pointee.clear() }
        memory.drop(pages.lowerBound * BlockLayout.page, pages.count * BlockLayout.page)
    }
}
