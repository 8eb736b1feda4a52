@testable import FreeholdEngine
@testable import FreeholdMerge

/// The schema, streams and rights of histories, and values in their numbers.
extension World {
    static let schema: SyncSchema = {
        var properties: [SyncSchema.Property] = [
            .init("x"), .init("y"), .init("restricted"), .init("owner"), .init("name", isUnique: true), .init("link"),
            .init("merged", .merged), .init("embedded"), .init("embedded.inner"), .init("map", .map), .init("set", .set),
            .init("list", .list), .init("counter", .counter), .init("pair"),
        ]
        for bound in ["low", "high"] { for writer in 0..<Property.boundedReplicas { properties.append(.init("\(bound)\(writer)")) } }
        return SyncSchema(classes: [
            .init("Thing", properties: properties), .init("Update", conflict: .updateWins, properties: properties),
            .init("Part", properties: properties),
        ])
    }()

    var names: SyncNames { Self.schema.names }

    static func object(_ key: Int) -> SyncObject { SyncObject(type: Key(rawValue: key)!.type, key: .int(Int64(key))) }

    static func key(_ object: SyncObject) -> Int {
        guard case .int(let key) = object.key else { return 0 }
        return Int(key)
    }

    static func number(_ value: SyncValue, _ identity: (SyncIdentity) -> Identity) -> Int {
        switch value {
        case .int(let number): Int(number)
        case .link(let target): key(target) + 1
        case .embedded(let instance): Int(identity(instance).word)
        default: 0
        }
    }

    /// An object is seen by its owner, or all; a part by who sees an object that links to it.
    func audience(of object: SyncObject, _ row: StoredRow) -> SyncAudience {
        if object.type == Key.k1.type { return SyncAudience(.nobody) }
        var audience = SyncAudience(.everyone)
        if case .int(let owner) = row.value(of: Property.owner) { audience.users = .only([SyncUser(rawValue: owner)]) }
        if case .link(let target) = row.value(of: Property.link), target.type == Key.k1.type { audience.follows = [target] }
        return audience
    }

    func maySet(_ property: Int32, of object: SyncObject, user: SyncUser) -> Bool {
        property != Property.restricted || admins.contains(Int(user.rawValue))
    }
}
