import FreeholdEngine

/// Registers, sets and counters.
extension Merge {
    mutating func applyContents(_ change: SyncChange, _ place: Int) throws(FreeholdError) {
        let before = rows[place]!.last
        try noteLinks(change)
        try setRegisters(change, place)
        for member in change.members where !isApplied(member.entry) { try setMember(change.object, place, member) }
        if !change.elements.isEmpty { try changeElements(change, place) }
        for sum in change.sums { try count(change.object, place, sum) }
        if rows[place]!.last != before || rows[place]!.last == context.transaction {
            rows[place]!.note(context.writer, context.transaction)
        }
    }

    /// A device forgets links in collections to objects that it does not have: an answer that brings such an object brings these again.
    private func noteLinks(_ change: SyncChange) throws(FreeholdError) {
        var targets: [SyncObject] = []
        for register in change.registers {
            if case .link = register.value, register.path.key.isNull { continue }
            register.value.forEachLink { targets.append($0) }
        }
        for member in change.members where member.isMember { member.element.forEachLink { targets.append($0) } }
        for element in change.elements { element.value.forEachLink { targets.append($0) } }
        if !targets.isEmpty { try store.note(links: targets, of: change.object) }
    }

    // MARK: Registers

    /// What embeds comes before what is embedded.
    private mutating func setRegisters(_ change: SyncChange, _ place: Int) throws(FreeholdError) {
        var isNested = false
        for register in change.registers where !isApplied(register.entry) {
            if register.path.instance == .none { try set(change, place, register) } else { isNested = true }
        }
        guard isNested else { return }
        let type = schema[change.object], nested = change.registers.filter { $0.path.instance != .none && !isApplied($0.entry) }
        var level = 1, done = 0
        while done < nested.count, level <= type.properties.count {
            for register in nested where type.depth(register.path.property) == level {
                try set(change, place, register)
                done += 1
            }
            level += 1
        }
    }

    private mutating func set(_ change: SyncChange, _ place: Int, _ register: SyncChange.Register) throws(FreeholdError) {
        let object = change.object, entry = register.entry, path = context.stored(register.path), type = schema[object]
        let kind = type.properties[Int(path.property)].kind
        if let reason = try refusal(of: path.property, register.value, place) { return reject(object, .register(path), entry, reason) }
        let old = kind == .map ? rows[place]!.entries[path] ?? StoredRegister() : rows[place]!.registers[Int(path.property)]
        let isMerged = kind == .merged && !shortcuts.contains(.overwritesMerged)
        if isMerged, old.isWritten, try !knows(object, old.transaction, by: old.replica) {
            return reject(object, .register(path), entry, .conflict)
        }
        let stamp = try stamp(entry, old: old.isWritten ? old.write : nil)
        let isInsideOther = path.instance != rows[place]!.instance(of: path.property, type)
        var isBeaten = isInsideOther
        if !isInsideOther, kind != .merged, old.isWritten { isBeaten = try !isLater(stamp, entry, than: old.write) }
        if isBeaten {
            if let observer, !isInsideOther, old.replica == context.writer || !isSelf(old.replica) {
                observer.wasBeaten(entry, by: old.trace)
            }
            observer?.note(entry.trace, .beaten)
            return
        }
        observer?.willSet(change, path, entry, stamp, old: old, value: register.value)
        put(place, path, kind, StoredRegister(
            value: context.stored(register.value), stamp: stamp, transaction: context.transaction, epoch: entry.epoch,
            given: entry.stamp, instance: path.instance, replica: context.numbers[Int(entry.replica)], trace: entry.trace))
        if type.properties[Int(path.property)].isUnique, !register.value.isNull { claimed.append((place, path.property)) }
    }

    private mutating func put(_ place: Int, _ path: SyncPath, _ kind: SyncSchema.Kind, _ register: StoredRegister) {
        let object = context.push.changes[place].object
        let old = kind == .map ? rows[place]!.entries.updateValue(register, forKey: path) : rows[place]!.registers[Int(path.property)]
        if kind != .map { rows[place]!.registers[Int(path.property)] = register }
        if let old, old.isWritten { observer?.set(old.trace, .overwritten) }
        observer?.set(register.trace, .won)
        rows[place]!.last = context.transaction
        guard schema[object].embeds[Int(path.property)] else { return }
        for trace in rows[place]!.dropInner(of: path.property, schema[object]) { observer?.set(trace, .overwritten) }
    }

