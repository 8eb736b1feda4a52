import CShims
@testable import FreeholdEngine

/// A file in memory: what a commit writes is what readers see, as with a mapped file.
///
/// Safe throughout: both buffers last as long as the object, and writes are checked against their size.
final class MemoryFile: CommitSink, @unchecked Sendable {
    // Safe: each test uses its file from one thread.
    let pageLimit: Int
    private let base: UnsafeMutableRawPointer
    private let touched: UnsafeMutablePointer<TouchedPage>
    private(set) var length: UInt64
    private(set) var writes = 0
    /// Throw at the write with this number.
    var failAt = Int.max
    private var verifier: BlockVerifier?
    private let validate: @Sendable (BlockView) -> String?

    /// `validate` says what is wrong with a block, beside its checksum, when it is first touched.
    init(pageLimit: Int = 1 << 14, validate: @escaping @Sendable (BlockView) -> String? = { _ in nil }) {
        self.pageLimit = pageLimit
        self.validate = validate
        base = .allocate(byteCount: pageLimit * 4096, alignment: 4096)
        let table = UnsafeMutableRawPointer.allocate(byteCount: pageLimit * 16, alignment: 16)
        table.initializeMemory(as: UInt8.self, repeating: 0, count: pageLimit * 16)
        touched = table.assumingMemoryBound(to: TouchedPage.self)
        length = UInt64(SpaceMap.headerPages * 4096)
        base.initializeMemory(as: UInt8.self, repeating: 0, count: Int(length))
    }

    deinit {
        base.deallocate()
        UnsafeMutableRawPointer(touched).deallocate()
    }

    func access() -> BlockAccess {
        let verifier = self.verifier ?? BlockVerifier(path: "memory", measure: { [unowned self] in self.length },
                                                      validate: validate)
        self.verifier = verifier
        return BlockAccess(base: UnsafeRawPointer(base), touched: touched, pageLimit: UInt64(pageLimit),
                           verifier: .passUnretained(verifier), pending: nil)
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FreeholdError) {
        writes += 1
        guard writes != failAt, Int(offset) + bytes.count <= pageLimit * 4096 else {
            throw FreeholdError(.diskFull, "the test's disk is full")
        }
        precondition(offset <= length && offset % 64 == 0, "a hole")
        (base + Int(offset)).copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
        length = max(length, offset + UInt64(bytes.count))
    }

    func grow(to length: UInt64) throws(FreeholdError) {
        guard Int(length) <= pageLimit * 4096 else { throw FreeholdError(.diskFull, "the test's disk is full") }
        if length <= self.length { return }
        (base + Int(self.length)).initializeMemory(as: UInt8.self, repeating: 0, count: Int(length - self.length))
        self.length = length
    }

    /// Makes the file longer without touching the memory.
    func extend(to length: UInt64) { self.length = max(self.length, length) }

    func truncate(to length: UInt64) { self.length = min(length, self.length) }

    /// Forgets which blocks were verified.
    func forgetVerified() {
        UnsafeMutableRawPointer(touched).initializeMemory(as: UInt8.self, repeating: 0, count: pageLimit * 16)
    }

    /// Puts a block anywhere, past the end too, and returns a reference that its checksum fits.
    func place(_ bytes: [UInt8], atGranule granule: UInt64, birth: UInt64) -> BlockReference {
        (base + Int(granule) * 64).copyMemory(from: bytes, byteCount: bytes.count)
        length = max(length, UInt64(pageLimit * 4096))
        return BlockReference(location: granule << 16 | UInt64(bytes.count / 64), birth: birth,
                              check: freehold_shim_checksum(bytes, bytes.count), tag: 0)
    }

    /// Changes one byte, as a failing disk would.
    func damage(at offset: UInt64) { (base + Int(offset)).storeBytes(of: 0xa5, as: UInt8.self) }

    func copyBytes(_ offset: UInt64, _ count: Int) -> [UInt8] {
        Array(UnsafeRawBufferPointer(start: base + Int(offset), count: count))
    }
}
