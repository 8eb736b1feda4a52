/// A dictionary whose keys are strings, told apart by their bytes (`ExactText`), in no order.
///
/// ```swift
/// var phones: TextMap<Value> = ["home": .string("555-0100")]
/// phones["work"] = .string("555-0199")
/// ```
public struct TextMap<Element> {
    private var entries: [ExactText: Element]

    public init() { entries = [:] }

    /// The entries of a dictionary, in which no two keys are spellings of one text.
    public init(_ dictionary: [String: Element]) { self.init(dictionary.lazy.map { ($0.key, $0.value) }) { $1 } }

    /// Pairs; `combine` chooses between the values of one key.
    public init(_ pairs: some Sequence<(String, Element)>, uniquingKeysWith combine: (Element, Element) throws -> Element) rethrows {
        entries = try Dictionary(pairs.lazy.map { (ExactText($0.0), $0.1) }, uniquingKeysWith: combine)
    }

    /// Pairs whose keys all differ.
    public init(uniqueKeysWithValues pairs: some Sequence<(String, Element)>) {
        entries = Dictionary(uniqueKeysWithValues: pairs.lazy.map { (ExactText($0.0), $0.1) })
    }

    fileprivate init(entries: [ExactText: Element]) { self.entries = entries }

    /// The value under a key; setting nil takes the key out.
    public subscript(key: String) -> Element? {
        get { entries[ExactText(key)] }
        set { entries[ExactText(key)] = newValue }
        _modify { yield &entries[ExactText(key)] }
    }

    /// The value under a key, or another one if there is none.
    public subscript(key: String, default fallback: @autoclosure () -> Element) -> Element {
        get { entries[ExactText(key)] ?? fallback() }
        _modify { yield &entries[ExactText(key), default: fallback()] }
    }

    /// The keys, in no order.
    public var keys: [String] { entries.keys.map(\.text) }
    /// The values, in the order of `keys`.
    public var values: [Element] { Array(entries.values) }

    /// Sets the value under a key; returns the one before.
    @discardableResult
    public mutating func updateValue(_ value: Element, forKey key: String) -> Element? { entries.updateValue(value, forKey: ExactText(key)) }

    /// Takes a key out; returns its value.
    @discardableResult
    public mutating func removeValue(forKey key: String) -> Element? { entries.removeValue(forKey: ExactText(key)) }

    /// Takes everything out.
    public mutating func removeAll(keepingCapacity: Bool = false) { entries.removeAll(keepingCapacity: keepingCapacity) }

    /// Returns a map with these keys, and each value transformed by `body`.
    public func mapValues<Other>(_ body: (Element) throws -> Other) rethrows -> TextMap<Other> { TextMap<Other>(entries: try entries.mapValues(body)) }

    /// The entries in the order of their keys' bytes.
    public var sortedByKey: [(key: String, value: Element)] { sorted { $0.key.precedes($1.key) } }

    /// The entries as a dictionary of Swift's; of keys that are spellings of one text it has one.
    public var dictionary: [String: Element] { Dictionary(sortedByKey.map { ($0.key, $0.value) }) { $1 } }
}

extension TextMap: Collection {
    public typealias Index = Dictionary<ExactText, Element>.Index

    public var startIndex: Index { entries.startIndex }
    public var endIndex: Index { entries.endIndex }
    public func index(after index: Index) -> Index { entries.index(after: index) }
    public var count: Int { entries.count }

    public subscript(index: Index) -> (key: String, value: Element) { (entries[index].key.text, entries[index].value) }
}

extension TextMap: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral pairs: (String, Element)...) {
        // `[:]` is the default of arguments, and should cost nothing.
        if pairs.isEmpty { self.init() } else { self.init(pairs) { $1 } }
    }
}

extension TextMap: Equatable where Element: Equatable {}
extension TextMap: Hashable where Element: Hashable {}
extension TextMap: Sendable where Element: Sendable {}
