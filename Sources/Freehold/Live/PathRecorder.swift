import FreeholdEngine
import Synchronization

/// Finds out which properties a key path leads over, by reading it from an object that notes what is read of it.
///
/// 1. Such an object is by itself, and tells itself by its class number (`isRecording`). Its links lead to further ones.
/// 2. A key path means properties only if each was read of what the one before gave, and if it gives what the last one gave: others
///    compute something.
final class PathRecorder {
    @TaskLocal private static var current: Unchecked?
    private static let known = PerProcess<[Unchecked: Reading]> { [:] }

    /// The ways to the objects that record.
    private var ways: [ObjectIdentifier: [String]] = [:]
    private var objects: [ObjectBase] = []
    /// The ways to what was read.
    private var reads: [[String]] = []
    /// What was read last.
    private var last: [String] = []
    /// The key paths of the views that were read on the way.
    private var views: [AnyKeyPath] = []
    private var value: Any?
    private var type: (any _Persistable.Type)?

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
    static func names(of keyPath: AnyKeyPath) -> [String]? { reading(of: keyPath)?.names }

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
        let found = Reading(names: recorder.names(for: keyPath, result, root),
                            sources: reads.filter { way in !reads.contains { $0 != way && $0.starts(with: way) } }, views: recorder.views)
        known.withLock { $0[key] = found }
        return found
    }

    private init(_ root: ObjectBase) { record(root, []) }

    private func record(_ object: ObjectBase, _ way: [String]) {
        objects.append(object)
        ways[ObjectIdentifier(object)] = way
    }

    private static func recording(_ type: ObjectBase.Type) -> ObjectBase {
        let object = type.init()
        object.classNumber = ObjectBase.recordingNumber
        return object
    }

    private func names(for keyPath: AnyKeyPath, _ result: Any?, _ root: ObjectBase) -> [String]? {
        guard let type else { return Self.declared(result, of: root) }
        func fits<Value>(_ type: Value.Type) -> Bool {
            let wanted = Swift.type(of: keyPath).valueType
            return wanted == Value.self || wanted == Value?.self
        }
        let isStraight = reads.allSatisfy { last.starts(with: $0) }
        return isStraight && fits(type) && Self.isSame(result, value) ? last : nil
    }

    private static func isSame(_ one: Any?, _ other: Any?) -> Bool {
        guard let one = one.map(ValueContext.bare), let other = other.map(ValueContext.bare) else { return one == nil && other == nil }
        if Swift.type(of: one) is AnyClass { return one as AnyObject === other as AnyObject }
        guard let left = one as? any Hashable, let right = other as? any Hashable else { return true }
        return AnyHashable(left) == AnyHashable(right)
    }

    /// What stands in the object itself is read without a word.
    private static func declared(_ result: Any?, of root: ObjectBase) -> [String]? {
        guard let result, let model = try? ModelClass.of(Swift.type(of: root)) else { return nil }
        func isOwn<Value: _Persistable>(_ property: ModelProperty, _ type: Value.Type) -> Bool {
            guard let own = root._own(property.offset, Value.self), result is Value else { return false }
            return !(Value.self is AnyClass) || own as AnyObject === result as AnyObject
        }
        return model.declared.first { isOwn($0, $0.type) }.map { [$0.name] }
    }

    /// What an object that records gives for a property.
    static func read<Value: _Persistable>(_ object: ObjectBase, _ offset: Int, _ fallback: () -> Value) -> Value {
        let kind = Value._kind
        var linked: ObjectBase?
        if kind.type == .object, kind.collections.isEmpty, let target = kind.objectType { linked = recording(target) }
        let value = linked as? Value ?? 29 as? Value ?? "\u{1}29" as? Value ?? object._own(offset, Value.self) ?? fallback()
        (current?.content as? PathRecorder)?.note(object, offset, value, linked)
        return value
    }

    private func note<Value: _Persistable>(_ object: ObjectBase, _ offset: Int, _ value: Value, _ linked: ObjectBase?) {
        // What another key path reads meanwhile is none of this one's.
        guard let way = ways[ObjectIdentifier(object)], let model = try? ModelClass.of(Swift.type(of: object)) else { return }
        last = way + [model.properties[model.place(at: offset)].name]
        if !reads.contains(last) { reads.append(last) }
        if let linked { record(linked, last) }
        self.value = value
        type = Value.self
    }
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
