// Safe throughout: offsets come from `LockLayout`, so each word is aligned, belongs to the mapping, and is only ever
// touched atomically.
import Synchronization

/// A 64-bit word in memory that several processes have mapped.
struct SharedWord: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<Atomic<UInt64>>

    @inline(__always)
    init(_ base: UnsafeMutableRawPointer, _ offset: Int) {
        assert(UInt(bitPattern: base + offset) % 8 == 0, "a word of 64 bits at an odd address is not atomic")
        pointer = (base + offset).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    /// Loads with acquire ordering: what the writer did before its store is seen too.
    @inline(__always) func load() -> UInt64 { pointer.pointee.load(ordering: .acquiring) }
    /// Loads in the single order that all processes agree on (sequentially consistent).
    @inline(__always) func loadInOrder() -> UInt64 { pointer.pointee.load(ordering: .sequentiallyConsistent) }
    @inline(__always) func loadRelaxed() -> UInt64 { pointer.pointee.load(ordering: .relaxed) }
    /// Stores with release ordering: a reader of the value sees what was done before.
    @inline(__always) func store(_ value: UInt64) { pointer.pointee.store(value, ordering: .releasing) }
    /// Stores before any later read (sequentially consistent).
    @inline(__always) func storeInOrder(_ value: UInt64) {
        pointer.pointee.store(value, ordering: .sequentiallyConsistent)
    }
    @inline(__always) func storeRelaxed(_ value: UInt64) { pointer.pointee.store(value, ordering: .relaxed) }
    func exchange(_ value: UInt64) -> UInt64 {
        pointer.pointee.exchange(value, ordering: .sequentiallyConsistent)
    }
    /// Replaces `expected` by compare-and-swap; returns whether the word was `expected`.
    @inline(__always)
    func replace(_ expected: UInt64, with value: UInt64) -> Bool {
        pointer.pointee.compareExchange(
            expected: expected, desired: value, ordering: .sequentiallyConsistent
        ).exchanged
    }
    /// Increments the word; enough changes to wrap do not happen.
    func advance() { _ = pointer.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent) }
    func insert(bits: UInt64) { pointer.pointee.bitwiseOr(bits, ordering: .sequentiallyConsistent) }
    func remove(bits: UInt64) { pointer.pointee.bitwiseAnd(~bits, ordering: .sequentiallyConsistent) }
    /// Raises the word to `value`, unless it is at least that high already.
    func raise(to value: UInt64) {
        _ = pointer.pointee.max(value, ordering: .sequentiallyConsistent)
    }
}

/// A 32-bit word that threads of several processes may sleep on.
struct SharedBell: @unchecked Sendable {
    private let pointer: UnsafeMutablePointer<Atomic<UInt32>>

    init(_ base: UnsafeMutableRawPointer, _ offset: Int) {
        assert(UInt(bitPattern: base + offset) % 4 == 0, "a word of 32 bits at an odd address is not atomic")
        pointer = (base + offset).assumingMemoryBound(to: Atomic<UInt32>.self)
    }

    /// The word as the platform's wait needs it.
    var word: UnsafePointer<UInt32> { UnsafeRawPointer(pointer).assumingMemoryBound(to: UInt32.self) }
    func load() -> UInt32 { pointer.pointee.load(ordering: .sequentiallyConsistent) }
    func store(_ value: UInt32) { pointer.pointee.store(value, ordering: .sequentiallyConsistent) }
    func exchange(_ value: UInt32) -> UInt32 { pointer.pointee.exchange(value, ordering: .sequentiallyConsistent) }
    func replace(_ expected: UInt32, with value: UInt32) -> Bool {
        pointer.pointee.compareExchange(
            expected: expected, desired: value, ordering: .sequentiallyConsistent
        ).exchanged
    }
    /// Changes the word, so that a thread about to sleep on the old value does not.
    func advance() { _ = pointer.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent) }
}
