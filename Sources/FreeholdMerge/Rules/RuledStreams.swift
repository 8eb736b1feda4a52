import FreeholdEngine

/// Streams and rights by rules.
public struct RuledStreams: SyncStreams {
    private let rules: StreamRules
    private let schema: SyncSchema
    private let directory: any SyncDirectory

    public init(_ rules: StreamRules, _ schema: SyncSchema, _ directory: any SyncDirectory) {
        (self.rules, self.schema, self.directory) = (rules, schema, directory)
    }

    public var namesUsers: Bool { rules.entries.contains { $0.contains { $0.condition.namesPerson } } }

    // MARK: Who sees what

    public func audience(of object: SyncObject, _ row: StoredRow) throws(FreeholdError) -> SyncAudience {
        var parts: [SyncAudience] = []
        for entry in rules.entries[Int(object.type)] {
            let users = try users(entry.condition, object, row)
            if users == .nobody { continue }
            let follows = entry.follows.isEmpty ? [] : row.links(of: entry.follows, schema[object])
            parts.append(SyncAudience(users, follows: follows, reach: entry.reach))
        }
        var audience = parts.first ?? SyncAudience(.nobody)
        audience.others = Array(parts.dropFirst())
        audience.steps = steps(of: object, row)
        return audience
    }

    public func steps(of object: SyncObject, _ row: StoredRow) -> [Int32: [SyncObject]] {
        var found: [Int32: [SyncObject]] = [:]
        for (number, follow) in rules.further.enumerated() {
            guard let properties = follow.properties[object.type] else { continue }
            let targets = row.links(of: properties, schema[object])
            if !targets.isEmpty { found[Int32(number)] = targets }
        }
        return found
    }

    private func users(_ condition: RuleCondition, _ object: SyncObject, _ row: StoredRow) throws(FreeholdError) -> SyncAudience.Users {
        let nobody = RuleContext(object: object, row: row, type: schema[object], person: nil)
        guard condition.namesPerson else { return condition.holds(nobody) ? .everyone : .nobody }
        var found: [SyncUser] = []
        if let names = condition.names(nobody) {
            for name in names {
                guard let user = try directory.user(named: name.text) else { continue }
                if try holds(condition, object, row, user) { found.append(user) }
            }
        } else {
            for user in try directory.users() where try holds(condition, object, row, user) { found.append(user) }
        }
        return found.isEmpty ? .nobody : .only(found.sorted { $0.rawValue < $1.rawValue })
    }

    private func holds(_ condition: RuleCondition, _ object: SyncObject, _ row: StoredRow, _ user: SyncUser) throws(FreeholdError) -> Bool {
        // A user who is not there, and whom a rule asks for, meets none: not even that of NOT.
        let person = try directory.person(user)
        if person == nil, condition.namesPerson { return false }
        return condition.holds(RuleContext(object: object, row: row, type: schema[object], person: person))
    }

    public func follows(_ property: Int32, of type: Int32) -> Bool { rules.followed[Int(type)].contains(property) }

    // MARK: Rights

    public func allowsAdditions(by user: SyncUser) throws(FreeholdError) -> Bool {
        guard let condition = rules.additions else { return false }
        let type = StreamRules.noObject.classes[0], row = StoredRow(transaction: 0, propertyCount: 0)
        let person = condition.namesPerson ? try directory.person(user) : nil
        if condition.namesPerson, person == nil { return false }
        return condition.holds(RuleContext(object: SyncObject(type: 0, key: .int(0)), row: row, type: type, person: person))
    }

    public var limitsChanges: Bool { !rules.rights.isEmpty }

    public func allows(_ act: SyncAct, of object: SyncObject, _ row: StoredRow, by user: SyncUser) throws(FreeholdError) -> Bool {
        guard let rights = rules.rights[object.type] else { return true }
        switch act {
        case .creation: return try holds(rights.create ?? rights.write ?? .constant(true), object, row, user)
        case .deletion: return try holds(rights.delete ?? rights.write ?? .constant(true), object, row, user)
        case .change: return try holds(rights.write ?? .constant(true), object, row, user)
        case .setting(let property):
            // A right of an embedded object is one of all that it has.
            var number = property
            while number >= 0 {
                if let right = rights.properties.first(where: { $0.property == number }), try !holds(right.condition, object, row, user) {
                    return false
                }
                number = schema[object].owners[Int(number)]
            }
            return true
        }
    }
}

extension StoredRow {
    /// The objects that some properties link to, each once.
    fileprivate func links(of properties: [Int32], _ type: SyncSchema.Class) -> [SyncObject] {
        var found: Set<SyncObject> = []
        for property in properties {
            let values: [SyncValue] = switch type.properties[Int(property)].kind {
            case .plain, .counter, .merged: [shownValue(of: property, in: type)]
            case .set: shownMembers[property] ?? []
            case .map: (shownEntries[property] ?? []).map(\.value)
            case .list: shownElements[property] ?? []
            }
            for value in values { value.forEachLink { found.insert($0) } }
        }
        return found.sorted()
    }
}
