import Foundation

/// Where a value of unknown type is to go: into objects by themselves, or into those of a realm.
public struct ValueContext {
    /// The realm; nil for objects by themselves.
    let core: RealmCore?
    /// What is noted while a realm makes objects of values; nil where that is not so.
    let given: GivenValues?
    /// Where an element that did not fit is noted, so that it can be named.
    private let refusal = Refusal()

    private final class Refusal {
        var value: Any?
    }

    init(core: RealmCore?, given: GivenValues? = nil) {
        self.core = core
        self.given = given
    }

    /// Whether collections that are handed over are copied by who stores them, and need not be before.
    var takesCollections: Bool { core != nil && given == nil }

    /// Notes the element that does not fit.
    func refuse(_ value: Any) { if refusal.value == nil { refusal.value = value } }

    /// The element that did not fit, which is forgotten.
    func refused() -> Any? {
        defer { refusal.value = nil }
        return refusal.value
    }

    /// The elements of a sequence of anything, none for nothing; nil if one of them does not fit, or the value is no sequence.
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

    /// A value without the optionals around it; an optional of none stays.
    static func bare(_ value: Any) -> Any { (value as? any OptionalValue)?.bare ?? value }

    /// Whether a value stands for none.
    static func isNothing(_ value: Any) -> Bool {
        let type = type(of: value)
        if type == String.self || type == Int.self || type == Double.self || type == Bool.self || type == Date.self { return false }
        // A value of another kind would be bridged to Foundation to be asked.
        if type is AnyClass { return value is NSNull }
        guard let optional = value as? any OptionalValue else { return false }
        return optional.isNone
    }
}

/// Any optional, whatever it is one of.
private protocol OptionalValue {
    var isNone: Bool { get }
    /// What it is one of, bare; nil for none.
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

/// What the values say that a realm makes objects of: which properties they name, and so which are to be left alone in an object that
/// is there already.
///
/// One call of `create` has one. It holds the objects, so that each is known by its address.
final class GivenValues {
    struct Properties {
        /// Places of properties that have a value.
        var places: Set<Int> = []
        /// Those whose value is nothing: collections are emptied.
        var emptied: Set<Int> = []
    }

    private var properties: [ObjectIdentifier: Properties] = [:]
    private var copies: [Original: ObjectBase] = [:]

    /// What is copied: an object by itself, or a row, whatever instance stands for it.
    private enum Original: Hashable {
        case alone(ObjectIdentifier)
        case row(ObjectIdentifier, Int16, Int64)

        init(_ object: ObjectBase) {
            self = object.core.map { .row(ObjectIdentifier($0), object.classNumber, object._key) } ?? .alone(ObjectIdentifier(object))
        }
    }

    private var held: [ObjectBase] = []
    /// Whether objects that are there may be changed, so that it matters what is named.
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

    /// What was given for an object; nil if it was not made of values.
    func properties(of object: ObjectBase) -> Properties? { isNeeded ? properties[ObjectIdentifier(object)] : nil }

    /// The copy of an object, made when it is first asked for: `make` gives a new one, `fill` what it has.
    func copy<Model: ObjectBase>(_ object: Model, _ make: () -> Model, _ fill: (Model) -> Void) -> Model {
        if let known = copies[Original(object)] as? Model { return known }
        let copy = make()
        held.append(object)
        copies[Original(object)] = copy
        fill(copy)
        return copy
    }
}
