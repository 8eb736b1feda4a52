import FreeholdEngine
import Synchronization

/// Finds the properties on a key path, by reading it from an object that records each read.
///
/// 1. A recording object is unmanaged, and is marked by its class number (`isRecording`). Its links lead to further
///    ones.
/// 2. A key path names properties only if each was read from the result of the one before, and the key path returns the
///    result of the last one: other key paths compute something.
/// 3. A collection of a recording object is empty, but returns a recording element on access: `\Person.dogs[0].name`.
final class PathRecorder {
    @TaskLocal private static var current: Unchecked?
    private static let known = PerProcess<[Unchecked: Reading]> { [:] }

    /// The paths to the recording objects.
    private var ways: [ObjectIdentifier: [String]] = [:]
    private var objects: [ObjectBase] = []
    /// The paths to the collections that were read.
    private var collections: [ObjectIdentifier: [String]] = [:]
    /// Those collections, held so that no later one has the address of one of them.
    private var held: [AnyObject] = []
    private var leadsOverElements = false
    /// The paths of all reads.
    private var reads: [[String]] = []
    /// The path of the last read.
    private var last: [String] = []
    /// The key paths of the projections read on the way.
    private var views: [AnyKeyPath] = []
    private var value: Any?
    /// The type of the last value read.
    private var type: Any.Type?

    /// Safe: a recorder is used only by the call that created it; key paths never change.
    private struct Unchecked: @unchecked Sendable, Hashable {
        let content: AnyObject
        static func == (one: Unchecked, other: Unchecked) -> Bool { (one.content as? AnyKeyPath) == (other.content as? AnyKeyPath) }
        func hash(into hasher: inout Hasher) { hasher.combine(content as? AnyKeyPath) }
    }

    /// The result of reading a key path.
    ///
    /// Safe to share: key paths never change.
    private struct Reading: @unchecked Sendable {
        /// The properties on the key path; nil if it returns anything but the value of the last one.
        let names: [String]?
        /// Whether it leads over elements of collections: then it stands for many values, and none can be found by it.
        let leadsOverElements: Bool
        /// The paths to all properties that it reads, except those that only lead to others.
        let sources: [[String]]
        /// The key paths of the projections read on the way.
        let views: [AnyKeyPath]
    }

    /// The key paths by which projections show the properties on one of their key paths.
    static func views(of keyPath: AnyKeyPath) -> [AnyKeyPath] { reading(of: keyPath)?.views ?? [] }

    /// Records a read of a projection's property.
    static func noteView(_ keyPath: AnyKeyPath) { (current?.content as? PathRecorder)?.views.append(keyPath) }

    /// The properties on a key path of a model class or projection; nil if it is about anything else.
    ///
    /// - Parameter allowingElements: whether the path may lead over elements of collections, one standing for all.
    static func names(of keyPath: AnyKeyPath, allowingElements: Bool = false) -> [String]? {
        guard let reading = reading(of: keyPath), allowingElements || !reading.leadsOverElements else { return nil }
        return reading.names
    }

    /// The paths to the properties that a key path depends on: one if it names properties, any number if it is
    /// computed.
    static func sources(of keyPath: AnyKeyPath) -> [[String]] {
        guard let reading = reading(of: keyPath) else { return [] }
        return reading.names.map { [$0] } ?? reading.sources
    }

    private static func reading(of keyPath: AnyKeyPath) -> Reading? {
        let key = Unchecked(content: keyPath)
        if let known = known.withLock({ $0[key] }) { return known }
        guard let type = Swift.type(of: keyPath).rootType as? any PathRoot.Type, !type.pathModel.isDynamic else { return nil }
        let root = recording(type.pathModel), whole = type.pathRoot(over: root), recorder = PathRecorder(root)
        let result = $current.withValue(Unchecked(content: recorder)) { whole[keyPath: keyPath] }
        var reads = recorder.reads
        // The property shown of each object of a collection is not read here, as the collection is empty.
        if let shown = result as? any ElementView { reads += sources(of: shown.elementKeyPath).map { recorder.last + $0 } }
        let found = Reading(names: recorder.names(for: keyPath, result), leadsOverElements: recorder.leadsOverElements,
                            sources: reads.filter { way in !reads.contains { $0 != way && $0.starts(with: way) } }, views: recorder.views)
        known.withLock { $0[key] = found }
        return found
    }

