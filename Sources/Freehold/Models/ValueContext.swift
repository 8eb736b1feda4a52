import Foundation

/// The destination of a value of unknown type: an unmanaged object, or an object of a realm.
public struct ValueContext {
    /// The realm; nil for unmanaged objects.
    let realm: AnyObject?
    /// Records the given properties while a realm creates objects from values; nil otherwise.
    let given: GivenValues?
    /// Records an element that did not fit, so that the report can name it.
    private let refusal = Refusal()

    private final class Refusal {
        var value: Any?
    }

    init(realm: AnyObject?, given: GivenValues? = nil) {
        self.realm = realm
        self.given = given
    }

    /// Whether the code that stores collections copies them, so that they need not be copied before.
    var takesCollections: Bool { realm != nil && given == nil }

    /// Records the element that does not fit.
    func refuse(_ value: Any) { if refusal.value == nil { refusal.value = value } }

    /// Returns the recorded element that did not fit, and clears it.
    func refused() -> Any? {
        defer { refusal.value = nil }
        return refusal.value
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
