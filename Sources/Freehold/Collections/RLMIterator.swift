import CShims
import FreeholdEngine

/// Iterates over a collection of a realm.
///
/// An object that nothing else holds is reused for the next element: a loop over a million objects can create just one.
public struct RLMIterator<Element>: IteratorProtocol {
    /// The last object returned; nil if elements are not objects, or if the last object must not be reused.
    @usableFromInline var object: ObjectBase?
    /// The number of objects after it in its cluster, with consecutive keys.
    @usableFromInline var remaining = 0
    /// The fields through which the object was read then. Other fields mean another cluster, or another version's.
    @usableFromInline var fields: UnsafeRawPointer?
    /// Keeps the address of these fields from being reused for another cluster.
    private var cluster: LiveCluster?
    @usableFromInline let cursor: ElementCursor<Element>

    init(_ cursor: ElementCursor<Element>) { self.cursor = cursor }

    /// The next element; nil after the last.
    @inlinable @inline(__always)
    public mutating func next() -> Element? {
        // Safe: the iterator holds the object; a cursor of objects returns elements of the collection's class.
        if remaining > 0, let instance = withUnsafeMutablePointer(to: &object, { UnsafeMutableRawPointer($0).load(as: ObjectInstance?.self) }),
           instance.isHeldOnce, instance.canBeReadHere(by: fields) {
            remaining &-= 1
            instance.moveOn()
            return unsafeBitCast(instance.forSecondHolder(), to: Element.self)
        }
        return slowNext()
    }

    @usableFromInline @inline(never)
    mutating func slowNext() -> Element? {
        let element = cursor.next(after: &object, &remaining)
        let isGiven = remaining > 0
        fields = isGiven ? UnsafeRawPointer(object?._fields) : nil
        cluster = isGiven ? object?.cluster : nil
        return element
    }
}

/// An object by its address. The address does not count as a holder, unlike a reference, which the compiler counts at
/// moments that it chooses.
///
/// Safe throughout: used only while the object is held; `ObjectBase` documents the memory layout.
@usableFromInline struct ObjectInstance {
    @usableFromInline let address: UnsafeMutableRawPointer

    @inlinable init(_ address: UnsafeMutableRawPointer) { self.address = address }

    /// Whether there is exactly one holder, a strong one: the second word of every instance counts holders, further
    /// strong ones from bit 33 on.
    @inlinable @inline(__always)
    var isHeldOnce: Bool { address.load(fromByteOffset: 8, as: UInt.self) == 3 }

    /// The object for a second holder; the caller's is the only one so far. Nothing else can count holders meanwhile,
    /// so this needs no atomic operation, which would take as long as the rest of the iteration step.
    @inlinable @inline(__always)
    func forSecondHolder() -> ObjectBase {
        address.storeBytes(of: 3 | 1 << 33, toByteOffset: 8, as: UInt.self)
        return Unmanaged<ObjectBase>.fromOpaque(address).takeRetainedValue()
    }

    /// Moves the object to the next row of its cluster.
    @inlinable @inline(__always)
    func moveOn() {
        let row = (address + 24).assumingMemoryBound(to: Int32.self), key = (address + 32).assumingMemoryBound(to: Int64.self)
        row.pointee &+= 1
        key.pointee &+= 1
    }

    /// Whether this thread reads the object's properties the fast way: fields live as long as the object's cluster.
    @inlinable @inline(__always)
    var canBeReadHere: Bool { canBeReadHere(by: address.load(fromByteOffset: 16, as: UnsafeRawPointer?.self)) }

    /// Whether this thread reads the object's properties the fast way by these fields.
    @inlinable @inline(__always)
    func canBeReadHere(by fields: UnsafeRawPointer?) -> Bool {
        guard let fields, fields == address.load(fromByteOffset: 16, as: UnsafeRawPointer?.self) else { return false }
        return fields.assumingMemoryBound(to: _FieldsHead.self).pointee.thread == freehold_shim_thread_pointer()
    }
}

extension ObjectBase {
    /// Whether this thread reads the object's properties the fast way.
    ///
    /// Safe: the object is held during the call.
    final var _canBeReadHere: Bool { ObjectInstance(_address).canBeReadHere }
}

/// The position of an iterator.
@usableFromInline class ElementCursor<Element> {
    /// The next element; nil after the last.
    ///
    /// - Parameters:
    ///   - object: in, the previous object, if it may be reused; out, the object returned.
    ///   - remaining: in, how many of the adjacent objects after it the iterator did not use; out, how many follow.
    func next(after object: inout ObjectBase?, _ remaining: inout Int) -> Element? { nil }
}
