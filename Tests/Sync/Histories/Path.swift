@testable import FreeholdEngine

/// What a pending change is of: a property, an entry of a map, a property of the embedded object, an element of the set or list. In one
/// word: 8 bits of kind, 8 of detail, 40 of an identity.
struct Path: Hashable, Comparable {
    let word: UInt64

    private init(_ kind: UInt64, _ detail: UInt64 = 0, _ identity: UInt64 = 0) { word = kind << 56 | detail << 48 | identity }

    static func property(_ property: Int32) -> Self { Self(1, UInt64(property)) }
    static func entry(_ key: Int) -> Self { Self(2, UInt64(key)) }
    static func inner(_ instance: Identity) -> Self { Self(3, 0, instance.word) }
    static func member(_ element: Int) -> Self { Self(4, UInt64(element)) }
    static func element(_ identity: Identity, _ act: SyncChange.Act) -> Self { Self(5, UInt64(act.rawValue), identity.word) }

    static func < (one: Self, other: Self) -> Bool { one.word < other.word }

    var isRegister: Bool { word >> 56 <= 3 }
    var isInner: Bool { word >> 56 == 3 }
    var isMember: Bool { word >> 56 == 4 }
    var isElement: Bool { word >> 56 == 5 }
    var detail: Int { Int(word >> 48 & 0xFF) }
    var identity: Identity { Identity(word: word & 0xFF_FFFF_FFFF) }
    var act: SyncChange.Act { SyncChange.Act(rawValue: UInt8(detail))! }
    var isEntry: Bool { word >> 56 == 2 }
}

/// An identity as devices of a history have it: 8 bits of the replica, 32 of its count.
struct Identity: Hashable {
    let word: UInt64

    init(word: UInt64) { self.word = word }
    init(_ replica: Int, _ count: UInt64) { word = UInt64(replica) << 32 | count }

    static let none = Self(word: 0)

    var replica: Int { Int(word >> 32) }
    var count: UInt64 { word & 0xFFFF_FFFF }
}

/// The properties of the classes of a history, all of them the same.
enum Property {
    static let x: Int32 = 0, y: Int32 = 1, restricted: Int32 = 2, owner: Int32 = 3, name: Int32 = 4, link: Int32 = 5, merged: Int32 = 6
    static let embedded: Int32 = 7, inner: Int32 = 8, map: Int32 = 9, set: Int32 = 10, list: Int32 = 11, counter: Int32 = 12
    static let pair: Int32 = 13
    /// One of each of the first replicas: a file that was put back is another writer, whose clock may say another time.
    static func low(_ replica: Int) -> Int32 { 14 + Int32(replica) }
    static func high(_ replica: Int) -> Int32 { 14 + Int32(boundedReplicas + replica) }
    static let boundedReplicas = 10
}

extension Path {
    static let x = property(Property.x), restricted = property(Property.restricted), owner = property(Property.owner)
    static let name = property(Property.name), link = property(Property.link), merged = property(Property.merged)
    static let embedded = property(Property.embedded), pair = property(Property.pair)
}
