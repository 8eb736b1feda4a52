import CShims
import FreeholdEngine

/// Goes through a collection.
///
/// An object that nobody else holds is used again for the next one, so that going through a million of them makes one.
public struct RLMIterator<Element>: IteratorProtocol {
    /// The object given last; nil where elements are no objects, or the last one is not to be used again.
    @usableFromInline var object: ObjectBase?
    /// How many objects follow it in its cluster, with keys that count up.
    @usableFromInline var remaining = 0
    /// The fields by which the object was read then: by others it stands in another cluster, or in another version's.
    @usableFromInline var fields: UnsafeRawPointer?
    /// Keeps these fields from being another cluster's.
    private var cluster: LiveCluster?
    @usableFromInline let cursor: ElementCursor<Element>

    init(_ cursor: ElementCursor<Element>) { self.cursor = cursor }

    /// The next element, or nil behind the last.
    @inlinable @inline(__always)
    public mutating func next() -> Element? {
        // Safe: the object is there while the iterator holds it; a cursor that gives objects gives elements of the collection's class.
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

/// An object by its address. No holder is counted for it, as one would be for a reference, at a moment of the compiler's choice.
///
/// Safe throughout: used while somebody holds the object; what stands where is said at `ObjectBase`.
@usableFromInline struct ObjectInstance {
    @usableFromInline let address: UnsafeMutableRawPointer

    @inlinable init(_ address: UnsafeMutableRawPointer) { self.address = address }

    /// Whether there is one strong holder, and no other: the second word of every instance counts them, further strong ones from bit 33 on.
    @inlinable @inline(__always)
    var isHeldOnce: Bool { address.load(fromByteOffset: 8, as: UInt.self) == 3 }

    /// The object for a second holder, where the caller's is the only one. Nobody else can count holders meanwhile, so that this needs no
    /// atomic step, which would take as long as all the rest of going through a collection.
    @inlinable @inline(__always)
    func forSecondHolder() -> ObjectBase {
        address.storeBytes(of: 3 | 1 << 33, toByteOffset: 8, as: UInt.self)
        return Unmanaged<ObjectBase>.fromOpaque(address).takeRetainedValue()
    }

    /// Makes it stand for the next row of its cluster.
    @inlinable @inline(__always)
    func moveOn() {
        let row = (address + 24).assumingMemoryBound(to: Int32.self), key = (address + 32).assumingMemoryBound(to: Int64.self)
        row.pointee &+= 1
        key.pointee &+= 1
    }

    /// Whether this thread reads the object's properties the short way: fields live as long as the object's cluster.
    @inlinable @inline(__always)
    var canBeReadHere: Bool { canBeReadHere(by: address.load(fromByteOffset: 16, as: UnsafeRawPointer?.self)) }

    /// Whether it does so by these fields.
    @inlinable @inline(__always)
    func canBeReadHere(by fields: UnsafeRawPointer?) -> Bool {
        guard let fields, fields == address.load(fromByteOffset: 16, as: UnsafeRawPointer?.self) else { return false }
        return fields.assumingMemoryBound(to: _FieldsHead.self).pointee.thread == freehold_shim_thread_pointer()
    }
}

extension ObjectBase {
    /// Whether this thread reads the object's properties the short way.
    ///
    /// Safe: the object is held meanwhile.
    final var _canBeReadHere: Bool { ObjectInstance(_address).canBeReadHere }
}

/// Where an iterator stands.
@usableFromInline class ElementCursor<Element> {
    /// The next element; nil behind the last.
    ///
    /// - Parameters:
    ///   - object: the object given before, if it may be used again; then the one given now.
    ///   - remaining: how many of the objects that followed it beside each other were not gone on to; then how many follow.
    func next(after object: inout ObjectBase?, _ remaining: inout Int) -> Element? { nil }
}
