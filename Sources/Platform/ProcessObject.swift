import CShims
import Synchronization

/// An object that exists once in each process of a line of forks, created on first use.
///
/// State that a process shares and guards by a lock is kept in such an object: the parent's lock may be held forever by
/// a thread that the child does not have.
public final class ProcessObject: Sendable {
    public typealias Object = AnyObject & Sendable

    private final class Cell: Sendable {
        let forkGeneration: UInt32
        let object: any Object
        /// The parent's object. A thread of this process may still be in it if the fork happened meanwhile, so it is
        /// never freed.
        let parents: Cell?

        init(_ forkGeneration: UInt32, _ object: any Object, _ parents: Cell?) {
            (self.forkGeneration, self.object, self.parents) = (forkGeneration, object, parents)
        }
    }

    /// The address of the newest cell, or 0.
    private let newest = Atomic<UInt>(0)
    private let make: @Sendable (_ parents: (any Object)?) -> any Object

    /// - Parameter make: creates a process's object; in a child it is called with the parent's, which is locked forever
    ///   if it cannot be locked at once.
    public init(_ make: @escaping @Sendable (_ parents: (any Object)?) -> any Object) {
        freehold_shim_watch_forks()
        self.make = make
    }

    /// The object of the calling process.
    public var object: any Object {
        let generation = freehold_shim_fork_generation()
        while true {
            let address = newest.load(ordering: .acquiring)
            // Safe: what stands there was retained for good.
            let known = UnsafeRawPointer(bitPattern: address).map { Unmanaged<Cell>.fromOpaque($0).takeUnretainedValue() }
            if let known, known.forkGeneration == generation { return known.object }
            let cell = Unmanaged.passRetained(Cell(generation, make(known?.object), known))
            let made = UInt(bitPattern: cell.toOpaque())
            if newest.compareExchange(expected: address, desired: made, ordering: .acquiringAndReleasing).exchanged { return cell.takeUnretainedValue().object }
            cell.release()
        }
    }
}
