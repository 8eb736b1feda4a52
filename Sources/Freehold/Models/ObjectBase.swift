import CShims
import FreeholdEngine

/// The base class of `Object` and `EmbeddedObject`: an instance is either unmanaged or stands for a row of a file.
///
/// ```
/// bytes of an instance
///  0  16  Swift's own
/// 16   8  fields   of the cluster that the row stands in; nil: read the long way
/// 24   4  row      its position in the cluster; -1: the object was deleted
/// 28   2  class    the place of its class among the realm's
/// 30   1  read     whether a property was read the long way
/// 31   1  generation  how often the realm had been invalidated when it was found: see `RealmCore.generation`
/// 32   8  key      its object key
/// 40   4  seen     the version at which it was found or made, its lowest bits: a row made later under its key is another object
/// 44   4  added    the number of the write transaction that added it; 0 if it was found
/// 48   8  cluster  what keeps the fields
/// 56   8  owner    the realm; nil: the object is unmanaged
/// 64      properties, each `Persisted`
/// ```
/// 1. The fields of a property that begins at byte `n` stand at `32 + 4 · (n - 64)`: a property takes 8 bytes or more, a field 32.
/// 2. Only the thread named in the head reads fields; the head is cleared before what they name can change.
open class ObjectBase {
    // Safe (all exclusivity below): an object is used on one thread at a time, and no access here is held over another.
    @exclusivity(unchecked) @usableFromInline final var _fields: UnsafeMutableRawPointer?
    @exclusivity(unchecked) @usableFromInline final var _row: Int32 = 0
    @exclusivity(unchecked) final var classNumber: Int16 = 0
    @exclusivity(unchecked) final var wasRead = false
    @exclusivity(unchecked) final var generation: UInt8 = 0
    @exclusivity(unchecked) @usableFromInline final var _key: Int64 = 0
    @exclusivity(unchecked) final var seen: UInt32 = 0
    @exclusivity(unchecked) final var added: UInt32 = 0
    @exclusivity(unchecked) final var cluster: LiveCluster?
    @exclusivity(unchecked) final var owner: AnyObject?

    /// The offset of a class's first property.
    @usableFromInline static var _firstProperty: Int { @inlinable get { 64 } }

    public required init() {}

    /// The name of the class in files, by default the Swift class's name.
    open class func className() -> String { RuntimeClass.name(of: self) }

    /// Whether the class belongs to files opened without a list of classes.
    open class func shouldIncludeInDefaultSchema() -> Bool { true }

    // Overridden for objects of unknown classes.
    class var isDynamic: Bool { false }
    func dynamicValue(_ property: ModelProperty) -> Any? { nil }
    func setDynamic(_ property: ModelProperty, to value: Any) {}
    func linkingValue(_ name: String) -> Any? { nil }

    // Overridden by `Object` and `EmbeddedObject`.
    class var isRoot: Bool { true }
    class var isEmbeddedModel: Bool { false }
    class var declaredKey: String? { nil }
    class var declaredIndexes: [String] { [] }
    class var declaredFullText: [FullTextIndex] { [] }
    class var declaredPlaces: [PlaceIndex] { [] }
    class var declaredCollations: [CollationIndex] { [] }
    class var declaredSync: SyncRules? { nil }
    // Allowed: names given by the program, which are copied by bytes.
    class var storedNames: [String: String] { [:] }
    class var ignoredNames: [String] { [] }

    /// The field of the property that begins at byte `offset`, if this thread may read it.
    ///
    /// Safe: a class's fields are as many as its instances have words, see (1).
    @inlinable @inline(__always)
    final func _field(_ offset: Int) -> UnsafePointer<_Field>? {
        guard let fields = _fields,
              UnsafeRawPointer(fields).assumingMemoryBound(to: _FieldsHead.self).pointee.thread == freehold_shim_thread_pointer() else { return nil }
        return UnsafeRawPointer(fields + (_FieldsHead.byteCount &+ (offset &- ObjectBase._firstProperty) &* 4)).assumingMemoryBound(to: _Field.self)
    }

    /// The cluster's value of the property that begins at byte `offset`; nil if it has to be read by the slow path.
    ///
    /// Safe: the engine made `words` for every position of the cluster, and an object's row is one of it.
    @inlinable @inline(__always)
    final func _number(_ offset: Int) -> Int64? {
        guard let field = _field(offset), let words = field.pointee.words else { return nil }
        return field.pointee.number(words, _row)
    }

    /// The address of the instance.
    ///
    /// Safe: it is used while the instance is held.
    @inlinable @inline(__always)
    final var _address: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
}
