public import Foundation
import FreeholdEngine

/// The base protocol of a realm's ordered collections.
///
/// The collections are lazy: `dogs.map { $0.name }` and `dogs.filter { $0.age > 5 }` read an object when its element is
/// read, unless the result is an array (`let names: [String] = dogs.map(\.name)`).
public protocol RealmCollectionBase<Element>: RandomAccessCollection, LazyCollectionProtocol, CustomStringConvertible, ThreadConfined
    where Index == Int, Element: RealmCollectionValue {}

/// A list, a set, results or linking objects.
///
/// ```swift
/// func names(_ dogs: some RealmCollection<Dog>) -> [String] { dogs.map(\.name) }
/// let oldest: Int? = realm.objects(Dog.self).max(of: \.age)
/// ```
public protocol RealmCollection<Element>: RealmCollectionBase, _KeyedCollection, Equatable where Iterator == RLMIterator<Element> {
    /// The first position of an element; nil if there is none.
    func index(of element: Element) -> Int?
}

extension List: RealmCollection {}
extension MutableSet: RealmCollection {}
extension Results: RealmCollection {}
extension LinkingObjects: RealmCollection {}

extension RealmCollection {
    /// The elements at several positions.
    public func objects(at places: IndexSet) -> [Element] { places.map { self[$0] } }
}

extension AnyRealmCollection: QueryableCollection {
    func subject() throws(FreeholdError) -> QuerySubject {
        if let queryable = base as? any QueryableCollection { return try queryable.subject() }
        throw FreeholdError(.typeMismatch, "Querying is currently only implemented for arrays of Realm Objects")
    }
}

extension AnyRealmCollection: Encodable where Element: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for element in self { try container.encode(element) }
    }
}

/// A map.
public protocol RealmKeyedCollection<Key, Value>: Sequence, CustomStringConvertible, ThreadConfined {
    associatedtype Key: _MapKey
    associatedtype Value: RealmCollectionValue
    /// The number of keys.
    var count: Int { get }
    /// Every key, in order.
    var keys: [Key] { get }
    /// Every value, in the order of the keys.
    var values: [Value] { get }
    /// The value for a key; setting nil removes the key.
    subscript(key: Key) -> Value? { get set }
    /// Sets the value for a key.
    func updateValue(_ value: Value, forKey key: Key)
    /// Removes a key, if it exists.
    func removeObject(for key: Key)
    /// Removes all keys and values.
    func removeAll()
}

extension Map: RealmKeyedCollection {}

/// A type-erased collection of a realm with elements of one type.
///
/// ```swift
/// var shown: AnyRealmCollection<Dog> = AnyRealmCollection(realm.objects(Dog.self))
/// shown = AnyRealmCollection(person.dogs)
/// ```
public struct AnyRealmCollection<Element: RealmCollectionValue>: RealmCollection {
    let base: any RealmCollection<Element>

    /// Wraps a collection.
    public init(_ base: some RealmCollection<Element>) { self.base = (base as? AnyRealmCollection)?.base ?? base }

    public var startIndex: Int { 0 }
    public var endIndex: Int { base.count }
    public var count: Int { base.count }
    public subscript(position: Int) -> Element { base[position] }
    public func makeIterator() -> RLMIterator<Element> { base.makeIterator() }
    /// The first element; nil if there is none.
    public var first: Element? { base.first }
    /// The last element; nil if there is none.
    public var last: Element? { base.last }
    public func index(of element: Element) -> Int? { base.index(of: element) }
    public var realm: Realm? { base.realm }
    public var isInvalidated: Bool { base.isInvalidated }
    public func freeze() -> AnyRealmCollection { AnyRealmCollection(base.freeze()) }
    public func thaw() -> AnyRealmCollection? {
        func thawed(_ base: some RealmCollection<Element>) -> AnyRealmCollection? { base.thaw().map { AnyRealmCollection($0) } }
        return thawed(base)
    }

    public func _handover(_ purpose: _HandoverPurpose) -> _Handover? {
        func wrapped<Base: RealmCollection<Element>>(_ base: Base) -> _Handover? {
            base._handover(purpose)?.map { found in (found as? Base).map { AnyRealmCollection($0) } }
        }
        return wrapped(base)
    }

    public var description: String { base.description }
    public func value(forKeyPath path: String) -> Any? { base.value(forKeyPath: path) }
    public func setValue(_ value: Any?, forKeyPath path: String) { base.setValue(value, forKeyPath: path) }

    /// Whether both wrap equal collections of one type.
    public static func == (one: AnyRealmCollection, other: AnyRealmCollection) -> Bool {
        func equals<Base: RealmCollection>(_ base: Base) -> Bool { (other.base as? Base) == base }
        return equals(one.base)
    }
}
