import CShims
import Synchronization

/// Finds the model classes of a program: all subclasses of `Object` or `EmbeddedObject`, including private and nested
/// ones, and those of libraries loaded later.
///
/// The runtime lists every type of every image. A class's descriptor names its superclass; metadata is created only for
/// classes whose chain of descriptors ends at the library's own classes.
///
/// Safe throughout: the compiler lays out the descriptors and the runtime itself reads them; relative references lead
/// to other descriptors.
enum ModelDiscovery {
    /// All model classes in no particular order, except those that opt out of the default schema.
    static func classes() -> [ObjectBase.Type] {
        known.withLock { known in
            var found = Found(known: known)
            withUnsafeMutablePointer(to: &found) { found in
                swift_enumerateAllMetadataSections({ sections, context in
                    guard let sections, let context else { return true }
                    context.assumingMemoryBound(to: Found.self).pointee.look(at: sections)
                    return true
                }, found)
            }
            known = found.known
            return known.values.flatMap { $0 }.filter { $0.shouldIncludeInDefaultSchema() }
        }
    }

    /// The models of each image, by the address of its list of types.
    private static let known = PerProcess<[UInt: [ObjectBase.Type]]> { [:] }

    private struct Found {
        var known: [UInt: [ObjectBase.Type]]

        mutating func look(at sections: UnsafeRawPointer) {
            // version, base address, two unused words, then ranges: protocols, conformances, types.
            let start = sections.load(fromByteOffset: 64, as: UInt.self), length = sections.load(fromByteOffset: 72, as: UInt.self)
            guard start != 0, known[start] == nil, let records = UnsafeRawPointer(bitPattern: start) else { return }
            known[start] = ModelDiscovery.models(records, count: Int(length) / 4)
        }
    }

    private static func models(_ records: UnsafeRawPointer, count: Int) -> [ObjectBase.Type] {
        (0..<count).compactMap { place in
            let record = records + place * 4, distance = Int(record.load(as: Int32.self))
            // The lowest bits: whether the record names the type directly, or by a pointer to its descriptor.
            guard distance != 0, distance & 2 == 0 else { return nil }
            var descriptor = record + (distance & ~3)
            if distance & 1 == 1 { descriptor = descriptor.load(as: UnsafeRawPointer.self) }
            return isModel(descriptor, depth: 0) ? type(of: descriptor) : nil
        }
    }

    /// The model class of a descriptor; nil if it describes anything else.
    ///
    /// Safe: every descriptor begins with a word of flags.
    static func model(_ descriptor: UnsafeRawPointer?) -> ObjectBase.Type? {
        guard let descriptor, isModel(descriptor, depth: 0) else { return nil }
        return type(of: descriptor)
    }

    /// Whether a descriptor describes a subclass of one of the library's classes.
    private static func isModel(_ descriptor: UnsafeRawPointer, depth: Int) -> Bool {
        guard isPlainClass(descriptor), depth < 64, let above = superclass(of: descriptor) else { return false }
        return roots.contains(UInt(bitPattern: above)) || isModel(above, depth: depth + 1)
    }

    /// Whether a descriptor describes a class that is not generic. Kind 16 is a class; bit 7 marks generic types.
    private static func isPlainClass(_ descriptor: UnsafeRawPointer) -> Bool { descriptor.load(as: UInt32.self) & 0x9F == 16 }

    private static let roots: Set<UInt> = Set([Object.self, EmbeddedObject.self].map { (type: AnyClass) in
        // A class's metadata names its descriptor after its sizes.
        unsafeBitCast(type, to: UnsafeRawPointer.self).load(fromByteOffset: 40, as: UInt.self)
    })

    /// The superclass's descriptor, if the superclass's name refers to one: 1 is a descriptor, 2 a pointer to one.
    private static func superclass(of descriptor: UnsafeRawPointer) -> UnsafeRawPointer? {
        guard let name = follow(descriptor + 20) else { return nil }
        let kind = name.load(as: UInt8.self), reference = name + 1
        guard kind == 1 || kind == 2 else { return nil }
        let target = reference + Int(reference.loadUnaligned(as: Int32.self))
        return kind == 1 ? target : target.load(as: UnsafeRawPointer.self)
    }

    private static func type(of descriptor: UnsafeRawPointer) -> ObjectBase.Type? {
        guard let access = follow(descriptor + 12), let metadata = freehold_shim_type_metadata(access) else { return nil }
        return unsafeBitCast(metadata, to: Any.Type.self) as? ObjectBase.Type
    }

    private static func follow(_ place: UnsafeRawPointer) -> UnsafeRawPointer? {
        let distance = Int(place.load(as: Int32.self))
        return distance == 0 ? nil : place + distance
    }
}
