// Handles: the numbers by which C programs hold Swift objects.
//
// A handle is not an address but a number in the shape of a pointer:
//
//     bit 63 … 27   26 … 3   2 … 0
//        generation   slot      0
//
// The slot is an index into a table of chunks; it has the generation with which its handle was created. A handle from a
// caller is looked up and never dereferenced.
//
// 1. A slot's kind determines the class of its object; a look-up compares both.
// 2. A slot owns one reference to its object, from `make` to `end`.
// 3. A slot's generation counts its ends, so no number is used twice; the first is 1, so no handle is NULL.
// 4. Chunks are never moved or freed.
// 5. A forked child never reuses a slot that its parent used: the parent's handles are refused there (`forked`).
//
// Safe throughout: the look-up proves that a slot's chunk exists; kinds and objects match by (1). A handle that one
// thread creates reaches another only by the caller's own synchronization, which orders the writes of the slot before
// it.
import CFreehold
import CShims
import FreeholdEngine
import Platform
import Synchronization

/// The kind of object that a handle stands for.
enum HandleKind: UInt32 {
    case ended, database, snapshot, transaction, reader, cursor, indexCursor, listener, largeValue, query, results, groups, collection, changes, watch, pending
}

/// The contents of a slot.
private struct HandleSlot {
    var generation: UInt64
    var kind: HandleKind
    var forkGeneration: UInt32
    var object: Unmanaged<AnyObject>?
    /// For a snapshot's reader: rows that a call may read without touching the object.
    var recent: UnsafeMutablePointer<RecentRows>?
}

/// An object that C programs hold through handles of one kind.
protocol Handled: AnyObject {
    static var kind: HandleKind { get }
    /// The recent rows of a reader; valid as long as the object.
    var recentRows: UnsafeMutablePointer<RecentRows>? { get }
}

extension Handled {
    var recentRows: UnsafeMutablePointer<RecentRows>? { nil }
}

enum Handles {
    private static let slotBits: UInt = 24
    private static let chunkBits: UInt = 12
    private static let chunkMask: UInt = 1 << chunkBits - 1
    private static let slotMask: UInt = 1 << slotBits - 1

    /// The free slots, and the number of slots ever used.
    private struct Places: Sendable {
        var free: [UInt] = []
        var count: UInt = 0

        /// The places for a forked child whose parent was creating or ending a handle: they begin after all existing
        /// chunks.
        static var behindAll: Places {
            let chunks = freehold_shim_handle_chunks()
            let used = (0..<slotMask >> chunkBits + 1).first { chunks?[Int($0)] == nil } ?? slotMask >> chunkBits + 1
            return Places(count: used << chunkBits)
        }
    }

    private final class GuardedPlaces: Sendable {
        let places: Mutex<Places>
        init(_ places: Places) { self.places = Mutex(places) }
    }

    private static let own = ProcessObject { parents in
        GuardedPlaces((parents as? GuardedPlaces)?.places.withLockIfAvailable { $0 } ?? .behindAll)
    }

    /// Runs `body` with the places locked.
    /// Safe: `own` creates nothing but `GuardedPlaces`.
    private static func withPlaces<Result>(_ body: (inout sending Places) -> sending Result) -> sending Result {
        unsafeDowncast(own.object, to: GuardedPlaces.self).places.withLock(body)
    }

    /// Creates a handle that owns `object`.
    static func make<Object: Handled>(_ object: Object) throws(FreeholdError) -> OpaquePointer {
        let forkGeneration = freehold_shim_fork_generation_word().pointee
        let made = withPlaces { places -> UInt? in
            guard let place = take(&places), let slot = slot(place) else { return nil }
            slot.pointee.kind = Object.kind
            slot.pointee.forkGeneration = forkGeneration
            slot.pointee.object = .passRetained(object)
            slot.pointee.recent = object.recentRows
            return UInt(slot.pointee.generation) << (slotBits + 3) | place << 3
        }
        guard let made, let handle = OpaquePointer(bitPattern: made) else {
            throw FreeholdError(.outOfMemory, "there are \(slotMask + 1) handles; end unused ones")
        }
        return handle
    }

