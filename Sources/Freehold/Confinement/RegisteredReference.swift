import CShims

/// A reference that a registry keeps to an object without keeping the object alive.
///
/// It does what a weak reference does, under two conditions, and without its price: a single weak reference to an object
/// moves the object's reference counts to a side table for good, and each managed object of a program counts a reference
/// to its realm.
/// 1. The object removes itself from the registry in its `deinit`, under the registry's lock. So as long as an entry is
///    found under that lock the object's memory is there, though its `deinit` may have begun on another thread.
/// 2. `kept()` is called under that lock only. It gives nil from the moment at which the last reference was released.
///
/// The references it gives are released after the lock, because the last one runs the `deinit`, which takes it.
///
/// Safe to share: see the conditions.
struct RegisteredReference<Object: AnyObject>: @unchecked Sendable {
    private let object: Unmanaged<Object>

    init(_ object: Object) { self.object = .passUnretained(object) }

    /// Identifies the object.
    var identity: ObjectIdentifier { ObjectIdentifier(object.toOpaque()) }

    /// The object, kept from now on; nil if it is being freed.
    func kept() -> Kept<Object>? { swift_tryRetain(object.toOpaque()) == nil ? nil : Kept(object: object.takeRetainedValue()) }
}

/// An object on its way out of the lock of such a table.
///
/// Safe to share: it stays on the thread that holds the lock.
struct Kept<Object: AnyObject>: @unchecked Sendable {
    let object: Object
}

extension ObjectIdentifier {
    /// Safe: the address is one of an object, and identifies it as long as it exists.
    fileprivate init(_ address: UnsafeMutableRawPointer) { self = unsafeBitCast(address, to: ObjectIdentifier.self) }
}
