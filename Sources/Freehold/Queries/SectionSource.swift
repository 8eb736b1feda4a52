import FreeholdEngine
import Synchronization

/// Finds the key of each of the results, and keeps the sections.
///
/// 1. The layout found is valid for one moment of the realm; that of a frozen realm stays valid, for every thread.
/// 2. While the sections are observed, keys are not computed here but taken from `FollowedSections`.
final class SectionSource<Key: Hashable, Element: RealmCollectionValue> {
    let results: Results<Element>
    private let keyOf: (Element) -> Key
    /// The key path within an element that the key depends on; nil if unknown.
    let keyPath: String?
    private let known = Mutex<Found?>(nil)
    /// The object that keeps the sections up to date while they are observed.
    weak var followed: FollowedSections<Key, Element>?

    /// The sections at one moment.
    ///
    /// Safe to share: threads share only what was found of frozen results, and it never changes.
    private struct Found: @unchecked Sendable {
        let moment: RealmMoment
        let layout: SectionLayout<Key>
        let positions: [Int: SectionPositions]
    }

    init(_ results: Results<Element>, keyPath: String? = nil, _ keyOf: @escaping (Element) -> Key) {
        self.results = results
        self.keyPath = keyPath
        self.keyOf = keyOf
    }

    /// The number of sections.
    var count: Int { current?.layout.order.count ?? 0 }

    /// Every key, in the order of its first occurrence in the results.
    var keys: [Key] { current.map { current in current.layout.order.compactMap { current.layout.key($0) } } ?? [] }

    /// The key of a section; nil if there is no such section.
    func key(at position: Int) -> Key? {
        guard let layout = current?.layout, layout.order.indices.contains(position) else { return nil }
        return layout.key(layout.order[position])
    }

    /// The positions of the elements that have a key.
    func positions(of key: Key) -> SectionPositions {
        guard let current, let number = current.layout.number(of: key) else { return SectionPositions() }
        return current.positions[number] ?? SectionPositions()
    }

    /// The key of an element that the results show.
    func key(of shown: Any?) -> Key? { (results.source.shown(shown) as? Element).map(keyOf) }

    private var current: Found? {
        guard let core = results.source.core, core.enter() else { return nil }
        let moment = core.moment
        if let known = known.withLock({ $0 }), known.moment == moment { return known }
        // The closure that computes keys may change the realm: then the keys are computed again at the next access.
        let layout = followed?.layoutNow(in: core) ?? asked(), found = Found(moment: moment, layout: layout, positions: layout.positions)
        known.withLock { $0 = found }
        return found
    }

    /// Computes the key of every element.
    func asked() -> SectionLayout<Key> {
        var layout = SectionLayout<Key>()
        for element in results { layout.append(keyOf(element)) }
        return layout
    }

    /// A handover of these sections to another thread or version.
    func handover(_ purpose: _HandoverPurpose, _ make: @escaping (SectionSource) -> Any?) -> _Handover? {
        let keyOf = keyOf, keyPath = keyPath
        return results._handover(purpose)?.map { found in (found as? Results<Element>).flatMap { make(SectionSource($0, keyPath: keyPath, keyOf)) } }
    }
}

extension Misuse {
    /// Reports misuse: a position is out of bounds.
    static func reportPlace(_ position: Int, of count: Int) {
        report(position < 0 ? "Cannot pass a negative value for 'index'." : "Index \(position) is out of bounds (must be less than \(count)).")
    }
}
