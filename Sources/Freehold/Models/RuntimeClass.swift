import CShims

/// Facts about classes that Swift's run time knows and its language does not offer.
enum RuntimeClass {
    /// The size of an instance in bytes.
    ///
    /// Safe: a class's metadata has its instances' size there on every system without Objective-C; a test compares it with what the
    /// allocator says.
    static func instanceBytes(of type: AnyClass) -> Int {
        Int(unsafeBitCast(type, to: UnsafeRawPointer.self).load(fromByteOffset: 24, as: UInt32.self))
    }

    /// The name of a class alone, without its module and enclosing types.
    ///
    /// Safe: a class's metadata refers to its descriptor, which begins with flags, followed by the name; for generic
    /// classes, whose descriptors do not have the arguments, the run time is called. A test compares the name with the
    /// run time's.
    static func name(of type: AnyClass) -> String {
        let descriptor = unsafeBitCast(type, to: UnsafeRawPointer.self).load(fromByteOffset: 40, as: UnsafeRawPointer.self)
        let name = descriptor + 8, distance = Int(name.load(as: Int32.self))
        guard descriptor.load(as: UInt32.self) & 0x9F == 16, distance != 0 else { return String(describing: type) }
        return String(cString: (name + distance).assumingMemoryBound(to: CChar.self))
    }

    /// `Value` for a field of type `Persisted<Value>`; nil for other fields.
    ///
    /// Asking the run time whether a type conforms makes it search everything it knows, once for each type.
    ///
    /// Safe: the metadata of a struct names its descriptor behind its kind; that of a generic one goes on with its arguments, here a type
    /// and its conformance to `_Persistable`, which is what an existential of that is made of. A test compares it with what the run time says.
    static func persistedValue(of type: any Any.Type) -> (any _Persistable.Type)? {
        let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
        guard metadata.load(as: UInt.self) == structKind, metadata.load(fromByteOffset: 8, as: UInt.self) == persisted else { return nil }
        let parts = (metadata.load(fromByteOffset: 16, as: UInt.self), metadata.load(fromByteOffset: 24, as: UInt.self))
        return unsafeBitCast(parts, to: (any _Persistable.Type).self)
    }

    private static let structKind: UInt = 0x200
    /// The descriptor of `Persisted`.
    ///
    /// Safe: as for `persistedValue(of:)`.
    private static let persisted = unsafeBitCast(Persisted<Int>.self as Any.Type, to: UnsafeRawPointer.self).load(fromByteOffset: 8, as: UInt.self)

    /// An instance with the bytes of `template` after Swift's own.
    ///
    /// Safe: nothing in the template is counted, and it is one of the class.
    static func allocate(_ type: ObjectBase.Type, bytes: Int, from template: UnsafeRawPointer) -> ObjectBase {
        guard let instance = swift_allocObject(unsafeBitCast(type, to: UnsafeRawPointer.self), bytes, 15) else { return type.init() }
        (instance + 16).copyMemory(from: template + 16, byteCount: bytes - 16)
        return Unmanaged<ObjectBase>.fromOpaque(instance).takeRetainedValue()
    }
}
