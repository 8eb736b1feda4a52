import FreeholdEngine
import Synchronization

/// Which of the results have which key.
///
/// 1. What was found is good for one moment of the realm; of a frozen one for good, and for every thread.
/// 2. While somebody observes the sections keys are not asked for, but taken from what follows the changes.
final class SectionSource<Key: Hashable, Element: RealmCollectionValue> {
    let results: Results<Element>
    private let keyOf: (Element) -> Key
    /// What of an element the key is made of; nil if anybody's guess.
    let keyPath: String?
    private let known = Mutex<Found?>(nil)
    /// Who keeps the sections up to date.
    weak var followed: FollowedSections<Key, Element>?

    /// The sections as they are at a moment.
    ///
    /// Safe to share: threads share what was found of frozen results only, and it never changes.
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

    /// How many sections there are.
    var count: Int { current?.layout.order.count ?? 0 }

    /// Every key, in the order in which the results first have them.
    var keys: [Key] { current.map { current in current.layout.order.compactMap { current.layout.key($0) } } ?? [] }

    /// The key of a section; nil if there is no such section.
    func key(at position: Int) -> Key? {
        guard let layout = current?.layout, layout.order.indices.contains(position) else { return nil }
        return layout.key(layout.order[position])
    }

    /// The places of the elements that have a key.
    func positions(of key: Key) -> SectionPositions {
        guard let current, let number = current.layout.number(of: key) else { return SectionPositions() }
        return current.positions[number] ?? SectionPositions()
    }

    /// The key of something that the results show.
    func key(of shown: Any?) -> Key? { (results.source.shown(shown) as? Element).map(keyOf) }

    private var current: Found? {
        guard let core = results.source.core, core.enter() else { return nil }
        let moment = core.moment
        if let known = known.withLock({ $0 }), known.moment == moment { return known }
        // What asks for keys may change what is asked: then they are asked for again next time.
        let layout = followed?.layoutNow(in: core) ?? asked(), found = Found(moment: moment, layout: layout, positions: layout.positions)
        known.withLock { $0 = found }
        return found
    }

    /// Asks every element for its key.
    func asked() -> SectionLayout<Key> {
        var layout = SectionLayout<Key>()
        for element in results { layout.append(keyOf(element)) }
        return layout
    }

    /// How the same is found elsewhere.
    func handover(_ purpose: _HandoverPurpose, _ make: @escaping (SectionSource) -> Any?) -> _Handover? {
        let keyOf = keyOf, keyPath = keyPath
        return results._handover(purpose)?.map { found in (found as? Results<Element>).flatMap { make(SectionSource($0, keyPath: keyPath, keyOf)) } }
    }
}

extension Misuse {
    /// Tells that a place is not there.
    static func reportPlace(_ position: Int, of count: Int) {
        report(position < 0 ? "Cannot pass a negative value for 'index'." : "Index \(position) is out of bounds (must be less than \(count)).")
    }
}
