// Safe throughout: offsets come from `LockLayout`, so each word is aligned, belongs to the mapping, and is only ever
// touched atomically.
import Synchronization

/// A word of 64 bits in memory that several processes have mapped.
struct SharedWord: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<Atomic<UInt64>>

    @inline(__always)
    init(_ base: UnsafeMutableRawPointer, _ offset: Int) {
        pointer = (base + offset).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    /// Reads; what the writer did before it stored is seen too.
    @inline(__always) func load() -> UInt64 { pointer.pointee.load(ordering: .acquiring) }
    /// Reads in the one order all processes agree on.
    @inline(__always) func loadInOrder() -> UInt64 { pointer.pointee.load(ordering: .sequentiallyConsistent) }
    @inline(__always) func loadRelaxed() -> UInt64 { pointer.pointee.load(ordering: .relaxed) }
    /// Stores; whoever reads it sees what was done before.
    @inline(__always) func store(_ value: UInt64) { pointer.pointee.store(value, ordering: .releasing) }
    /// Stores before anything that follows is read.
    @inline(__always) func storeInOrder(_ value: UInt64) {
        pointer.pointee.store(value, ordering: .sequentiallyConsistent)
    }
    @inline(__always) func storeRelaxed(_ value: UInt64) { pointer.pointee.store(value, ordering: .relaxed) }
    func exchange(_ value: UInt64) -> UInt64 {
        pointer.pointee.exchange(value, ordering: .sequentiallyConsistent)
    }
    /// Replaces `expected`; returns whether it was that.
    @inline(__always)
    func replace(_ expected: UInt64, with value: UInt64) -> Bool {
        pointer.pointee.compareExchange(
            expected: expected, desired: value, ordering: .sequentiallyConsistent
        ).exchanged
    }
    /// Makes the word another one, and greater; so many changes that it wraps do not happen.
    func advance() { _ = pointer.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent) }
    func insert(bits: UInt64) { pointer.pointee.bitwiseOr(bits, ordering: .sequentiallyConsistent) }
    func remove(bits: UInt64) { pointer.pointee.bitwiseAnd(~bits, ordering: .sequentiallyConsistent) }
    /// Raises the word to `value` unless it is that high already.
    func raise(to value: UInt64) {
        _ = pointer.pointee.max(value, ordering: .sequentiallyConsistent)
    }
}

/// A word of 32 bits that threads of several processes may sleep on.
struct SharedBell: @unchecked Sendable {
    private let pointer: UnsafeMutablePointer<Atomic<UInt32>>

    init(_ base: UnsafeMutableRawPointer, _ offset: Int) {
        pointer = (base + offset).assumingMemoryBound(to: Atomic<UInt32>.self)
    }

    /// The word as the platform's wait wants it.
    var word: UnsafePointer<UInt32> { UnsafeRawPointer(pointer).assumingMemoryBound(to: UInt32.self) }
    func load() -> UInt32 { pointer.pointee.load(ordering: .sequentiallyConsistent) }
    func store(_ value: UInt32) { pointer.pointee.store(value, ordering: .sequentiallyConsistent) }
    func exchange(_ value: UInt32) -> UInt32 { pointer.pointee.exchange(value, ordering: .sequentiallyConsistent) }
    func replace(_ expected: UInt32, with value: UInt32) -> Bool {
        pointer.pointee.compareExchange(
            expected: expected, desired: value, ordering: .sequentiallyConsistent
        ).exchanged
    }
    /// Changes the word, so that whoever is about to sleep on the old value does not.
    func advance() { _ = pointer.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent) }
}
