/// How often a document has a word: 0 for not at all, then the classes of occurrences, the most frequent last.
///
/// Safe throughout: classes are 0…7; counts are those of the documents of one index.
struct OccurrenceLevel: Equatable, Comparable, Sendable {
    let number: UInt8

    static let count = 1 + OccurrenceClass.count
    static let none = OccurrenceLevel(number: 0)

    private init(number: UInt8) { self.number = number }

    @inline(__always) init(_ occurrences: OccurrenceClass) { number = UInt8(OccurrenceClass.count) &- occurrences.number }

    /// - Parameter occurrences: the number of places; 0 for none.
    init(occurrences: Int) { self = occurrences > 0 ? OccurrenceLevel(OccurrenceClass(occurrences: occurrences)) : .none }

    /// The number of occurrences that scores count.
    var counted: Double { number == 0 ? 0 : OccurrenceClass(number: UInt8(OccurrenceClass.count) - number).counted }

    static let all = (0..<count).map { OccurrenceLevel(number: UInt8($0)) }

    static func < (left: OccurrenceLevel, right: OccurrenceLevel) -> Bool { left.number < right.number }
}

/// The documents with a term that meets a condition, in one field, ascending by key.
struct TermDocuments {
    private(set) var keys: [ObjectKey] = []
    /// Of each the level of that of the terms which it has most often.
    private(set) var levels: [OccurrenceLevel] = []
    /// The number of documents of that of the terms which most have.
    var containing = 0

    /// Adds a document behind all others.
    @inline(__always)
    mutating func append(_ key: ObjectKey, _ level: OccurrenceLevel) {
        keys.append(key)
        levels.append(level)
    }

    /// The levels of other keys, which ascend.
    func levels(of wanted: [ObjectKey]) -> [OccurrenceLevel] {
        var found: [OccurrenceLevel] = [], place = 0
        found.reserveCapacity(wanted.count)
        for key in wanted {
            place = first(from: place, notBefore: key)
            found.append(place < keys.count && keys[place] == key ? levels[place] : .none)
        }
        return found
    }

    /// The first place from one on whose key is not before another; near ones are found soon.
    @inline(__always)
    private func first(from start: Int, notBefore key: ObjectKey) -> Int {
        var step = 1, low = start
        while low + step <= keys.count, keys[low + step - 1].rawValue < key.rawValue {
            low += step
            step *= 2
        }
        var high = min(low + step - 1, keys.count)
        while low < high {
            let middle = (low + high) / 2
            if keys[middle].rawValue < key.rawValue { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension TermDocuments {
    /// Gathers the documents of several terms, which come term by term.
    ///
    /// Safe throughout: counts are those of the documents of one index.
    struct Gatherer {
        private struct Path {
            var keys: [Int64] = []
            var levels: [OccurrenceLevel] = []
            var lowest = Int64.max
            var highest = Int64.min
            /// The documents of the present term, and the maximum of all terms.
            var ofTerm = 0
            var most = 0
        }

        private var paths: [Path]
        private var term: [UInt8] = []

        init(paths count: Int) { paths = Array(repeating: Path(), count: count) }

        /// Continues with a term, which may be the same again.
        mutating func begin(_ next: IndexKey, _ path: Int) {
            let isSame = term.count == next.count && term.elementsEqual(UnsafeRawBufferPointer(start: next.start, count: next.count))
            if isSame { return }
            term = Array(UnsafeRawBufferPointer(start: next.start, count: next.count))
            for path in paths.indices { paths[path].ofTerm = 0 }
        }

        @inline(__always)
        mutating func add(_ key: Int64, _ level: OccurrenceLevel, _ path: Int) {
            paths[path].keys.append(key)
            paths[path].levels.append(level)
            paths[path].lowest = min(paths[path].lowest, key)
            paths[path].highest = max(paths[path].highest, key)
            paths[path].ofTerm &+= 1
            if paths[path].ofTerm > paths[path].most { paths[path].most = paths[path].ofTerm }
        }

        /// Adds all documents of a term.
        mutating func add(_ documents: TermDocuments, _ path: Int) {
            paths[path].ofTerm = 0
            for (key, level) in zip(documents.keys, documents.levels) { add(key.rawValue, level, path) }
        }

        func documents() -> [TermDocuments] {
            paths.map { path in
                var found = Self.united(path)
                found.containing = path.most
                return found
            }
        }

        private static func united(_ path: Path) -> TermDocuments {
            if path.keys.isEmpty { return TermDocuments() }
            let (range, isFar) = path.highest.subtractingReportingOverflow(path.lowest)
            return isFar || range / 16 > max(path.keys.count, 1 << 16) ? sorted(path) : placed(path, Int(range) + 1)
        }

        /// Keys are near one another as a rule: then each has a place.
        private static func placed(_ path: Path, _ count: Int) -> TermDocuments {
            var levels = [OccurrenceLevel](repeating: .none, count: count), found = TermDocuments()
            for (key, level) in zip(path.keys, path.levels) {
                let place = Int(key - path.lowest)
                if levels[place] < level { levels[place] = level }
            }
            for (place, level) in levels.enumerated() where level != .none { found.append(ObjectKey(path.lowest + Int64(place)), level) }
            return found
        }

        private static func sorted(_ path: Path) -> TermDocuments {
            var found = TermDocuments(), last: (key: Int64, level: OccurrenceLevel)?
            for (key, level) in zip(path.keys, path.levels).sorted(by: { $0.0 < $1.0 }) {
                if let now = last, now.key == key {
                    last = (key, max(now.level, level))
                    continue
                }
                if let now = last { found.append(ObjectKey(now.key), now.level) }
                last = (key, level)
            }
            if let now = last { found.append(ObjectKey(now.key), now.level) }
            return found
        }
    }
}
