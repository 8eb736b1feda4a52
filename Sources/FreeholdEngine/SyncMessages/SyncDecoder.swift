/// Reads the fields of a message. Each read names what it expects: this is what the error says.
///
/// 1. Nothing is read beyond the bytes, and no list is reserved that is longer than they could hold.
/// 2. Numbers of classes, properties and replicas that a decoder returns are in the message's tables.
package struct SyncDecoder {
    /// The message up to the end of what is read.
    private let bytes: UnsafeRawBufferPointer
    package private(set) var offset: Int
    private var lastStamp: UInt64 = 0
    var names = SyncNames()
    var replicaCount = 0
    private var isStored = false

    /// Reads a part of a message.
    init(bytes: UnsafeRawBufferPointer, at places: Range<Int>) {
        self.bytes = UnsafeRawBufferPointer(rebasing: bytes[..<places.upperBound])
        offset = places.lowerBound
    }

    /// Reads what a store has kept: objects are of the classes in `names`, replicas of the store's table.
    package init(stored bytes: UnsafeRawBufferPointer, names: SyncNames) {
        self.init(bytes: bytes, at: 0..<bytes.count)
        isStored = true
        (self.names, replicaCount) = (names, SyncIdentity.maximumReplicas)
    }

    /// The decoder of a part of the message with the same tables.
    func part(_ places: Range<Int>) -> SyncDecoder {
        var made = SyncDecoder(bytes: bytes, at: places)
        (made.names, made.replicaCount) = (names, replicaCount)
        return made
    }

    /// The bytes of the length that a message with a long part ends with.
    static let lengthBytes = 8

    /// Passes over all that is left: a long part, and the end behind it, with its length in the last bytes.
    mutating func takeEnd() throws(FreeholdError) -> (part: Range<Int>, end: SyncDecoder) {
        let limit = bytes.count - Self.lengthBytes
        guard limit >= offset else { throw damaged("the length of the message's end") }
        var last = part(limit..<bytes.count)
        let length = try last.big("the length of the message's end")
        guard length <= UInt64(limit - offset) else { throw damaged("the length of the message's end", at: limit) }
        let middle = limit - Int(length)
        defer { offset = bytes.count }
        return (offset..<middle, part(middle..<limit))
    }

    /// What follows was written by an encoder of its own.
    package mutating func restart() { lastStamp = 0 }

    package var isAtEnd: Bool { offset == bytes.count }

    package func damaged(_ what: String, at place: Int? = nil) -> FreeholdError {
        let place = "damaged at byte \(place ?? offset) of \(bytes.count): expected \(what)"
        if isStored { return FreeholdError(.corrupt, "a row of the sync server is \(place); restore its table from a backup") }
        return FreeholdError(.malformedInput, "the sync message is \(place); have it sent again")
    }

    // MARK: Numbers

    package mutating func byte(_ what: StaticString) throws(FreeholdError) -> UInt8 {
        guard offset < bytes.count else { throw damaged("\(what)") }
        defer { offset += 1 }
        return bytes[offset]
    }

    @inline(__always)
    package mutating func number(_ what: StaticString) throws(FreeholdError) -> UInt64 {
        guard let value = Varint.decode(bytes, &offset) else { throw damaged("\(what)") }
        return value
    }

    package mutating func signed(_ what: StaticString) throws(FreeholdError) -> Int64 { Varint.unzigzag(try number(what)) }

    /// A number up to a limit, which is excluded.
    package mutating func number(below limit: UInt64, _ what: StaticString) throws(FreeholdError) -> UInt64 {
        let place = offset, value = try number(what)
        guard value < limit else { throw damaged("\(what) below \(limit)", at: place) }
        return value
    }

    package mutating func truth(_ what: StaticString) throws(FreeholdError) -> Bool { try number(below: 2, what) == 1 }

    mutating func big(_ what: StaticString) throws(FreeholdError) -> UInt64 {
        guard bytes.count - offset >= 8 else { throw damaged("\(what)") }
        defer { offset += 8 }
        return (offset..<offset + 8).reduce(0) { $0 << 8 | UInt64(bytes[$1]) }
    }

    // MARK: Values of sync

    package mutating func stamp() throws(FreeholdError) -> SyncStamp {
        // Safe: modulo 2⁶⁴, as it was written.
        lastStamp = lastStamp &+ UInt64(bitPattern: try signed("a stamp"))
        return SyncStamp(rawValue: lastStamp)
    }

    package mutating func cursor() throws(FreeholdError) -> SyncCursor {
        guard let cursor = SyncCursor(decoding: bytes, at: &offset) else { throw damaged("a cursor") }
        return cursor
    }

    mutating func replica() throws(FreeholdError) -> ReplicaIdentity {
        let high = try big("a replica's identity")
        return ReplicaIdentity(high: high, low: try big("a replica's identity"))
    }

    package mutating func replicaNumber() throws(FreeholdError) -> UInt32 {
        UInt32(try number(below: UInt64(replicaCount), "a replica's number"))
    }

    package mutating func identity() throws(FreeholdError) -> SyncIdentity {
        let place = offset
        let replica = try number("an identity's replica"), count = try number(below: SyncIdentity.maximumCount + 1, "an identity's count")
        guard replica < UInt64(replicaCount) || (replica == 0 && count == 0) else {
            throw damaged("an identity of a known replica", at: place)
        }
        return SyncIdentity(replica: Int(replica), count: count)
    }

    // MARK: Bytes and lists

    package mutating func data(_ what: StaticString) throws(FreeholdError) -> [UInt8] {
        let place = offset, count = try number(what)
        guard count <= UInt64(bytes.count - offset) else { throw damaged("\(what) of \(count) bytes", at: place) }
        defer { offset += Int(count) }
        return Array(bytes[offset..<offset + Int(count)])
    }

    package mutating func text(_ what: StaticString) throws(FreeholdError) -> String {
        let place = offset, count = try number(what)
        guard count <= UInt64(bytes.count - offset) else { throw damaged("\(what) of \(count) bytes", at: place) }
        guard let text = String(validating: bytes[offset..<offset + Int(count)], as: UTF8.self) else {
            throw damaged("\(what) in UTF-8", at: place)
        }
        offset += Int(count)
        return text
    }

    /// A list of elements that take a byte each at least.
    package mutating func list<Element>(_ what: StaticString, _ read: (inout Self) throws(FreeholdError) -> Element)
        throws(FreeholdError) -> [Element]
    {
        let place = offset, count = try number(what)
        guard count <= UInt64(bytes.count - offset) else { throw damaged("\(what), \(count) of them", at: place) }
        var made: [Element] = []
        made.reserveCapacity(min(Int(count), 64))
        for _ in 0..<count { made.append(try read(&self)) }
        return made
    }

    package mutating func optional<Wrapped>(_ what: StaticString, _ read: (inout Self) throws(FreeholdError) -> Wrapped)
        throws(FreeholdError) -> Wrapped?
    {
        try truth(what) ? try read(&self) : nil
    }
}
