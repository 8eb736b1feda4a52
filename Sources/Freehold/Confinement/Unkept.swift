import CShims

/// A reference that does not keep its object alive, for a table whose members remove themselves before they are freed.
///
/// It is not `weak`: that would make counting references to the object several times as slow.
///
/// Safe to share: the object is retained before it is used, under the lock under which it removes itself.
struct Unkept<Object: AnyObject>: @unchecked Sendable {
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
