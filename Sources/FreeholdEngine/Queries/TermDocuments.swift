/// How often a document has a word: 0 for not at all, then the classes of occurrences, the most frequent last.
///
/// Safe throughout: classes are 0…7; counts are those of the documents of one index.
struct OccurrenceLevel: Equatable, Comparable, Sendable {
    let number: UInt8

    static let count = 1 + OccurrenceClass.count
    static let none = OccurrenceLevel(number: 0)
    static let highest = OccurrenceLevel(number: UInt8(count - 1))

    private init(number: UInt8) { self.number = number }

    @inline(__always) init(_ occurrences: OccurrenceClass) { number = UInt8(OccurrenceClass.count) &- occurrences.number }

    /// - Parameter occurrences: the number of places; 0 for none.
    init(occurrences: Int) { self = occurrences > 0 ? OccurrenceLevel(OccurrenceClass(occurrences: occurrences)) : .none }

    /// The number of occurrences that scores count.
    var counted: Double { number == 0 ? 0 : OccurrenceClass(number: UInt8(OccurrenceClass.count) - number).counted }

    static let all = (0..<count).map { OccurrenceLevel(number: UInt8($0)) }

    static func < (left: OccurrenceLevel, right: OccurrenceLevel) -> Bool { left.number < right.number }
}

/// The documents with a term that meets a condition, in one field.
///
/// Of each it has the level of that of the terms which the document has most often: for all keys of a range a place, or, where
/// these would be many more than documents, a list.
struct TermDocuments {
    private enum Form {
        case places([OccurrenceLevel])
        /// Ascending by key.
        case list([ObjectKey], [OccurrenceLevel])
    }

    private let form: Form
    /// The number of documents of that of the terms which most have.
    let containing: Int

    static let none = TermDocuments(form: .list([], []), containing: 0)

    /// The keys, ascending.
    var keys: [ObjectKey] {
        switch form {
        case .list(let keys, _): return keys
        case .places(let levels):
            var found: [ObjectKey] = []
            found.reserveCapacity(containing)
            // Safe: eight bytes are read where eight places follow.
            levels.withUnsafeBytes { bytes in
                var place = 0
                while place < bytes.count {
                    // Most places are empty as a rule, so eight are passed at once.
                    if place + 8 <= bytes.count, bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self) == 0 {
                        place += 8
                        continue
                    }
                    for place in place..<min(place + 8, bytes.count) where bytes[place] != 0 { found.append(ObjectKey(Int64(place))) }
                    place += 8
                }
            }
            return found
        }
    }

    /// Those of other keys, which ascend, that are among these.
    func common(_ others: [ObjectKey]) -> [ObjectKey] {
        switch form {
        case .list(let keys, _): others.common(keys)
        case .places(let levels): others.filter { Self.level(of: $0, levels) != .none }
        }
    }

    /// The levels of other keys, which ascend.
    func levels(of others: [ObjectKey]) -> [OccurrenceLevel] {
        switch form {
        case .places(let levels): return others.map { Self.level(of: $0, levels) }
        case .list(let keys, let levels):
            var place = 0
            return others.map { key in
                while place < keys.count, keys[place].rawValue < key.rawValue { place += 1 }
                return place < keys.count && keys[place] == key ? levels[place] : .none
            }
        }
    }

    @inline(__always)
    private static func level(of key: ObjectKey, _ levels: [OccurrenceLevel]) -> OccurrenceLevel {
        key.rawValue >= 0 && key.rawValue < levels.count ? levels[Int(key.rawValue)] : .none
    }
}

extension TermDocuments {
    /// Gathers the documents of several terms, which come term by term.
    ///
    /// Safe throughout: counts are those of the documents of one index.
    struct Gatherer {
        /// Empty for a list.
        private var places: [OccurrenceLevel]
        private var others: [(key: Int64, level: OccurrenceLevel)] = []
        /// The documents of the present term, and the maximum of all terms.
        private var ofTerm = 0
        private var most = 0

        /// - Parameters:
        ///   - keys: the number of keys, from 0 on, that documents have as a rule.
        ///   - expected: how many documents are expected.
        init(keys: Int64, expected: Int) {
            let hasPlaces = keys > 0 && keys / 16 <= max(expected, 1 << 12)
            places = hasPlaces ? Array(repeating: .none, count: Int(keys)) : []
        }

        /// Begins another term.
        mutating func begin() { ofTerm = 0 }

        @inline(__always)
        mutating func add(_ key: Int64, _ level: OccurrenceLevel) {
            ofTerm &+= 1
            if ofTerm > most { most = ofTerm }
            if key >= 0, key < places.count {
                if places[Int(key)] < level { places[Int(key)] = level }
            } else {
                others.append((key, level))
            }
        }

        func documents() -> TermDocuments {
            if others.isEmpty { return places.isEmpty ? .none : TermDocuments(form: .places(places), containing: most) }
            var all = others
            for (key, level) in places.enumerated() where level != .none { all.append((Int64(key), level)) }
            all.sort { $0.key < $1.key }
            var keys: [ObjectKey] = [], levels: [OccurrenceLevel] = []
            for (key, level) in all {
                if keys.last?.rawValue == key {
                    levels[levels.count - 1] = max(levels[levels.count - 1], level)
                } else {
                    keys.append(ObjectKey(key))
                    levels.append(level)
                }
            }
            return TermDocuments(form: .list(keys, levels), containing: most)
        }
    }
}