    private init(_ root: ObjectBase) { record(root, []) }

    private func record(_ object: ObjectBase, _ way: [String]) {
        objects.append(object)
        ways[ObjectIdentifier(object)] = way
        guard let model = try? ModelClass.of(Swift.type(of: object)) else { return }
        // Collections stored in the object itself are read without a record.
        for property in model.declared { noteCollection(Self.own(property.type, property.offset, of: object), way + [property.name]) }
    }

    private static func own<Value>(_ type: Value.Type, _ offset: Int, of object: ObjectBase) -> Any? { object._own(offset, type) }

    private func noteCollection(_ value: Any?, _ way: [String]) {
        guard let collection = (value as? any PathElements)?.pathIdentity else { return }
        collections[ObjectIdentifier(collection)] = way
        held.append(collection)
    }

    private static func recording(_ type: ObjectBase.Type) -> ObjectBase {
        let object = type.init()
        object.classNumber = ObjectBase.recordingNumber
        return object
    }

    private func names(for keyPath: AnyKeyPath, _ result: Any?) -> [String]? {
        if objects.count >= Self.mostObjects { return nil }
        if let declared = declared(result) { return declared }
        let isStraight = reads.allSatisfy { last.starts(with: $0) }, wanted = Self.bareType(Swift.type(of: keyPath).valueType)
        return isStraight && type.map(Self.bareType) == wanted && Self.isSame(result, value) ? last : nil
    }

    /// A type without its optionals.
    private static func bareType(_ type: Any.Type) -> Any.Type { (type as? any PathOptional.Type).map { bareType($0.pathWrapped) } ?? type }

    private static func isSame(_ one: Any?, _ other: Any?) -> Bool {
        guard let one = one.map(ValueContext.bare), let other = other.map(ValueContext.bare) else { return one == nil && other == nil }
        if Swift.type(of: one) is AnyClass { return one as AnyObject === other as AnyObject }
        guard let left = one as? any Hashable, let right = other as? any Hashable else { return true }
        return AnyHashable(left) == AnyHashable(right)
    }

    /// The path if the result is stored in an object itself: such properties are read without a record.
    private func declared(_ result: Any?) -> [String]? {
        guard let result = result.map(ValueContext.bare) else { return nil }
        for object in objects.reversed() {
            guard let way = ways[ObjectIdentifier(object)], reads.allSatisfy({ way.starts(with: $0) }),
                  let name = Self.declared(result, of: object) else { continue }
            return way + [name]
        }
        return nil
    }

    private static func declared(_ result: Any, of object: ObjectBase) -> String? {
        guard let model = try? ModelClass.of(Swift.type(of: object)) else { return nil }
        func isOwn<Value: _Persistable>(_ property: ModelProperty, _ type: Value.Type) -> Bool {
            guard let own = object._own(property.offset, Value.self), result is Value else { return false }
            if let own = own as? any PathElements { return own.pathIdentity === (result as? any PathElements)?.pathIdentity }
            return !(Value.self is AnyClass) || own as AnyObject === result as AnyObject
        }
        return model.declared.first { isOwn($0, $0.type) }?.name
    }

    /// The maximum number of objects read on the way: a computed property may follow links without end.
    private static let mostObjects = 100

    /// The value that a recording object returns for a property.
    static func read<Value: _Persistable>(_ object: ObjectBase, _ offset: Int, _ fallback: () -> Value) -> Value {
        let recorder = current?.content as? PathRecorder, linked = recorder?.linked(Value._kind)
        let value = linked.flatMap { $0 as? Value } ?? standIn(Value.self) ?? object._own(offset, Value.self) ?? fallback()
        recorder?.note(object, offset, value, linked)
        return value
    }

