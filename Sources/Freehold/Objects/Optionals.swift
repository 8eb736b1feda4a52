public import FreeholdEngine
import Foundation

/// An optional as a property: a value or nil.
extension Optional: _Storable where Wrapped: _Storable {
    public static var _kind: _PropertyKind { Wrapped._kind.optional }
    public static var _zero: Wrapped? { nil }
    public func _stored(in context: StoringContext) -> Value { self?._stored(in: context) ?? .null }

    public var _object: ObjectBase? { self?._object }
    public static func _load(_ value: Value, _ core: RealmCore) -> Wrapped? {
        if case .null = value { return nil }
        return Wrapped._loadKnown(value, core)
    }

    public static func _from(_ value: Any, _ context: ValueContext) -> Wrapped?? {
        ValueContext.isNothing(value) ? .some(nil) : Wrapped._from(value, context).map { .some($0) }
    }
}

extension Optional: _Persistable where Wrapped: _Storable {}
extension Optional: RealmCollectionValue where Wrapped: RealmCollectionValue {
    public typealias PersistedType = Wrapped.PersistedType
    public func _persisted<Kept>(as type: Kept.Type) -> Kept? { flatMap { $0._persisted(as: type) } }
}

extension Optional: _PrimaryKey where Wrapped: _PrimaryKey {}

/// An enumeration that is stored by its raw values.
///
/// ```swift
/// enum Color: String, PersistableEnum { case red, green }
/// @Persisted var color = Color.red
/// ```
/// An unknown raw value reads as nil if the property is optional. Otherwise it is reported as misuse, as in Realm, and
/// a program that listens for misuse reads the first case.
public protocol PersistableEnum: RealmCollectionValue, _Persistable, _QueryComparable, RawRepresentable, CaseIterable where PersistedType == RawValue {}

extension PersistableEnum {
    public func _persisted<Kept>(as type: Kept.Type) -> Kept? { rawValue as? Kept }
    public static var _kind: _PropertyKind { RawValue._kind.wrapped }
    public static var _zero: Self { first }
    public func _stored(in context: StoringContext) -> Value { rawValue._stored(in: context) }

    public static func _load(_ value: Value, _ core: RealmCore) -> Self {
        let raw = RawValue._load(value, core)
        if let known = Self(rawValue: raw) { return known }
        Misuse.report("Failed to convert persisted value '\(raw)' to type '\(Self.self)' in a non-optional context.",
                      hint: "Another program stored a raw value that this enumeration lacks; an optional property reads it as nil.")
        return first
    }

    public static func _loadKnown(_ value: Value, _ core: RealmCore) -> Self? { Self(rawValue: RawValue._load(value, core)) }

    public static func _from(_ value: Any, _ context: ValueContext) -> Self? {
        value as? Self ?? RawValue._from(value, context).flatMap { Self(rawValue: $0) }
    }

    private static var first: Self {
        guard let first = allCases.first else { preconditionFailure("enumeration \(Self.self) has no cases and cannot be the type of a property") }
        return first
    }
}
