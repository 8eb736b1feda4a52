public import Foundation
import FreeholdEngine

/// What has sections, and a section.
public protocol RealmSectionedResult: RandomAccessCollection, Equatable, ThreadConfined, CustomStringConvertible where Index == Int {}

/// Results in sections, each of the elements that have one key: live, as results are.
///
/// ```swift
/// let byCity = realm.objects(Person.self).sectioned(by: \.city)
/// for section in byCity { print(section.key, section.count, section.first?.name ?? "") }
/// ```
/// Sections stand in the order in which the sorted elements first have their keys. All elements are asked for their keys again once
/// something may have changed; while the sections are observed, those that did.
public struct SectionedResults<Key: Hashable, SectionElement: RealmCollectionValue>: RealmSectionedResult {
    public typealias Element = ResultsSection<Key, SectionElement>

    let source: SectionSource<Key, SectionElement>

    init(_ source: SectionSource<Key, SectionElement>) { self.source = source }

    /// Every key, in the order of the sections.
    public var allKeys: [Key] { source.keys }

    public var startIndex: Int { 0 }
    public var endIndex: Int { source.count }

    /// The section at a place, counted from 0.
    public subscript(position: Int) -> ResultsSection<Key, SectionElement> {
        if let key = source.key(at: position) { return ResultsSection(source, key) }
        Misuse.reportPlace(position, of: source.count)
        return ResultsSection(source, nil)
    }

    /// The element at a place within a section: `sections[IndexPath(item: 2, section: 0)]`.
    public subscript(path: IndexPath) -> SectionElement { self[path.section][path.item] }

    /// Goes through the sections that there are at the beginning.
    public func makeIterator() -> SectionedResultsIterator<Key, SectionElement> { SectionedResultsIterator(source) }

    /// Whether both were made by one call, or are copies of each other.
    public static func == (one: SectionedResults, other: SectionedResults) -> Bool { one.source === other.source }

    public var description: String { "SectionedResults<\(Self.types)> (\(allKeys.count) sections)" }

    fileprivate static var types: String { "\(DescribedElements.name(of: Key.self)), \(DescribedElements.name(of: SectionElement.self))" }
}

/// The elements of results that have one key, however many those are now.
public struct ResultsSection<Key: Hashable, Element: RealmCollectionValue>: RealmSectionedResult, Identifiable {
    let source: SectionSource<Key, Element>
    /// Nil of a section that was never there.
    let known: Key?

    init(_ source: SectionSource<Key, Element>, _ key: Key?) {
        self.source = source
        known = key
    }

    /// What the elements have in common.
    public var key: Key {
        if let key = known ?? (Key.self as? any _Storable.Type)?._zero as? Key { return key }
        preconditionFailure("there is no such section, which has been told, and '\(Key.self)' has no value to stand for none")
    }

    public var id: Key { key }

    var positions: SectionPositions { known.map { source.positions(of: $0) } ?? SectionPositions() }

    public var startIndex: Int { 0 }
    public var endIndex: Int { positions.count }

    /// The element at a place of the section, counted from 0.
    public subscript(position: Int) -> Element {
        let positions = positions
        if positions.indices.contains(position) { return source.results[positions[position]] }
        Misuse.reportPlace(position, of: positions.count)
        return Element._zero
    }

    /// Goes through the elements that there are at the beginning: see `Results.makeIterator`.
    public func makeIterator() -> RLMIterator<Element> { RLMIterator(source.results.source.cursor(over: Array(positions))) }

    /// Whether both are the section of one key of the same sectioned results.
    public static func == (one: ResultsSection, other: ResultsSection) -> Bool { one.source === other.source && one.known == other.known }

    public var description: String {
        DescribedElements(name: "ResultsSection<\(SectionedResults<Key, Element>.types)>", instance: nil).described(self, depth: 5)
    }
}

/// Goes through elements of a section.
public typealias SectionIterator<Element> = RLMIterator<Element>

/// Goes through sections.
public struct SectionedResultsIterator<Key: Hashable, SectionElement: RealmCollectionValue>: IteratorProtocol {
    private let source: SectionSource<Key, SectionElement>
    private var keys: ArraySlice<Key>

    init(_ source: SectionSource<Key, SectionElement>) {
        self.source = source
        keys = source.keys[...]
    }

    /// The next section; nil behind the last.
    public mutating func next() -> ResultsSection<Key, SectionElement>? { keys.popFirst().map { ResultsSection(source, $0) } }
}

extension SectionedResults {
    /// The realm.
    public var realm: Realm? { source.results.realm }
    /// Never: see `Results`.
    public var isInvalidated: Bool { source.results.isInvalidated }
    /// The sections as they are now, and stay: readable from any thread.
    public func freeze() -> SectionedResults { frozen() }
    /// The sections of a live realm of the caller's thread, queue or actor.
    public func thaw() -> SectionedResults? { thawed() }
    public func _handover(_ purpose: _HandoverPurpose) -> _Handover? { source.handover(purpose) { SectionedResults($0) } }
}

extension ResultsSection {
    /// The realm.
    public var realm: Realm? { source.results.realm }
    /// Whether no element has the key any more.
    public var isInvalidated: Bool { source.results.isInvalidated || positions.isEmpty }
    /// The section as it is now, and stays: readable from any thread.
    public func freeze() -> ResultsSection { frozen() }
    /// The section of the key in a live realm of the caller's thread, queue or actor.
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

/// Places of elements within sections, as Apple's user interfaces have them.
extension IndexPath {
    /// The place of an element within a section.
    public init(item: Int, section: Int) { self.init(indexes: [section, item]) }

    /// Which section is meant.
    public var section: Int { self[0] }

    /// Which element of the section is meant.
    public var item: Int { self[1] }
}
