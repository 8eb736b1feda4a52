import FreeholdEngine
import Synchronization

/// Which of the results have which key.
///
/// What was found is good for one moment of the realm; of a frozen one for good, and for every thread.
final class SectionSource<Key: Hashable, Element: RealmCollectionValue> {
    let results: Results<Element>
    private let keyOf: (Element) -> Key
    private let known = Mutex<Found?>(nil)

    struct Section {
        let key: Key
        /// Places among the results.
        var positions: [Int]
    }

    /// Safe to share: threads share what was found of frozen results only, and it never changes.
    private struct Found: @unchecked Sendable {
        let moment: RealmMoment
        var sections: [Section] = []
        var places: [Key: Int] = [:]
    }

    init(_ results: Results<Element>, _ keyOf: @escaping (Element) -> Key) {
        self.results = results
        self.keyOf = keyOf
    }

    /// All sections, in the order in which the results first have their keys.
    var sections: [Section] { current?.sections ?? [] }

    /// The places of the elements that have a key.
    func positions(of key: Key) -> [Int] {
        guard let current, let place = current.places[key] else { return [] }
        return current.sections[place].positions
    }

    private var current: Found? {
        guard let core = results.source.core, core.enter() else { return nil }
        let moment = core.moment
        if let known = known.withLock({ $0 }), known.moment == moment { return known }
        // What asks for keys may change what is asked: then they are asked for again next time.
        let found = found(at: moment)
        known.withLock { $0 = found }
        return found
    }

    private func found(at moment: RealmMoment) -> Found {
        var found = Found(moment: moment), position = 0
        for element in results {
            let key = keyOf(element)
            if let place = found.places[key] {
                found.sections[place].positions.append(position)
            } else {
                found.places[key] = found.sections.count
                found.sections.append(Section(key: key, positions: [position]))
            }
            position += 1
        }
        return found
    }

    /// How the same is found elsewhere.
    func handover(_ purpose: _HandoverPurpose, _ make: @escaping (SectionSource) -> Any?) -> _Handover? {
        let keyOf = keyOf
        return results._handover(purpose)?.map { found in (found as? Results<Element>).flatMap { make(SectionSource($0, keyOf)) } }
    }
}

extension Misuse {
    /// Tells that a place is not there.
    static func reportPlace(_ position: Int, of count: Int) {
        report(position < 0 ? "Cannot pass a negative value for 'index'." : "Index \(position) is out of bounds (must be less than \(count)).")
    }
}
