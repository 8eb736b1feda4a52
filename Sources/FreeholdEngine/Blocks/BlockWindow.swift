import Platform

/// A second access to the blocks of an open database, for a pass over more blocks than should stay in memory.
///
/// It decrypts the blocks of an encrypted file into memory of its own, all of which `rest` releases once there is much
/// of it. So one pass over a file of any length needs the window and no more, though its snapshot is held all the
/// while.
///
/// 1. It is used on one thread at a time.
/// 2. Pointers to its blocks are valid until `rest` returns that it has released them: memory is zeros then, so a block
///    whose first byte (its kind) is 0 is gone. Code that kept a pointer checks that byte, and looks the block up
///    again.
/// 3. While `enter` was called more often than `leave` by more than one, a caller further up holds pointers: no memory
///    is released.
///
/// Safe throughout: the table is reserved here and released with this object, which its user keeps alive.
final class BlockWindow {
    let access: BlockAccess
    private let verifier: BlockVerifier
    private let shadow: Shadow?
    private let touched: UnsafeMutableRawPointer
    private let byteCount: Int
    // Safe: one thread uses the window.
    @exclusivity(unchecked) private var uses = 0

    /// Opens a window beside `main`; nil if there is no address space for it.
    ///
    /// - Parameters:
    ///   - main: the usual access.
    ///   - length: bytes of the version that will be read.
    ///   - limit: about how many bytes it may keep decrypted.
    ///   - trusting: whether blocks that were found intact before count as intact; those that are decrypted already are
    ///     read in place.
    init?(beside main: BlockAccess, length: UInt64, limit: Int, trusting: Bool) {
        let own = main.verifier.takeUnretainedValue()
        let pages = main.shadow == nil ? Int(main.pageLimit) : min(Int(main.pageLimit), FileLayout.pages(holding: Int(length)) / BlockLayout.page)
        byteCount = pages * MemoryLayout<TouchedPage>.stride
        guard let touched = ReservedMemory.reserve(byteCount: byteCount) else { return nil }
        self.touched = touched
        let table = touched.assumingMemoryBound(to: TouchedPage.self)
        guard let around = main.shadow else {
            (shadow, verifier) = (nil, own)
            access = BlockAccess(base: main.base, touched: table, pageLimit: UInt64(pages), verifier: main.verifier, pending: nil)
            return
        }
        guard let memory = SecretMemory(byteCount: (pages + 1) * BlockLayout.page, atLeast: (pages + 1) * BlockLayout.page),
              let shadow = Shadow(around.cipher, file: around.file, touched: table, memory: memory, pageLimit: pages, limit: limit / 4 * 3)
        else {
            ReservedMemory.release(touched, byteCount: byteCount)
            return nil
        }
        self.shadow = shadow
        verifier = own.with(shadow, sharing: trusting ? main : nil)
        access = BlockAccess(base: UnsafeRawPointer(memory.base), touched: table, pageLimit: UInt64(pages),
                             verifier: Unmanaged.passUnretained(verifier), pending: nil)
        verifier.window = self
    }

    deinit { ReservedMemory.release(touched, byteCount: byteCount) }

    /// Bytes decrypted in it.
    var residentBytes: Int { shadow?.residentBytes ?? 0 }
    /// Whether it is time to `rest`.
    var fullness: ShadowGauge? { shadow?.fullness }

    func enter() { uses += 1 }
    func leave() {
        assert(uses > 0, "a use of the window ends that did not begin (3)")
        uses -= 1
    }

    /// Releases memory if there is too much; true if earlier pointers have become invalid.
    func rest() -> Bool { uses <= 1 && shadow?.rest() == true }
}
