import Foundation

/// The destination of a value of unknown type: an unmanaged object, or an object of a realm.
public struct ValueContext {
    /// The realm; nil for unmanaged objects.
    let core: RealmCore?
    /// Records the given properties while a realm creates objects from values; nil otherwise.
    let given: GivenValues?
    /// Records an element that did not fit, so that the report can name it.
    private let refusal = Refusal()

    private final class Refusal {
        var value: Any?
    }

    init(core: RealmCore?, given: GivenValues? = nil) {
        self.core = core
        self.given = given
    }

    /// Whether the code that stores collections copies them, so that they need not be copied before.
    var takesCollections: Bool { core != nil && given == nil }

    /// Records the element that does not fit.
    func refuse(_ value: Any) { if refusal.value == nil { refusal.value = value } }

    /// Returns the recorded element that did not fit, and clears it.
    func refused() -> Any? {
        defer { refusal.value = nil }
        return refusal.value
    }

    /// The elements of a sequence of any type, empty for nil; nil if one of them does not fit, or the value is no
    /// sequence.
    func elements<Element: _Storable>(_ value: Any, _ type: Element.Type) -> [Element]? {
        if ValueContext.isNothing(value) { return [] }
        guard !(value is String), !(value is Data), let values = value as? any Sequence else { return nil }
        var elements: [Element] = []
        for value in values {
            guard let element = Element._from(value, self) else {
                refuse(value)
                return nil
            }
            elements.append(element)
        }
        return elements
    }

    /// A value without its optionals; an optional that is nil stays.
    static func bare(_ value: Any) -> Any { (value as? any OptionalValue)?.bare ?? value }

    /// Whether a value stands for nil.
    static func isNothing(_ value: Any) -> Bool {
        let type = type(of: value)
        if type == String.self || type == Int.self || type == Double.self || type == Bool.self || type == Date.self { return false }
        // A value of another kind would be bridged to Foundation by the check.
        if type is AnyClass { return value is NSNull }
        guard let optional = value as? any OptionalValue else { return false }
        return optional.isNone
    }
}

/// Any optional, whatever type it wraps.
private protocol OptionalValue {
    var isNone: Bool { get }
    /// The wrapped value without its optionals; nil for nil.
    var bare: Any? { get }
}

extension Optional: OptionalValue {
    fileprivate var bare: Any? { map { ValueContext.bare($0) } }

    fileprivate var isNone: Bool {
        switch self {
        case nil: true
        case let value?: ValueContext.isNothing(value)
        }
    }
}

/// Records which properties are named by the values that a realm creates objects from; the other properties of an
/// existing object stay as they are.
///
/// Each call of `create` has one. It holds the objects, so that each is identified by its address.
final class GivenValues {
    struct Properties {
        /// The indices of properties that have a value.
        var places: Set<Int> = []
        /// The properties whose value is nil: collections are emptied.
        var emptied: Set<Int> = []
    }

    private var properties: [ObjectIdentifier: Properties] = [:]
    private var copies: [Original: ObjectBase] = [:]

    /// The original of a copy: an unmanaged object, or a row, whichever instance stands for it.
    private enum Original: Hashable {
        case alone(ObjectIdentifier)
        case row(ObjectIdentifier, Int16, Int64)

        init(_ object: ObjectBase) {
            self = object.core.map { .row(ObjectIdentifier($0), object.classNumber, object._key) } ?? .alone(ObjectIdentifier(object))
        }
    }

    private var held: [ObjectBase] = []
    /// Whether existing objects may be updated, so that the named properties matter.
    private let isNeeded: Bool
    /// Whether a value did not fit.
    var isRefused = false

    init(isNeeded: Bool) { self.isNeeded = isNeeded }

    func begin(_ object: ObjectBase) {
        guard isNeeded else { return }
        held.append(object)
        properties[ObjectIdentifier(object)] = Properties()
    }

    func note(_ place: Int, isNothing: Bool, of object: ObjectBase) {
        guard isNeeded else { return }
        properties[ObjectIdentifier(object)]?.places.insert(place)
        if isNothing { properties[ObjectIdentifier(object)]?.emptied.insert(place) }
    }

    /// The properties given for an object; nil if it was not created from values.
    func properties(of object: ObjectBase) -> Properties? { isNeeded ? properties[ObjectIdentifier(object)] : nil }

    /// The copy of an object, created on first use: `make` returns a new instance, `fill` sets its values.
    func copy<Model: ObjectBase>(_ object: Model, _ make: () -> Model, _ fill: (Model) -> Void) -> Model {
        if let known = copies[Original(object)] as? Model { return known }
        let copy = make()
        held.append(object)
        copies[Original(object)] = copy
        fill(copy)
        return copy
    }
}
