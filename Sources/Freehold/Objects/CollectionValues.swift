public import Foundation
public import FreeholdEngine

/// The value types that collections can hold, besides objects, optional values and the program's own types.
extension Int: RealmCollectionValue { public typealias PersistedType = Int }
extension Int8: RealmCollectionValue { public typealias PersistedType = Int8 }
extension Int16: RealmCollectionValue { public typealias PersistedType = Int16 }
extension Int32: RealmCollectionValue { public typealias PersistedType = Int32 }
extension Int64: RealmCollectionValue { public typealias PersistedType = Int64 }
extension Bool: RealmCollectionValue { public typealias PersistedType = Bool }
extension Float: RealmCollectionValue { public typealias PersistedType = Float }
extension Double: RealmCollectionValue { public typealias PersistedType = Double }
extension String: RealmCollectionValue { public typealias PersistedType = String }
extension Data: RealmCollectionValue { public typealias PersistedType = Data }
extension Date: RealmCollectionValue { public typealias PersistedType = Date }
extension UUID: RealmCollectionValue { public typealias PersistedType = UUID }
extension ObjectId: RealmCollectionValue { public typealias PersistedType = ObjectId }
extension Decimal128: RealmCollectionValue { public typealias PersistedType = Decimal128 }

/// Collections store objects as links.
extension ObjectBase: RealmCollectionValue {
    public typealias PersistedType = ObjectBase
}
