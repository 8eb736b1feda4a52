/// Postings of several entries read as one, in the order of objects: at each object the sum of what the entries count.
///
/// 1. A part counts its weight at each of its objects; parts that end are dropped.
/// 2. No part but `leader` has an object below `limit`, and one has that, if there are others. So a long part between the
/// objects of short ones costs one comparison an object.
///
/// Safe throughout: sums of at most 128 weights of one byte's lane each, which wrap and unwrap.
struct SignedUnion {
    private struct Part {
        /// On the part's next posting.
        var cursor: IndexCursor
        let weight: Int64
    }

    private var parts: [Part] = []
    private var leader = 0
    private var limit = Int64.max
    private(set) var object: Int64 = 0
    /// The sum at the object.
    private(set) var sum: Int64 = 0
    /// The number of postings read so far.
    private(set) var read = 0

    /// The object that `next` moves to, or nil.
    var upcoming: Int64? { parts.isEmpty ? nil : min(limit, parts[leader].cursor.objectKey.rawValue) }

    /// Adds a cursor, which is on its first posting; before the first `next`.
    mutating func add(_ cursor: IndexCursor, weight: Int64) {
        parts.append(Part(cursor: cursor, weight: weight))
        findLeader()
    }

    mutating func removeAll() {
        parts.removeAll(keepingCapacity: true)
        read = 0
    }

    /// Moves to the next object; false after the last.
    @inline(__always)
    mutating func next() throws(FreeholdError) -> Bool {
        if parts.isEmpty { return false }
        object = parts[leader].cursor.objectKey.rawValue
        if object < limit {
            sum = parts[leader].weight
            read &+= 1
            if try !parts[leader].cursor.next() {
                drop(leader)
                findLeader()
            } else if parts[leader].cursor.objectKey.rawValue <= object {
                throw TextIndexRoot.damagedRun()
            }
            return true
        }
        return try addUp()
    }

    /// Calls `body` with each object to come, up to a last one, and its sum: quicker than `next`, because what only one part
    /// has is passed chunk by chunk.
    @inline(__always)
    mutating func forEach(through last: Int64, _ body: (_ object: Int64, _ sum: Int64) -> Void) throws(FreeholdError) {
        let end = last < .max ? last &+ 1 : .max
        while let upcoming, upcoming <= last { try pass(below: end, atMost: .max, body) }
    }

    /// Calls `body` with some of the objects to come, of which there is one: the next one, and what follows it in its chunk.
    ///
    /// - Parameters:
    ///   - end: none from it on, but the next one.
    ///   - most: how many postings are read at most, but for those of one object.
    @inline(__always)
    mutating func pass(below end: Int64, atMost most: Int, _ body: (_ object: Int64, _ sum: Int64) -> Void) throws(FreeholdError) {
        guard parts[leader].cursor.objectKey.rawValue < limit else {
            _ = try addUp()
            body(object, sum)
            return
        }
        let weight = parts[leader].weight, before = parts[leader].cursor.rank
        let isAscending = parts[leader].cursor.passChunk(below: min(limit, end), atMost: most) { body($0, weight) }
        let object = parts[leader].cursor.objectKey.rawValue
        read &+= parts[leader].cursor.rank &- before &+ 1
        guard isAscending else { throw TextIndexRoot.damagedRun() }
        if try !parts[leader].cursor.next() {
            drop(leader)
            findLeader()
        } else if parts[leader].cursor.objectKey.rawValue <= object {
            throw TextIndexRoot.damagedRun()
        }
    }

    /// Moves to the first object, of those to come, that is not before one; false if there is none.
    mutating func next(from object: Int64) throws(FreeholdError) -> Bool {
        try seek(to: object)
        return try next()
    }

    /// Passes all objects before one.
    mutating func seek(to object: Int64) throws(FreeholdError) {
        var place = 0
        while place < parts.count {
            if try parts[place].cursor.seek(to: ObjectKey(object)) { place += 1 } else { drop(place) }
        }
        findLeader()
    }

    /// Sums the parts that are at the lowest object, and moves them on.
    private mutating func addUp() throws(FreeholdError) -> Bool {
        object = limit
        sum = 0
        var place = 0
        while place < parts.count {
            guard parts[place].cursor.objectKey.rawValue == object else {
                place += 1
                continue
            }
            sum &+= parts[place].weight
            read &+= 1
            guard try parts[place].cursor.next() else {
                drop(place)
                continue
            }
            if parts[place].cursor.objectKey.rawValue <= object { throw TextIndexRoot.damagedRun() }
            place += 1
        }
        findLeader()
        return true
    }

    /// The last part is destroyed where it is, as cursors are large.
    private mutating func drop(_ place: Int) {
        if parts.count == 1 { parts.removeAll(keepingCapacity: true) } else { parts.remove(at: place) }
    }

    private mutating func findLeader() {
        leader = 0
        limit = .max
        for place in parts.indices.dropFirst() {
            let object = parts[place].cursor.objectKey.rawValue, lowest = parts[leader].cursor.objectKey.rawValue
            if object < lowest { leader = place }
            limit = min(limit, max(object, lowest))
        }
    }
}
