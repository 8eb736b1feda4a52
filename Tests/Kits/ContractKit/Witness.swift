// Safe throughout: one page is mapped for the process's life and used as one atomic word.
import Glibc
import Platform
import Synchronization

/// Finds two writers at work at the same time, by a word that they share outside the database.
///
/// A writer swaps its number in after it has begun and takes it out behind its commit point, still inside the lock. If
/// its number is gone by then, another has entered meanwhile. (Who dies inside leaves its number to the next.)
// Safe: the word behind the pointer is used as an atomic only.
public final class Witness: @unchecked Sendable {
    private let word: UnsafeMutablePointer<Atomic<UInt64>>
    private let own = Atomic<UInt64>(0)
    private let overlaps = Atomic(0)

    /// - Parameter path: a file of any processes that are to be watched together; made if need be.
    public init(_ path: String) throws {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
        guard descriptor >= 0, ftruncate(descriptor, 4096) == 0,
            let page = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), page != MAP_FAILED
        else { throw Complaint("no witness at \(path)") }
        close(descriptor)
        word = page.assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    /// The point at which a writer leaves: behind its commit point, before it gives the lock away.
    public static let leavingPoint = "publish.visibleSet"

    public func enter(_ number: UInt64) {
        own.store(number, ordering: .relaxed)
        word.pointee.store(number, ordering: .sequentiallyConsistent)
    }

    /// Called at `leavingPoint`.
    public func leave() {
        let number = own.exchange(0, ordering: .relaxed)
        guard number != 0 else { return }
        let outcome = word.pointee.compareExchange(expected: number, desired: 0, ordering: .sequentiallyConsistent)
        if !outcome.exchanged { overlaps.wrappingAdd(1, ordering: .relaxed) }
    }

    /// How often another writer was inside at the same time.
    public var overlapCount: Int { overlaps.load(ordering: .relaxed) }
}
