import Foundation
public import FreeholdEngine

/// The base class of models, whose instances a realm stores. Subclass it, and mark stored properties with `@Persisted`.
///
/// ```swift
/// class Dog: Object {
///     @Persisted var name = ""
///     @Persisted var age = 0
/// }
/// let dog = Dog(value: ["name": "Fido", "age": 1])
/// try realm.write { realm.add(dog) }
/// ```
/// An instance is unmanaged until a realm adds it; from then on it represents the object in the file: reading a
/// property reads the file at the realm's version. A class and its subclasses share their keys: a realm's
/// `objects(Animal.self)` includes dogs.
open class Object: ObjectBase {
    public required init() { super.init() }

    /// Creates an unmanaged object with its properties set.
    ///
    /// - Parameter value: a dictionary by property name, whose unknown keys are ignored; an array in the order of the
    ///   properties; or another object.
    public convenience init(value: Any) {
        self.init()
        ObjectInput.fill(self, value, ValueContext(core: nil))
    }

    /// The name of the primary key property, for classes that do not declare it with `@Persisted(primaryKey: true)`.
    open class func primaryKey() -> String? { nil }

    /// The names of indexed properties, for classes that do not declare them with `@Persisted(indexed: true)`.
    open class func indexedProperties() -> [String] { [] }

    /// Full-text indexes beside the one of properties declared with `@Persisted(fullText: true)`.
    ///
    /// ```swift
    /// override class func fullTextIndexes() -> [FullTextIndex] { [.init("title", "body", "author.name")] }
    /// ```
    /// A field is a string of the class, or of the object that a to-one link leads to. A search over several properties needs
    /// an index that has them all. If many objects link to one, changing a field of that one files all of them anew.
    open class func fullTextIndexes() -> [FullTextIndex] { [] }

    /// Indexes of places beside those of properties declared with `@Persisted(places: true)`.
    ///
    /// ```swift
    /// override class func placeIndexes() -> [PlaceIndex] { [.init(latitude: "latitude", longitude: "longitude")] }
    /// ```
    /// A latitude and a longitude are doubles of the class, or of the object that a to-one link leads to: `"home.latitude"`.
    open class func placeIndexes() -> [PlaceIndex] { [] }

    /// Indexes of string properties in the order of a language, by which `sorted(by:collation:)` and `COLLATE` find the first of many
    /// objects, or most of them, sooner.
    ///
    /// ```swift
    /// override class func collationIndexes() -> [CollationIndex] { [.init("name", collation: "de")] }
    /// ```
    /// `@Persisted(collation: "de") var name = ""` declares the same index.
    ///
    /// Opening a file that lacks such an index needs ICU on the machine; using one that it has does not. The order of each version
    /// of ICU is its own: `docs/collation.md` says what programs with different ones do.
    open class func collationIndexes() -> [CollationIndex] { [] }

    /// How objects of the class are synced; nil, as here, for a class whose objects stay on this machine.
    ///
    /// ```swift
    /// override class func syncRules() -> SyncRules? { SyncRules() }
    /// ```
    /// A synced class has a primary key that each device can give without asking others: a `UUID`, an `ObjectId`, a `String`, or an
    /// `Int` of the program's. What it links to is synced too. Properties declared with `@Persisted(counter: true)` are its counters.
    /// The rules hold for its subclasses. `docs/sync.md` says how changes of several devices are merged.
    ///
    /// A class of a file that is synced stays so when a program does not declare it: what is not sent yet would be dropped.
    open class func syncRules() -> SyncRules? { nil }

    /// The names of properties that are not stored. With `@Persisted` none are needed: others are not stored.
    open class func ignoredProperties() -> [String] { [] }

    /// The names of properties in the file, where they differ.
    // Allowed: what programs write, and override.
    open class func propertiesMapping() -> [String: String] { [:] }

    override class var isRoot: Bool { self == Object.self }
    override class var declaredKey: String? { primaryKey() }
    override class var declaredIndexes: [String] { indexedProperties() }
    override class var declaredFullText: [FullTextIndex] { fullTextIndexes() }
    override class var declaredPlaces: [PlaceIndex] { placeIndexes() }
    override class var declaredCollations: [CollationIndex] { collationIndexes() }
    override class var declaredSync: SyncRules? { syncRules() }
    // Allowed: the program's dictionary, which is copied by bytes.
    override class var storedNames: [String: String] { propertiesMapping() }
    override class var ignoredNames: [String] { ignoredProperties() }
}

/// The base class of models whose instances live within exactly one other object, and are deleted with it.
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

    /// Creates an unmanaged object with its properties set, as `Object.init(value:)` does.
    public convenience init(value: Any) {
        self.init()
        ObjectInput.fill(self, value, ValueContext(core: nil))
    }

    /// The names of indexed properties: always empty, as embedded objects cannot be indexed.
    open class func indexedProperties() -> [String] { [] }

    /// The names of properties that are not stored, as in `Object`.
    open class func ignoredProperties() -> [String] { [] }

    /// The names of properties in the file, where they differ.
    // Allowed: what programs write, and override.
    open class func propertiesMapping() -> [String: String] { [:] }

    override class var isRoot: Bool { self == EmbeddedObject.self }
    override class var isEmbeddedModel: Bool { true }
    // Allowed: the program's dictionary, which is copied by bytes.
    override class var storedNames: [String: String] { propertiesMapping() }
    override class var ignoredNames: [String] { ignoredProperties() }
}

extension ObjectBase {
    /// The value of the named property. Setting reports misuse if the value does not fit.
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
