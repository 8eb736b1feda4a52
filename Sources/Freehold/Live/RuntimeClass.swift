import CShims

/// What Swift's run time knows of classes, and its language does not say.
enum RuntimeClass {
    /// Bytes of an instance.
    ///
    /// Safe: a class's metadata has its instances' size there on every system without Objective-C; a test compares it with what the
    /// allocator says.
    static func instanceBytes(of type: AnyClass) -> Int {
        Int(unsafeBitCast(type, to: UnsafeRawPointer.self).load(fromByteOffset: 24, as: UInt32.self))
    }

    /// The name of a class by itself, without the module's or that of what it stands within.
    ///
    /// Safe: a class's metadata names its descriptor, which begins with flags and names the class behind them; those of generic classes, which
    /// say nothing of the arguments, are left to the run time. A test compares it with what that says.
    static func name(of type: AnyClass) -> String {
        let descriptor = unsafeBitCast(type, to: UnsafeRawPointer.self).load(fromByteOffset: 40, as: UnsafeRawPointer.self)
        let name = descriptor + 8, distance = Int(name.load(as: Int32.self))
        guard descriptor.load(as: UInt32.self) & 0x9F == 16, distance != 0 else { return String(describing: type) }
        return String(cString: (name + distance).assumingMemoryBound(to: CChar.self))
    }

    /// What a field of type `Persisted<Value>` is a property of: `Value`; nil for other fields.
    ///
    /// Asking the run time whether a type conforms takes it through everything it knows, once for each type.
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
    /// Safe: as above.
    private static let persisted = unsafeBitCast(Persisted<Int>.self as Any.Type, to: UnsafeRawPointer.self).load(fromByteOffset: 8, as: UInt.self)

    /// An instance with the bytes of `template` behind Swift's own.
    ///
    /// Safe: nothing in the template is counted, and it is one of the class.
    static func allocate(_ type: ObjectBase.Type, bytes: Int, from template: UnsafeRawPointer) -> ObjectBase {
        guard let instance = swift_allocObject(unsafeBitCast(type, to: UnsafeRawPointer.self), bytes, 15) else { return type.init() }
        (instance + 16).copyMemory(from: template + 16, byteCount: bytes - 16)
        return Unmanaged<ObjectBase>.fromOpaque(instance).takeRetainedValue()
    }
}