    /// The object of a handle of the requested kind; throws for any other.
    @inline(__always)
    static func object<Object: Handled>(_ handle: OpaquePointer?, _: Object.Type = Object.self) throws(FreeholdError) -> Object {
        let number = UInt(bitPattern: handle)
        guard let slot = slot(number >> 3 & slotMask), number & 7 == 0, slot.pointee.generation == UInt64(number >> (slotBits + 3)),
              slot.pointee.kind == Object.kind, let object = slot.pointee.object else { throw refusal(number, Object.kind) }
        guard slot.pointee.forkGeneration == freehold_shim_fork_generation_word().pointee else { throw forked(Object.kind) }
        return unsafeDowncast(object.takeUnretainedValue(), to: Object.self)
    }

    /// The recent rows of a reader's handle; nil for any other handle, and for an invalid one.
    @inline(__always)
    static func recentRows(_ handle: OpaquePointer?) -> UnsafeMutablePointer<RecentRows>? {
        let number = UInt(bitPattern: handle)
        guard let slot = slot(number >> 3 & slotMask), number & 7 == 0, slot.pointee.generation == UInt64(number >> (slotBits + 3)),
              slot.pointee.forkGeneration == freehold_shim_fork_generation_word().pointee else { return nil }
        return slot.pointee.recent
    }

    /// Ends a handle and releases its object.
    static func end<Object: Handled>(_ handle: OpaquePointer?, _: Object.Type) throws(FreeholdError) {
        _ = try object(handle, Object.self)
        let place = UInt(bitPattern: handle) >> 3 & slotMask
        let object = withPlaces { places -> Unmanaged<AnyObject>? in
            guard let slot = slot(place) else { return nil }
            let object = slot.pointee.object
            slot.pointee = HandleSlot(generation: slot.pointee.generation + 1, kind: .ended, forkGeneration: 0, object: nil, recent: nil)
            // A slot whose last generation was used stays empty.
            if slot.pointee.generation < 1 << (64 - UInt64(slotBits + 3)) { places.free.append(place) }
            return object
        }
        object?.release()
    }

    /// The slot at an index; nil if its chunk does not exist.
    /// Safe: a chunk is one run of slots, all of them initialised.
    @inline(__always)
    private static func slot(_ place: UInt) -> UnsafeMutablePointer<HandleSlot>? {
        guard let chunk = freehold_shim_handle_chunks()[Int(place >> chunkBits)] else { return nil }
        return chunk.assumingMemoryBound(to: HandleSlot.self) + Int(place & chunkMask)
    }

    private static func take(_ places: inout Places) -> UInt? {
        if let free = places.free.popLast() { return free }
        guard places.count <= slotMask else { return nil }
        let place = places.count
        if place & chunkMask == 0 {
            let chunk = UnsafeMutablePointer<HandleSlot>.allocate(capacity: Int(chunkMask) + 1)
            chunk.initialize(repeating: HandleSlot(generation: 1, kind: .ended, forkGeneration: 0, object: nil, recent: nil), count: Int(chunkMask) + 1)
            freehold_shim_handle_chunks()[Int(place >> chunkBits)] = UnsafeMutableRawPointer(chunk)
        }
        places.count += 1
        return place
    }
}

extension Handles {
    @inline(never)
    private static func refusal(_ number: UInt, _ kind: HandleKind) -> FreeholdError {
        guard number != 0 else { return FreeholdError(.invalidArgument, "a \(kind) is needed; NULL was given") }
        guard number & 7 == 0, let slot = slot(number >> 3 & slotMask) else {
            return FreeholdError(.invalidArgument, "a \(kind) is needed; this is not a valid handle")
        }
        let generation = UInt64(number >> (slotBits + 3))
        if generation > 0, generation < slot.pointee.generation { return FreeholdError(.closed, "this \(kind) has ended; create another") }
        guard generation == slot.pointee.generation, slot.pointee.kind != .ended else {
            return FreeholdError(.invalidArgument, "a \(kind) is needed; this is not a valid handle")
        }
        return FreeholdError(.invalidArgument, "a \(kind) is needed; this is a \(slot.pointee.kind)")
    }

    private static func forked(_ kind: HandleKind) -> FreeholdError {
        FreeholdError(.forked, "this \(kind) was created before the process forked; open the database in the child")
    }
}
