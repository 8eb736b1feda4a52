import FreeholdEngine
import Synchronization

/// Interns the names in property declarations, so that a number can stand for them.
final class AttributeNames: Sendable {
    static let shared = AttributeNames()

    struct Names: Hashable {
        var origin: ExactText?
        var stored: ExactText?
        var language: ExactText?
        var collations: [ExactText] = []
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

    /// The number of a declaration's names, from 1; 0 if there are none. The same names are kept once.
    func place(_ names: Names) -> Int {
        if names == Names() { return 0 }
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

    func names(at place: Int) -> Names {
        if place == 0 { return Names() }
        return known.withLock { known in known.names.indices.contains(place - 1) ? known.names[place - 1] : Names() }
    }
}
