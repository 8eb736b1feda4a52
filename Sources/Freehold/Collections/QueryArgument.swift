import Foundation
import FreeholdEngine

/// Converts arguments of a query into the engine's values.
enum QueryArgument {
    /// - Throws: `.typeMismatch` for a value that no file can store, `.invalidArgument` for an object that is not in
    ///   the realm.
    static func value(_ argument: Any, in core: RealmCore) throws(FreeholdError) -> Value {
        if ValueContext.isNothing(argument) { return .null }
        let bare = ValueContext.bare(argument)
        if let value = try single(bare, in: core) { return value }
        // A range as an argument of BETWEEN.
        if let range = bare as? any ClosedRangeArgument { return try value(range.ends, in: core) }
        if let elements = bare as? any UntypedMap { return try value(Array(elements.untyped.values), in: core) }
        guard let elements = bare as? any Sequence else {
            throw FreeholdError(.typeMismatch, "a value of type '\(type(of: bare))' cannot be compared with properties: \(bare)")
        }
        var values: [Value] = []
        for element in elements { values.append(try value(element, in: core)) }
        return .list(values)
    }

    /// The value as an expression of a query; several values as a list in braces.
    static func expression(_ value: Value) -> QueryExpression {
        if case .list(let elements) = value { return .list(elements.map { .value($0) }) }
        return .value(value)
    }

    private static func single(_ bare: Any, in core: RealmCore) throws(FreeholdError) -> Value? {
        // Casting a value of another kind to a class would bridge it to Foundation.
        let isInstance = type(of: bare) is AnyClass
        if isInstance, let object = bare as? ObjectBase { return try link(object, in: core) }
        if isInstance, let number = number(bare) { return number }
        if let text = bare as? any StringProtocol { return .string(String(text)) }
        if let shape = bare as? any Geospatial { return .string(shape._shape.description) }
        if let mixed = bare as? AnyRealmValue, case .object(let object) = mixed { return try link(object, in: core) }
        if bare is any UntypedMap || bare is any Collection && !(bare is Data) { return nil }
        if let value = bare as? any _Storable, Swift.type(of: value)._kind.type != .object { return value._stored(in: StoringContext(core)) }
        if let number = number(bare) { return number }
        if let text = bare as? String { return .string(text) }
        if let date = bare as? Date { return .date(Timestamp(date)) }
        if let data = bare as? Data { return .data(Array(data)) }
        if let id = bare as? UUID { return .uuid(UniqueIdentifier(id)) }
        return nil
    }

    private static func number(_ bare: Any) -> Value? {
        switch UntypedNumber(bare) {
        case .bool(let flag): .bool(flag)
        case .whole(let number): .int(number)
        case .real(let number): .double(number)
        case nil: nil
        }
    }

    /// A reference that no property links to, for unmanaged objects, which no object of this realm can equal.
    private static func none(of type: ObjectBase.Type, in core: RealmCore) throws(FreeholdError) -> Value {
        guard let place = core.schema.place(of: type) else {
            throw FreeholdError(.invalidArgument, "the \(type.className()) to compare with is not in this realm, so no property links to it")
        }
        let table = try core.live(Int16(place)).held().table
        var key = ObjectKey(.min)
        while try table.contains(key) { key.rawValue += 1 }
        return .object(table.reference(to: key))
    }

    /// The object's reference in this realm, whichever realm of the file the object was found in.
    private static func link(_ object: ObjectBase, in core: RealmCore) throws(FreeholdError) -> Value {
        guard let own = object.core else { return try none(of: type(of: object), in: core) }
        guard own === core || own.shared === core.shared else {
            throw FreeholdError(.invalidArgument, "the \(object.className) to compare with is not in this realm, so no property links to it")
        }
        guard !object.isInvalidated, let live = core.live(like: object.live(in: own).model) else {
            throw FreeholdError(.invalidArgument, "Object has been deleted or invalidated.")
        }
        return .object(try live.held().table.reference(to: ObjectKey(object._key)))
    }
}

/// A range that includes both ends.
private protocol ClosedRangeArgument {
    var ends: [Any] { get }
}

extension ClosedRange: ClosedRangeArgument {
    fileprivate var ends: [Any] { [lowerBound, upperBound] }
}
