import Foundation

/// A class whose instances a realm keeps. Extend it, and mark with `@Persisted` what is to be kept.
///
/// ```swift
/// class Dog: Object {
///     @Persisted var name = ""
///     @Persisted var age = 0
/// }
/// let dog = Dog(value: ["name": "Fido", "age": 1])
/// try realm.write { realm.add(dog) }
/// ```
/// An instance is by itself until a realm adds it; from then on it stands for the object of the file: reading a property reads the
/// file, as the realm shows it. Classes that extend one another share their keys: a realm's `objects(Animal.self)` has the dogs too.
open class Object: ObjectBase {
    public required init() { super.init() }

    /// An object by itself, its properties set.
    ///
    /// - Parameter value: a dictionary by property name, of which unknown keys are ignored; an array in the order of the properties; or
    ///   another object.
    public convenience init(value: Any) {
        self.init()
        ObjectInput.fill(self, value, ValueContext(core: nil))
    }

    /// The property that is the primary key, for classes that do not say so with `@Persisted(primaryKey: true)`.
    open class func primaryKey() -> String? { nil }

    /// Properties to be indexed, for classes that do not say so with `@Persisted(indexed: true)`.
    open class func indexedProperties() -> [String] { [] }

    /// Properties that are not kept. With `@Persisted` nothing has to be named: what is not marked is not kept.
    open class func ignoredProperties() -> [String] { [] }

    /// The names that properties have in the file, where those are others.
    // Allowed: what programs write, and override.
    open class func propertiesMapping() -> [String: String] { [:] }

    override class var isRoot: Bool { self == Object.self }
    override class var declaredKey: String? { primaryKey() }
    override class var declaredIndexes: [String] { indexedProperties() }
    // Allowed: what the program gave, which is copied by bytes.
    override class var storedNames: [String: String] { propertiesMapping() }
    override class var ignoredNames: [String] { ignoredProperties() }
}

/// A class whose instances live within one other object, and end with it.
///
/// ```swift
/// class Address: EmbeddedObject {
///     @Persisted var street = ""
/// }
/// class Person: Object {
///     @Persisted var home: Address?
/// }
/// ```
open class EmbeddedObject: ObjectBase {
    public required init() { super.init() }

    /// An object by itself, its properties set: see `Object.init(value:)`.
    public convenience init(value: Any) {
        self.init()
        ObjectInput.fill(self, value, ValueContext(core: nil))
    }

    /// Properties to be indexed: none can be.
    open class func indexedProperties() -> [String] { [] }

    /// Properties that are not kept: see `Object`.
    open class func ignoredProperties() -> [String] { [] }

    /// The names that properties have in the file, where those are others.
    // Allowed: what programs write, and override.
    open class func propertiesMapping() -> [String: String] { [:] }

    override class var isRoot: Bool { self == EmbeddedObject.self }
    override class var isEmbeddedModel: Bool { true }
    // Allowed: what the program gave, which is copied by bytes.
    override class var storedNames: [String: String] { propertiesMapping() }
    override class var ignoredNames: [String] { ignoredProperties() }
}

extension ObjectBase {
    /// Whether the object stood for one of a file and does no more: it was deleted, or its realm let go of it.
    public final var isInvalidated: Bool {
        guard let core else { return false }
        if _row < 0 || !core.enter() { return true }
        return core.attempt(true) { try live(in: core).row(of: self) == nil }
    }

    /// The value of the property so named; setting one tells if the value does not fit.
    ///
    /// ```swift
    /// person["age"] = 30
    /// ```
    public final subscript(key: String) -> Any? {
        get {
            if hasProperty(key) { return anyValue(key) }
            if let linking = linkingValue(key) { return linking }
            Misuse.report("Invalid property name '\(key)' for class '\(className)'.")
            return nil
        }
        set { ObjectInput.set(newValue ?? NSNull(), key, of: self) }
    }

    private func hasProperty(_ name: String) -> Bool { modelClass?.place(of: name) != nil }
}
