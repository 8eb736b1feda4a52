@testable import FreeholdEngine
@testable import FreeholdMerge

/// The schema, streams and rights of histories, and values in their numbers.
extension World {
    static let schema: SyncSchema = {
        var properties: [SyncSchema.Property] = [
            .init("x", type: .int), .init("y", type: .int), .init("restricted", type: .int), .init("owner", type: .int),
            .init("name", isUnique: true, type: .int), .init("link"), .init("merged", .merged, type: .int), .init("embedded"),
            .init("embedded.inner", type: .int), .init("map", .map), .init("set", .set, type: .int), .init("list", .list),
            .init("counter", .counter, type: .int), .init("pair", type: .int),
        ]
        for bound in ["low", "high"] {
            for writer in 0..<Property.boundedReplicas { properties.append(.init("\(bound)\(writer)", type: .int)) }
        }
        let key = SyncSchema.Key("id", .int)
        return SyncSchema(classes: [
            .init("Thing", key: key, properties: properties), .init("Update", conflict: .updateWins, key: key, properties: properties),
            .init("Part", key: key, properties: properties),
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

    /// The streams and rights below, as rules.
    static let rules = """
        stream all { Thing where owner == NULL; Update where owner == NULL }
        stream own { Thing where owner == $claim.number; Update where owner == $claim.number }
        rights {
            Thing.restricted write where $claim.admin == true; Update.restricted write where $claim.admin == true
            Part.restricted read-only where $claim.admin == false
        }
        """

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