    // MARK: Sets

    /// Additions that the remover did not know of stay.
    private mutating func setMember(_ object: SyncObject, _ place: Int, _ member: SyncChange.Member) throws(FreeholdError) {
        if let reason = try refusal(of: member.property, member.isMember ? member.element : .null, place) {
            let element = context.stored(member.element)
            return reject(object, .member(property: member.property, element: element), member.entry, reason)
        }
        observer?.note(member.entry.trace, .won)
        let name = StoredMember(property: member.property, element: context.stored(member.element))
        var additions = rows[place]!.members[name] ?? TransactionsByReplica()
        if member.isMember {
            additions[context.writer] = context.transaction
        } else {
            for (replica, transaction) in additions.pairs {
                if !shortcuts.contains(.removalsWin), try !knows(object, transaction, by: replica) { continue }
                additions[replica] = nil
                if !isSelf(replica) { observer?.removed(name.element, from: object) }
            }
        }
        rows[place]!.members[name] = additions.isEmpty ? nil : additions
        rows[place]!.last = context.transaction
    }

    // MARK: Counters

    /// Adds an epoch's sum. What a copied file has pushed of the same epoch before is not added again: both are sums of the beginning
    /// of one epoch, and that of more increments contains the other.
    private mutating func count(_ object: SyncObject, _ place: Int, _ sum: SyncChange.Sum) throws(FreeholdError) {
        let applied = context.applied[Int(sum.replica)]
        guard !context.isApplied(sum.replica, sum.epoch, shortcuts), sum.epoch > applied || shortcuts.contains(.appliesAgain)
        else { return }
        if let reason = try refusal(of: sum.property, .null, place) {
            observer?.counted(object, sum.trace, .void)
            let entry = SyncEntry(stamp: .none, epoch: sum.epoch, replica: sum.replica)
            return reject(object, .counter(property: sum.property), entry, reason)
        }
        let replica = context.numbers[Int(sum.replica)], isAcross = shortcuts.contains(.claimsAcrossLives)
        let name = SyncClaim(replica: replica, epoch: sum.epoch, object: object, property: sum.property,
                             began: isAcross ? .none : sum.began, birth: isAcross ? 0 : rows[place]!.birth)
        let claim = shortcuts.contains(.ignoresClaims) ? nil : try store.claim(name)
        let isLonger = sum.count > claim?.count ?? 0
        if isLonger {
            // Safe: counters are sums modulo 2⁶⁴ on every device.
            rows[place]!.counters[sum.property, default: 0] &+= sum.amount &- (claim?.amount ?? 0)
            if sum.replica != 0 { try store.save(.init(amount: sum.amount, count: sum.count, trace: sum.trace), of: name) }
        }
        observer?.counted(object, sum.trace, isLonger ? .won : .overwritten)
        rows[place]!.last = context.transaction
    }
}

extension SyncSchema.Class {
    /// How many embedded objects are around a property.
    func depth(_ property: Int32) -> Int {
        var depth = 0, at = owners[Int(property)]
        while at >= 0 {
            depth += 1
            at = owners[Int(at)]
        }
        return depth
    }
}

extension StoredRow {
    /// The embedded object that has a property now, `.none` for the object itself; nil if there is none.
    func instance(of property: Int32, _ type: SyncSchema.Class) -> SyncIdentity? {
        let owner = type.owners[Int(property)]
        guard owner >= 0 else { return SyncIdentity.none }
        guard registers[Int(owner)].instance == instance(of: owner, type), case .embedded(let instance) = registers[Int(owner)].value else {
            return nil
        }
        return instance
    }

    /// Forgets the properties of an embedded object that was replaced.
    ///
    /// - Returns: the traces of their writes.
    mutating func dropInner(of owner: Int32, _ type: SyncSchema.Class) -> [UInt32] {
        var dropped: [UInt32] = []
        for property in type.owners.indices where type.owners[property] == owner && registers[property].isWritten {
            if registers[property].instance != instance(of: Int32(property), type) {
                dropped.append(registers[property].trace)
                registers[property] = StoredRegister()
                dropped += dropInner(of: Int32(property), type)
            }
        }
        return dropped
    }
}
