import Synchronization

/// The names that declarations of properties mention, so that a number can stand for them.
final class AttributeNames: Sendable {
    static let shared = AttributeNames()

    private struct Names: Hashable {
        let origin: String?
        let stored: String?
    }

    private struct Known {
        var names: [Names] = []
        var places: [Names: Int] = [:]
    }

    private let known = Mutex(Known())

    /// The number of the names, from 1; 0 for none at all. Each pair of names is kept once.
    func place(_ origin: String?, _ stored: String?) -> Int {
        if origin == nil, stored == nil { return 0 }
        let names = Names(origin: origin, stored: stored)
        return known.withLock { known in
            if let place = known.places[names] { return place }
            known.names.append(names)
            known.places[names] = known.names.count
            return known.names.count
        }
    }

    func names(at place: Int) -> (origin: String?, stored: String?) {
        if place == 0 { return (nil, nil) }
        return known.withLock { known in
            guard known.names.indices.contains(place - 1) else { return (nil, nil) }
            return (known.names[place - 1].origin, known.names[place - 1].stored)
        }
    }
}
