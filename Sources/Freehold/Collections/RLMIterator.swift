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
    @usableFromInline let cursor: ElementCursor<Element>

    init(_ cursor: ElementCursor<Element>) { self.cursor = cursor }

    /// The next element, or nil behind the last.
    @inlinable @inline(__always)
    public mutating func next() -> Element? {
        if remaining > 0, let object, object._isHeldOnce, object._canBeReadHere {
            remaining &-= 1
            object._row &+= 1
            object._key &+= 1
            // Safe: a cursor that gives objects gives elements of the collection's class.
            return unsafeBitCast(object, to: Element.self)
        }
        return slowNext()
    }

    @usableFromInline @inline(never)
    mutating func slowNext() -> Element? {
        return cursor.next(after: &object, &remaining)
    }
}

extension ObjectBase {
    /// Whether the caller is the only one to hold the object, not even weakly by another.
    ///
    /// Safe: the second word of every instance counts its holders; this is its value for one strong holder and no other.
    @inlinable @inline(__always)
    final var _isHeldOnce: Bool { UnsafeRawPointer(_address).load(fromByteOffset: 8, as: UInt.self) == 3 }

    /// Whether this thread reads the object's properties the short way.
    ///
    /// Safe: fields live as long as the object's cluster.
    @inlinable @inline(__always)
    final var _canBeReadHere: Bool {
        guard let fields = _fields else { return false }
        return UnsafeRawPointer(fields).assumingMemoryBound(to: _FieldsHead.self).pointee.thread == freehold_shim_thread_pointer()
    }
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
