import FreeholdEngine

/// A key of a map with its value.
public struct SingleMapEntry<Key: _MapKey, Value: RealmCollectionValue>: Hashable {
    /// The key.
    public let key: Key
    /// The key's value.
    public let value: Value
}

/// Iterates over a map, in the order of its keys when the iteration began.
public struct RLMMapIterator<Element>: IteratorProtocol {
    private var entries: IndexingIterator<[Element]>

    init(_ entries: [Element]) { self.entries = entries.makeIterator() }

    /// The next entry; nil after the last.
    public mutating func next() -> Element? { entries.next() }
}

extension Map: Sequence {
    public func makeIterator() -> RLMMapIterator<SingleMapEntry<Key, Value>> {
        RLMMapIterator(entries.map { SingleMapEntry(key: $0.key, value: $0.value) })
    }

    /// Whether the map belonged to an object that has been deleted, or to a value that was replaced.
    public var isInvalidated: Bool { place.map { $0.view(quietly: true) == nil } ?? false }

    /// The keys with their values as pairs, in the order of the keys.
    public func asKeyValueSequence() -> KeyValueSequence<Key, Value> { KeyValueSequence(entries) }

    /// Whether any key with its value satisfies a condition.
    public func contains(where isMeant: (_ key: Key, _ value: Value) throws -> Bool) rethrows -> Bool {
        try entries.contains { try isMeant($0.key, $0.value) }
    }
}

/// A position in a map's order of keys.
public struct MapIndex: Comparable, Hashable {
    let offset: Int

    public static func < (one: MapIndex, other: MapIndex) -> Bool { one.offset < other.offset }
}

extension Map {
    /// The position of the first key.
    public var startIndex: MapIndex { MapIndex(offset: 0) }
    /// The position after the last key.
    public var endIndex: MapIndex { MapIndex(offset: count) }
    /// The position after another position.
    public func index(after place: MapIndex) -> MapIndex { MapIndex(offset: place.offset + 1) }
    /// The position before another position.
    public func index(before place: MapIndex) -> MapIndex { MapIndex(offset: place.offset - 1) }

    /// The key at a position, with its value; nil if there is none.
    public subscript(place: MapIndex) -> SingleMapEntry<Key, Value>? {
        let entries = entries
        return entries.indices.contains(place.offset) ? SingleMapEntry(key: entries[place.offset].key, value: entries[place.offset].value) : nil
    }
}

/// A map's keys with their values, as pairs: `for (key, value) in map.asKeyValueSequence()`.
public struct KeyValueSequence<Key: _MapKey, Value: RealmCollectionValue>: Sequence {
    private let entries: [(key: Key, value: Value)]

    init(_ entries: [(key: Key, value: Value)]) { self.entries = entries }

    public func makeIterator() -> RLMMapIterator<(key: Key, value: Value)> { RLMMapIterator(entries) }
}

/// Maps are equal if they have equal values for the same keys.
extension Map: Hashable {
    public static func == (one: Map, other: Map) -> Bool {
        if one.isSame(as: other) { return true }
        return one.count == other.count && one.entries.elementsEqual(other.entries) { $0.key._text.isSame(as: $1.key._text) && $0.value == $1.value }
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(count) }
}

extension Map: ExpressibleByDictionaryLiteral {
    public convenience init(dictionaryLiteral entries: (Key, Value)...) {
        self.init()
        for (key, value) in entries { own[key._text] = value }
    }
}
