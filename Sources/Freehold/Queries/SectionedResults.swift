public import Foundation
import FreeholdEngine

/// Sectioned results, or one section of them.
public protocol RealmSectionedResult: RandomAccessCollection, Equatable, ThreadConfined, CustomStringConvertible where Index == Int {}

/// Results in sections, one for each key; as live as the results are.
///
/// ```swift
/// let byCity = realm.objects(Person.self).sectioned(by: \.city)
/// for section in byCity { print(section.key, section.count, section.first?.name ?? "") }
/// ```
/// Sections are in the order in which their keys first occur among the sorted elements. The keys of all elements are
/// computed again after a change that could affect them; while the sections are observed, only those of affected
/// elements.
public struct SectionedResults<Key: Hashable, SectionElement: RealmCollectionValue>: RealmSectionedResult {
    public typealias Element = ResultsSection<Key, SectionElement>

    let source: SectionSource<Key, SectionElement>

    init(_ source: SectionSource<Key, SectionElement>) { self.source = source }

    /// Every key, in the order of the sections.
    public var allKeys: [Key] { source.keys }

    public var startIndex: Int { 0 }
    public var endIndex: Int { source.count }

    /// The section at a position, counted from 0.
    public subscript(position: Int) -> ResultsSection<Key, SectionElement> {
        if let key = source.key(at: position) { return ResultsSection(source, key) }
        Misuse.reportPlace(position, of: source.count)
        return ResultsSection(source, nil)
    }

    /// The element at a position within a section: `sections[IndexPath(item: 2, section: 0)]`.
    public subscript(path: IndexPath) -> SectionElement { self[path.section][path.item] }

    /// An iterator over the sections that exist when it is created.
    public func makeIterator() -> SectionedResultsIterator<Key, SectionElement> { SectionedResultsIterator(source) }

    /// Whether both were created by one call, or are copies of each other.
    public static func == (one: SectionedResults, other: SectionedResults) -> Bool { one.source === other.source }

    public var description: String { "SectionedResults<\(Self.types)> (\(allKeys.count) sections)" }

    fileprivate static var types: String { "\(DescribedElements.name(of: Key.self)), \(DescribedElements.name(of: SectionElement.self))" }
}

/// The elements of results that currently have one key.
public struct ResultsSection<Key: Hashable, Element: RealmCollectionValue>: RealmSectionedResult, Identifiable {
    let source: SectionSource<Key, Element>
    /// The key; nil for a section that never existed.
    let known: Key?

    init(_ source: SectionSource<Key, Element>, _ key: Key?) {
        self.source = source
        known = key
    }

    /// The key that the elements have in common.
    public var key: Key {
        if let key = known ?? (Key.self as? any _Storable.Type)?._zero as? Key { return key }
        preconditionFailure("the section does not exist, which was reported as misuse, and '\(Key.self)' has no empty value")
    }

    public var id: Key { key }

    var positions: SectionPositions { known.map { source.positions(of: $0) } ?? SectionPositions() }

    public var startIndex: Int { 0 }
    public var endIndex: Int { positions.count }

    /// The element at a position of the section, counted from 0.
    public subscript(position: Int) -> Element {
        let positions = positions
        if positions.indices.contains(position) { return source.results[positions[position]] }
        Misuse.reportPlace(position, of: positions.count)
        return Element._zero
    }

    /// An iterator over the elements that exist when it is created. See `Results.makeIterator`.
    public func makeIterator() -> RLMIterator<Element> { RLMIterator(source.results.source.cursor(over: Array(positions))) }

    /// Whether both are sections with the same key of the same sectioned results.
    public static func == (one: ResultsSection, other: ResultsSection) -> Bool { one.source === other.source && one.known == other.known }

    public var description: String {
        DescribedElements(name: "ResultsSection<\(SectionedResults<Key, Element>.types)>", instance: nil).described(self, depth: 5)
    }
}

/// An iterator over the elements of a section.
public typealias SectionIterator<Element> = RLMIterator<Element>

/// An iterator over sections.
public struct SectionedResultsIterator<Key: Hashable, SectionElement: RealmCollectionValue>: IteratorProtocol {
    private let source: SectionSource<Key, SectionElement>
    private var keys: ArraySlice<Key>

    init(_ source: SectionSource<Key, SectionElement>) {
        self.source = source
        keys = source.keys[...]
    }

    /// The next section; nil after the last.
    public mutating func next() -> ResultsSection<Key, SectionElement>? { keys.popFirst().map { ResultsSection(source, $0) } }
}

extension SectionedResults {
    /// The realm that the results belong to.
    public var realm: Realm? { source.results.realm }
    /// Whether the results are invalidated; always false, see `Results`.
    public var isInvalidated: Bool { source.results.isInvalidated }
    /// A frozen copy of the sections, readable from any thread.
    public func freeze() -> SectionedResults { frozen() }
    /// The sections in a live realm of the caller's thread, queue or actor.
    public func thaw() -> SectionedResults? { thawed() }
    public func _handover(_ purpose: _HandoverPurpose) -> _Handover? { source.handover(purpose) { SectionedResults($0) } }
}

extension ResultsSection {
    /// The realm that the results belong to.
    public var realm: Realm? { source.results.realm }
    /// Whether no element has the key any more.
    public var isInvalidated: Bool { source.results.isInvalidated || positions.isEmpty }
    /// A frozen copy of the section, readable from any thread.
    public func freeze() -> ResultsSection { frozen() }
    /// The section with the same key in a live realm of the caller's thread, queue or actor.
    public func thaw() -> ResultsSection? { thawed() }

    public func _handover(_ purpose: _HandoverPurpose) -> _Handover? {
        let key = known
        return source.handover(purpose) { ResultsSection($0, key) }
    }
}

@available(*, unavailable, message: "live sections belong to their thread, queue or actor; pass a Frozen or a ThreadSafeReference")
extension SectionedResults: Sendable {}

@available(*, unavailable, message: "live sections belong to their thread, queue or actor; pass a Frozen or a ThreadSafeReference")
extension ResultsSection: Sendable {}

/// Positions of elements within sections, with the names that Apple's user interfaces use.
extension IndexPath {
    /// Creates the position of an element within a section.
    public init(item: Int, section: Int) { self.init(indexes: [section, item]) }

    /// The position of the section.
    public var section: Int { self[0] }

    /// The position of the element within its section.
    public var item: Int { self[1] }
}
