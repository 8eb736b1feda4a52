/// The keys of the trees of pending changes. Numbers are big-endian, so that keys are in the order of objects; those of objects have
/// their sign bit flipped.
///
/// ```
/// 62,000  1 · first object u64 · last object u64 · origin                created
///         2 · object u64 · 1 · origin                                    deleted
///         2 · object u64 · 2 · property u32 · origin                     property
///         2 · object u64 · 3 · property u32 · member's index key · origin
///         2 · object u64 · 4 · property u32 · map's key · origin
///         2 · object u64 · 5 · property u32 · act u8 · first element's identity u64 · last's u64 · [place] · origin
///         place, of what was inserted or moved: position of the first u64 · position on its left u64 · on the right of the last u64
///         posting: the stamp
/// 62,001  the primary key's index key        posting: the object key it had; not for integer keys that are the object key
/// 62,002  object u64 · property u32 · origin · increments u32 · stamp of the first u64    posting: the amount
/// origin  slot u16 · epoch u64
/// ```
enum PendingKey {
    static let created: UInt8 = 1, changed: UInt8 = 2
    static let originBytes = 10, incrementBytes = 12
    private static let createdBytes = 17 + originBytes, changedBytes = 10 + originBytes, sumBytes = 12 + originBytes + incrementBytes
    /// The maximum length of a set's member or a map's key in a synced class.
    static let maximumElement = 60_000
    private static let elementBytes = 17, placeBytes = 24

    enum Tag: UInt8 { case deleted = 1, property = 2, member = 3, mapKey = 4, element = 5 }

    /// The entry with this key in tree 62,000; nil for bytes that no writer produces.
    static func entry(_ bytes: [UInt8], posting: Int64) -> PendingEntry? {
        guard bytes.count >= changedBytes else { return nil }
        let key = object(bytes, 1), origin = origin(bytes, bytes.count - originBytes)
        func made(_ what: PendingEntry.What) -> PendingEntry {
            PendingEntry(key: key, what: what, stamp: SyncStamp(rawValue: UInt64(bitPattern: posting)), origin: origin)
        }
        if bytes[0] == created {
            guard bytes.count == createdBytes, object(bytes, 9) >= key else { return nil }
            return made(.created(through: object(bytes, 9)))
        }
        guard bytes[0] == changed, let tag = Tag(rawValue: bytes[9]) else { return nil }
        if tag == .deleted { return bytes.count == changedBytes ? made(.deleted) : nil }
        guard bytes.count >= changedBytes + 4 else { return nil }
        let number = UInt32(truncatingIfNeeded: word(bytes, 10, 4)), element = Array(bytes[14..<bytes.count - originBytes])
        switch tag {
        case .member: return made(.member(number, element))
        case .mapKey: return made(.mapKey(number, element))
        case .element: return elements(element).flatMap { made(.element(number, $0)) }
        default: return element.isEmpty ? made(.property(number)) : nil
        }
    }

    /// What was done to elements; nil for bytes that no writer produces.
    private static func elements(_ bytes: [UInt8]) -> ElementChange? {
        guard let act = bytes.first.flatMap({ SyncChange.Act(rawValue: $0) }) else { return nil }
        let isPlaced = act == .inserted || act == .moved, first = identity(bytes, 1), last = identity(bytes, 9)
        guard bytes.count == elementBytes + (isPlaced ? placeBytes : 0), first <= last, first.count > 0, first.replica == last.replica,
              first.replica > 0 else { return nil }
        var change = ElementChange(act, first.rawValue...last.rawValue)
        if isPlaced {
            (change.position, change.left, change.right) = (identity(bytes, 17), identity(bytes, 25), identity(bytes, 33))
            if !change.position.hasRoom(for: change.count) { return nil }
        }
        return change
    }

    private static func identity(_ bytes: [UInt8], _ offset: Int) -> SyncIdentity {
        bytes.count >= offset + 8 ? SyncIdentity(rawValue: word(bytes, offset, 8)) : .none
    }

    /// The sum with this key in tree 62,002; nil for bytes that no writer produces.
    static func sum(_ bytes: [UInt8], posting: Int64) -> PendingSum? {
        guard bytes.count == sumBytes else { return nil }
        return PendingSum(key: object(bytes, 0), property: UInt32(truncatingIfNeeded: word(bytes, 8, 4)), origin: origin(bytes, 12),
                          amount: posting, increments: UInt32(truncatingIfNeeded: word(bytes, 12 + originBytes, 4)),
                          began: SyncStamp(rawValue: word(bytes, 16 + originBytes, 8)))
    }

    private static func word(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> UInt64 {
        bytes[offset..<offset + count].reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func object(_ bytes: [UInt8], _ offset: Int) -> Int64 { OrderedKey.int(orderedBits: word(bytes, offset, 8)) }

    private static func origin(_ bytes: [UInt8], _ offset: Int) -> PendingOrigin {
        PendingOrigin(slot: UInt16(truncatingIfNeeded: word(bytes, offset, 2)), epoch: word(bytes, offset + 2, 8))
    }
}

// Safe throughout: bytes are copied before the call that takes them returns.
extension ByteBuffer {
    @inline(__always) func append(object key: Int64) { append(big: OrderedKey.orderedBits(key)) }

    func append(_ origin: PendingOrigin) {
        append(big: origin.slot)
        append(big: origin.epoch)
    }

    /// The beginning of all keys of changes of an object.
    func setChanges(of key: Int64) {
        removeAll()
        append(PendingKey.changed)
        append(object: key)
    }

    /// The key of a change, without its origin; of a set's member or a map's key without that.
    func setChange(_ tag: PendingKey.Tag, of key: Int64, _ property: UInt32? = nil) {
        setChanges(of: key)
        append(tag.rawValue)
        if let property { append(big: property) }
    }

    /// The key of a run of created objects.
    func setCreated(_ keys: ClosedRange<Int64>, _ origin: PendingOrigin) {
        removeAll()
        append(PendingKey.created)
        append(object: keys.lowerBound)
        append(object: keys.upperBound)
        append(origin)
    }

    /// The key of an entry of tree 62,000.
    func setKey(of entry: PendingEntry) {
        switch entry.what {
        case .created(let last): return setCreated(entry.key...max(entry.key, last), entry.origin)
        case .deleted: setChange(.deleted, of: entry.key)
        case .property(let number): setChange(.property, of: entry.key, number)
        case .member(let number, let bytes):
            setChange(.member, of: entry.key, number)
            bytes.withUnsafeBytes { append($0) }
        case .mapKey(let number, let bytes):
            setChange(.mapKey, of: entry.key, number)
            bytes.withUnsafeBytes { append($0) }
        case .element(let number, let change):
            setChange(.element, of: entry.key, number)
            append(change)
        }
        append(entry.origin)
    }

    private func append(_ change: ElementChange) {
        append(change.act.rawValue)
        append(big: change.first.rawValue)
        append(big: change.last.rawValue)
        if change.position == .none { return }
        for identity in [change.position, change.left, change.right] { append(big: identity.rawValue) }
    }

    /// The key of an entry of tree 62,002.
    func setKey(of sum: PendingSum) {
        removeAll()
        append(object: sum.key)
        append(big: sum.property)
        append(sum.origin)
        append(big: sum.increments)
        append(big: sum.began.rawValue)
    }
}
