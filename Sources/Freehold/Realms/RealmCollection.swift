public import Foundation
import FreeholdEngine

/// What every collection of a realm, and its elements' order, have in common.
///
/// They are lazy: `dogs.map { $0.name }` and `dogs.filter { $0.age > 5 }` look at an object when theirs is looked at, unless an array is
/// asked for (`let names: [String] = dogs.map(\.name)`).
public protocol RealmCollectionBase<Element>: RandomAccessCollection, LazyCollectionProtocol, CustomStringConvertible, ThreadConfined
    where Index == Int, Element: RealmCollectionValue {}

/// Lists, sets, results and linking objects.
///
/// ```swift
/// func names(_ dogs: some RealmCollection<Dog>) -> [String] { dogs.map(\.name) }
/// let oldest: Int? = realm.objects(Dog.self).max(of: \.age)
/// ```
public protocol RealmCollection<Element>: RealmCollectionBase, _KeyedCollection, Equatable where Iterator == RLMIterator<Element> {
    /// The first place of an element; nil if there is none.
    func index(of element: Element) -> Int?
}

extension List: RealmCollection {}
extension MutableSet: RealmCollection {}
extension Results: RealmCollection {}
extension LinkingObjects: RealmCollection {}

extension RealmCollection {
    /// The elements at several places.
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

/// Maps.
public protocol RealmKeyedCollection<Key, Value>: Sequence, CustomStringConvertible, ThreadConfined {
    associatedtype Key: _MapKey
    associatedtype Value: RealmCollectionValue
    /// How many keys there are.
    var count: Int { get }
    /// Every key, in order.
    var keys: [Key] { get }
    /// Every value, in the order of the keys.
    var values: [Value] { get }
    /// The value under a key; setting nil takes the key out.
    subscript(key: Key) -> Value? { get set }
    /// Sets the value under a key.
    func updateValue(_ value: Value, forKey key: Key)
    /// Takes a key out, if there is one.
    func removeObject(for key: Key)
    /// Takes everything out.
    func removeAll()
}

extension Map: RealmKeyedCollection {}

/// Any collection of a realm with elements of one type, whatever its own type.
///
/// ```swift
/// var shown: AnyRealmCollection<Dog> = AnyRealmCollection(realm.objects(Dog.self))
/// shown = AnyRealmCollection(person.dogs)
/// ```
public struct AnyRealmCollection<Element: RealmCollectionValue>: RealmCollection {
    let base: any RealmCollection<Element>

    /// Stands for a collection.
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

    /// Whether both stand for equal collections of one type.
    public static func == (one: AnyRealmCollection, other: AnyRealmCollection) -> Bool {
        func equals<Base: RealmCollection>(_ base: Base) -> Bool { (other.base as? Base) == base }
        return equals(one.base)
    }
}
