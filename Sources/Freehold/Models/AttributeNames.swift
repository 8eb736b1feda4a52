import FreeholdEngine
import Synchronization

/// Interns the names in property declarations, so that a number can stand for them.
final class AttributeNames: Sendable {
    static let shared = AttributeNames()

    private struct Names: Hashable {
        let origin: ExactText?
        let stored: ExactText?
        let language: ExactText?
    }

    /// A linked list of names, never freed: a forked child can read it, whatever a thread of its parent was doing.
    private final class Entry: Sendable {
        let names: Names
        let place: Int
        let before: Entry?

        init(_ names: Names, _ before: Entry?) { (self.names, place, self.before) = (names, (before?.place ?? 0) + 1, before) }
    }

    private struct Known: Sendable {
        var names: [Names] = []
        var places: [Names: Int] = [:]
    }

    /// The address of the last entry, or 0.
    private static let last = Atomic<UInt>(0)

    private static var lastEntry: Entry? {
        // Safe: the entry at the address was retained for good.
        UnsafeRawPointer(bitPattern: last.load(ordering: .acquiring)).map { Unmanaged<Entry>.fromOpaque($0).takeUnretainedValue() }
    }

    private let known = PerProcess(inherits: false) {
        var known = Known(), next = lastEntry
        while let entry = next {
            known.names.append(entry.names)
            known.places[entry.names] = entry.place
            next = entry.before
        }
        known.names.reverse()
        return known
    }

    /// The number of a declaration's names, from 1; 0 if all are nil. The same names are kept once.
    func place(_ origin: String?, _ stored: String?, _ language: String?) -> Int {
        if origin == nil, stored == nil, language == nil { return 0 }
        let names = Names(origin: origin.map(ExactText.init), stored: stored.map(ExactText.init), language: language.map(ExactText.init))
        return known.withLock { known in
            if let place = known.places[names] { return place }
            // Safe: retained for good.
            let entry = Entry(names, Self.lastEntry)
            Self.last.store(UInt(bitPattern: Unmanaged.passRetained(entry).toOpaque()), ordering: .releasing)
            known.names.append(names)
            known.places[names] = entry.place
            return entry.place
        }
    }

    func names(at place: Int) -> (origin: String?, stored: String?, language: String?) {
        if place == 0 { return (nil, nil, nil) }
        return known.withLock { known in
            guard known.names.indices.contains(place - 1) else { return (nil, nil, nil) }
            let names = known.names[place - 1]
            return (names.origin?.text, names.stored?.text, names.language?.text)
        }
    }
}