    /// The recording object for a property or an element of that kind; nil if it is no link.
    private func linked(_ kind: _PropertyKind) -> ObjectBase? {
        guard kind.type == .object, kind.collections.isEmpty, !kind.isWrapped, objects.count < Self.mostObjects else { return nil }
        return kind.objectType.map { Self.recording($0) }
    }

    /// A value that other properties are unlikely to have; never nil, so that what follows is read, too.
    private static func standIn<Value>(_ type: Value.Type) -> Value? {
        29 as? Value ?? "\u{1}29" as? Value ?? (type as? any PathOptional.Type)?.pathStandIn as? Value
    }

    private func note<Value: _Persistable>(_ object: ObjectBase, _ offset: Int, _ value: Value, _ linked: ObjectBase?) {
        // Reads of another key path in between do not belong to this one.
        guard let way = ways[ObjectIdentifier(object)], let model = try? ModelClass.of(Swift.type(of: object)) else { return }
        note(value, linked, at: way + [model.properties[model.place(at: offset)].name])
    }

    private func note<Value>(_ value: Value, _ linked: ObjectBase?, at way: [String]) {
        last = way
        if !reads.contains(last) { reads.append(last) }
        if let linked { record(linked, last) }
        noteCollection(value, last)
        self.value = value
        type = Value.self
    }

    /// An element of a collection of a recording object; nil for other collections.
    static func element<Element: RealmCollectionValue>(of collection: AnyObject, _ type: Element.Type = Element.self) -> Element? {
        (current?.content as? PathRecorder)?.element(of: collection)
    }

    /// A value of an enumeration or custom type, which may have none for zero.
    private static func wrapped<Element: RealmCollectionValue>(_ type: Element.Type) -> Element? {
        let context = ValueContext(core: nil)
        return Element._kind.isWrapped ? Element._from("\u{1}29", context) ?? Element._from(29, context) : nil
    }

    /// Whether a collection was read from a recording object.
    static func isRead(_ collection: AnyObject) -> Bool {
        (current?.content as? PathRecorder)?.collections[ObjectIdentifier(collection)] != nil
    }

    private func element<Element: RealmCollectionValue>(of collection: AnyObject) -> Element? {
        guard let way = collections[ObjectIdentifier(collection)], objects.count < Self.mostObjects else { return nil }
        let linked = linked(Element._kind), value = linked.flatMap { $0 as? Element } ?? Self.standIn(Element.self) ?? Self.wrapped(Element.self) ?? Element._zero
        leadsOverElements = true
        note(value, linked, at: way)
        return value
    }
}

/// A collection that returns an element to a key path being read: see (3).
protocol PathElements {
    /// Identifies the collection.
    var pathIdentity: AnyObject { get }
}

/// An optional through which a key path may continue.
private protocol PathOptional {
    static var pathWrapped: Any.Type { get }
    /// A value that is not nil.
    static var pathStandIn: Any? { get }
}

extension Optional: PathOptional where Wrapped: _Storable {
    fileprivate static var pathWrapped: Any.Type { Wrapped.self }
    fileprivate static var pathStandIn: Any? { Wrapped._kind.type == .object || Wrapped._kind.isWrapped ? nil : Wrapped._zero }
}

/// The types that key paths may begin at: model classes and projections.
protocol PathRoot {
    /// The model class that is read.
    static var pathModel: ObjectBase.Type { get }
    /// The value to read of a recording object.
    static func pathRoot(over object: ObjectBase) -> Any
}

/// A view of one property of each object of a collection.
protocol ElementView {
    /// The key path of that property.
    var elementKeyPath: AnyKeyPath { get }
}

extension ObjectBase: PathRoot {
    static var pathModel: ObjectBase.Type { self }
    static func pathRoot(over object: ObjectBase) -> Any { object }
}

extension ObjectBase {
    static let recordingNumber = Int16.min

    /// Whether this is a recording object: it stands for no object, and records each read.
    @inline(__always) final var isRecording: Bool { classNumber == Self.recordingNumber }
}
