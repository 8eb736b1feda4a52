import FreeholdEngine
import Synchronization

/// Finds out which properties a key path leads over, by reading it from an object that notes what is read of it.
///
/// 1. Such an object is by itself, and tells itself by its class number (`isRecording`). Its links lead to further ones.
/// 2. A key path means properties only if each was read of what the one before gave, and if it gives what the last one gave: others
///    compute something.
/// 3. A collection of such an object is empty, but gives an element that records to who asks for one: `\Person.dogs[0].name`.
final class PathRecorder {
    @TaskLocal private static var current: Unchecked?
    private static let known = PerProcess<[Unchecked: Reading]> { [:] }

    /// The ways to the objects that record.
    private var ways: [ObjectIdentifier: [String]] = [:]
    private var objects: [ObjectBase] = []
    /// The ways to the collections that were read.
    private var collections: [ObjectIdentifier: [String]] = [:]
    /// Those collections, held so that none made later is taken for one of them.
    private var held: [AnyObject] = []
    private var leadsOverElements = false
    /// The ways to what was read.
    private var reads: [[String]] = []
    /// What was read last.
    private var last: [String] = []
    /// The key paths of the views that were read on the way.
    private var views: [AnyKeyPath] = []
    private var value: Any?
    /// The type of what was read last.
    private var type: Any.Type?

    /// Safe: a recorder is used by the call that made it only; key paths never change.
    private struct Unchecked: @unchecked Sendable, Hashable {
        let content: AnyObject
        static func == (one: Unchecked, other: Unchecked) -> Bool { (one.content as? AnyKeyPath) == (other.content as? AnyKeyPath) }
        func hash(into hasher: inout Hasher) { hasher.combine(content as? AnyKeyPath) }
    }

    /// What reading a key path says of it.
    ///
    /// Safe to share: key paths never change.
    private struct Reading: @unchecked Sendable {
        /// The properties that it leads over; nil if it gives something else than the last one.
        let names: [String]?
        /// Whether it leads over elements of collections: no value can be found by it then, as there are many.
        let leadsOverElements: Bool
        /// The ways to all properties that it reads, but for those that lead to others.
        let sources: [[String]]
        /// The key paths by which what stands for an object was read on the way.
        let views: [AnyKeyPath]
    }

    /// The key paths by which views show what a key path of theirs leads over.
    static func views(of keyPath: AnyKeyPath) -> [AnyKeyPath] { reading(of: keyPath)?.views ?? [] }

    /// Notes that a view of an object that records was read.
    static func noteView(_ keyPath: AnyKeyPath) { (current?.content as? PathRecorder)?.views.append(keyPath) }

    /// The properties that a key path of a model class, or of what stands for its objects, leads over; nil if it is about something else.
    ///
    /// - Parameter allowingElements: whether it may lead over elements of collections, of which one stands for all.
    static func names(of keyPath: AnyKeyPath, allowingElements: Bool = false) -> [String]? {
        guard let reading = reading(of: keyPath), allowingElements || !reading.leadsOverElements else { return nil }
        return reading.names
    }

    /// The ways to the properties of which a key path makes what it gives: one if it leads over properties, any number if it is computed.
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
        // Of a collection's objects what is shown of each is read from none here.
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
        // Collections that stand in the object itself are read without a word.
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

    /// A type without the optionals around it.
    private static func bareType(_ type: Any.Type) -> Any.Type { (type as? any PathOptional.Type).map { bareType($0.pathWrapped) } ?? type }

    private static func isSame(_ one: Any?, _ other: Any?) -> Bool {
        guard let one = one.map(ValueContext.bare), let other = other.map(ValueContext.bare) else { return one == nil && other == nil }
        if Swift.type(of: one) is AnyClass { return one as AnyObject === other as AnyObject }
        guard let left = one as? any Hashable, let right = other as? any Hashable else { return true }
        return AnyHashable(left) == AnyHashable(right)
    }

    /// What stands in the object itself is read without a word.
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

    /// How many objects may be read on the way: one that computes something may follow links for as long as there are any.
    private static let mostObjects = 100

    /// What an object that records gives for a property.
    static func read<Value: _Persistable>(_ object: ObjectBase, _ offset: Int, _ fallback: () -> Value) -> Value {
        let recorder = current?.content as? PathRecorder, linked = recorder?.linked(Value._kind)
        let value = linked.flatMap { $0 as? Value } ?? standIn(Value.self) ?? object._own(offset, Value.self) ?? fallback()
        recorder?.note(object, offset, value, linked)
        return value
    }

    /// The object that a property or an element of that kind leads to; nil if it leads to none.
    private func linked(_ kind: _PropertyKind) -> ObjectBase? {
        guard kind.type == .object, kind.collections.isEmpty, !kind.isWrapped, objects.count < Self.mostObjects else { return nil }
        return kind.objectType.map { Self.recording($0) }
    }

    /// A value that others than the property's are unlikely to be; never nil, so that what follows is read, too.
    private static func standIn<Value>(_ type: Value.Type) -> Value? {
        29 as? Value ?? "\u{1}29" as? Value ?? (type as? any PathOptional.Type)?.pathStandIn as? Value
    }

    private func note<Value: _Persistable>(_ object: ObjectBase, _ offset: Int, _ value: Value, _ linked: ObjectBase?) {
        // What another key path reads meanwhile is none of this one's.
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

    /// An element of a collection that was read of an object that records; nil of other collections.
    static func element<Element: RealmCollectionValue>(of collection: AnyObject, _ type: Element.Type = Element.self) -> Element? {
        (current?.content as? PathRecorder)?.element(of: collection)
    }

    /// A value of an enumeration or a type of the program's own, which may have none for zero.
    private static func wrapped<Element: RealmCollectionValue>(_ type: Element.Type) -> Element? {
        let context = ValueContext(core: nil)
        return Element._kind.isWrapped ? Element._from("\u{1}29", context) ?? Element._from(29, context) : nil
    }

    /// Whether a collection was read of an object that records.
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

/// A collection that gives an element to a key path that is being read: see (3).
protocol PathElements {
    /// What tells the collection from others.
    var pathIdentity: AnyObject { get }
}

/// An optional that a key path may go on from.
private protocol PathOptional {
    static var pathWrapped: Any.Type { get }
    /// A value that is not nil.
    static var pathStandIn: Any? { get }
}

extension Optional: PathOptional where Wrapped: _Storable {
    fileprivate static var pathWrapped: Any.Type { Wrapped.self }
    fileprivate static var pathStandIn: Any? { Wrapped._kind.type == .object || Wrapped._kind.isWrapped ? nil : Wrapped._zero }
}

/// What key paths may begin at: model classes, and what stands for objects of one.
protocol PathRoot {
    /// The class that is read.
    static var pathModel: ObjectBase.Type { get }
    /// What to read of an object that records.
    static func pathRoot(over object: ObjectBase) -> Any
}

/// What shows something of each object of a collection.
protocol ElementView {
    /// What is shown.
    var elementKeyPath: AnyKeyPath { get }
}

extension ObjectBase: PathRoot {
    static var pathModel: ObjectBase.Type { self }
    static func pathRoot(over object: ObjectBase) -> Any { object }
}

extension ObjectBase {
    static let recordingNumber = Int16.min

    /// Whether the object stands for none, and notes what is read of it.
    @inline(__always) final var isRecording: Bool { classNumber == Self.recordingNumber }
}
