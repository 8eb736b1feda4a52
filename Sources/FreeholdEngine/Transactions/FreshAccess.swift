import Platform

/// A second way to the blocks of an open database that has verified nothing yet.
///
/// Safe throughout: the table is reserved here and released with this object, which its user keeps alive.
final class FreshAccess {
    let access: BlockAccess
    private let touched: UnsafeMutableRawPointer
    private let byteCount: Int

    init(_ core: DatabaseCore) throws(FreeholdError) {
        byteCount = Int(core.access.pageLimit) * MemoryLayout<TouchedPage>.stride
        guard let touched = ReservedMemory.reserve(byteCount: byteCount) else {
            throw FreeholdError(.outOfMemory, "no address space for a check; raise the process's limit (ulimit -v)", path: core.path)
        }
        self.touched = touched
        access = BlockAccess(base: core.access.base, touched: touched.assumingMemoryBound(to: TouchedPage.self),
                             pageLimit: core.access.pageLimit, verifier: core.access.verifier, pending: nil)
    }

    deinit { ReservedMemory.release(touched, byteCount: byteCount) }
}
