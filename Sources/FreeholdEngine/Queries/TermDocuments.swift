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
        /// Of the keys from one on.
        case places([OccurrenceLevel], from: Int64)
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
        case .places(let levels, let first):
            return Self.keys(levels, first)
        }
    }

    /// The keys of the places that are not empty, 64 places at a time: most groups of eight have one or none, which no processor
    /// foretells.
    ///
    /// Safe: there is a mask for each 64 places; as many keys are written as the masks have bits.
    private static func keys(_ levels: [OccurrenceLevel], _ first: Int64) -> [ObjectKey] {
        levels.withUnsafeBytes { bytes in
            withUnsafeTemporaryAllocation(of: UInt64.self, capacity: (bytes.count &+ 63) / 64) { masks in
                var count = 0
                for group in masks.indices {
                    let mask = taken(bytes, from: group &* 64)
                    masks.initializeElement(at: group, to: mask)
                    count &+= mask.nonzeroBitCount
                }
                // An empty array's storage is shared by all threads, and filling none of it would still write to it.
                if count == 0 { return [] }
                return [ObjectKey](unsafeUninitializedCapacity: count) { keys, written in
                    for group in masks.indices {
                        var rest = masks[group]
                        while rest != 0 {
                            keys[written] = ObjectKey(first &+ Int64(group &* 64 &+ rest.trailingZeroBitCount))
                            written &+= 1
                            rest &= rest &- 1
                        }
                    }
                }
            }
        }
    }

    /// A bit for each of the 64 bytes from a place on that is not 0; fewer bytes at the end.
    ///
    /// Safe: eight bytes are read where eight follow. Levels are below 128, so no sum carries into the next byte; the product takes
    /// the high bit of byte i to bit 56 + i, and no two bits to one place.
    @inline(__always)
    private static func taken(_ bytes: UnsafeRawBufferPointer, from start: Int) -> UInt64 {
        var mask: UInt64 = 0
        if start &+ 64 <= bytes.count {
            for group in 0..<8 {
                let eight = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start &+ group &* 8, as: UInt64.self))
                let high = ((eight &+ 0x7f7f_7f7f_7f7f_7f7f) & 0x8080_8080_8080_8080) &>> 7
                mask |= ((high &* 0x0102_0408_1020_4080) &>> 56) &<< UInt64(group &* 8)
            }
        } else {
            for place in start..<bytes.count where bytes[place] != 0 { mask |= 1 &<< UInt64(place &- start) }
        }
        return mask
    }

    /// Those of other keys, which ascend, that are among these.
    func common(_ others: [ObjectKey]) -> [ObjectKey] {
        switch form {
        case .list(let keys, _): others.common(keys)
        case .places(let levels, let first): others.filter { Self.level(of: $0, levels, first) != .none }
        }
    }

    /// The levels of other keys, which ascend.
    func levels(of others: [ObjectKey]) -> [OccurrenceLevel] {
        switch form {
        case .places(let levels, let first): return others.map { Self.level(of: $0, levels, first) }
        case .list(let keys, let levels):
            var place = 0
            return others.map { key in
                while place < keys.count, keys[place].rawValue < key.rawValue { place += 1 }
                return place < keys.count && keys[place] == key ? levels[place] : .none
            }
        }
    }

    @inline(__always)
    private static func level(of key: ObjectKey, _ levels: [OccurrenceLevel], _ first: Int64) -> OccurrenceLevel {
        let place = UInt64(bitPattern: key.rawValue &- first)
        return place < UInt64(levels.count) ? levels[Int(place)] : .none
    }
}

extension TermDocuments {
    /// Gathers the documents of several terms, which come term by term.
    ///
    /// Safe throughout: counts are those of the documents of one index.
    struct Gatherer {
        /// Of the keys from `first` on; empty for a list.
        private var places: [OccurrenceLevel]
        private let first: Int64
        private var others: [(key: Int64, level: OccurrenceLevel)] = []
        /// The documents of the present term, and the maximum of all terms.
        private var ofTerm = 0
        private var most = 0

        /// - Parameters:
        ///   - keys: those that documents have as a rule.
        ///   - expected: how many documents are expected.
        init(keys: Range<Int64>, expected: Int) {
            let (width, isFar) = keys.upperBound.subtractingReportingOverflow(keys.lowerBound)
            let hasPlaces = !isFar && width / 64 <= max(expected, 1 << 12)
            first = keys.lowerBound
            places = hasPlaces ? Array(repeating: .none, count: Int(width)) : []
        }

        /// Begins another term.
        mutating func begin() { ofTerm = 0 }

        /// Adds documents of the present term.
        ///
        /// - Parameter forEach: calls its argument with each key.
        @inline(__always)
        mutating func add(_ level: OccurrenceLevel, _ forEach: ((Int64) -> Void) throws(FreeholdError) -> Void) throws(FreeholdError) {
            if places.isEmpty {
                let before = others.count
                try forEach { others.append((key: $0, level: level)) }
                ofTerm += others.count - before
                most = max(most, ofTerm)
                return
            }
            var beyond: [Int64] = [], count = 0
            // Safe: a key is a place only below their number.
            try places.withUnsafeMutableBufferPointer { places throws(FreeholdError) in
                let number = UInt64(places.count), places = places, first = first
                try forEach { key in
                    count &+= 1
                    let place = UInt64(bitPattern: key &- first)
                    if place < number {
                        if places[Int(place)] < level { places[Int(place)] = level }
                    } else {
                        beyond.append(key)
                    }
                }
            }
            ofTerm &+= count
            most = max(most, ofTerm)
            for key in beyond { others.append((key, level)) }
        }

        func documents() -> TermDocuments {
            if others.isEmpty { return places.isEmpty ? .none : TermDocuments(form: .places(places, from: first), containing: most) }
            var all = others
            for (place, level) in places.enumerated() where level != .none { all.append((first &+ Int64(place), level)) }
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
