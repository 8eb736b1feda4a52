import FreeholdEngine

/// Elements of lists: insertions, values, moves, deletions.
extension Merge {
    mutating func changeElements(_ change: SyncChange, _ place: Int) throws(FreeholdError) {
        beside = [:]
        for element in change.elements where element.position != .none {
            beside[context.stored(element.position)] = (context.stored(element.left), context.stored(element.right))
        }
        // Taken out, so that its tables are changed in place.
        var property: Int32 = -1, list = StoredList()
        for element in change.elements where !isApplied(element.entry) {
            if let reason = try refusal(of: element.property, element.value, place) {
                let identity = context.stored(element.element)
                reject(change.object, .element(property: element.property, element: identity, act: element.act), element.entry, reason)
                continue
            }
            if element.property != property {
                if property >= 0 { rows[place]!.lists[property] = list }
                property = element.property
                list = rows[place]!.lists.removeValue(forKey: property) ?? StoredList()
            }
            if try self.change(&list, element, change.object, rows[place]!.birth) { rows[place]!.last = context.transaction }
        }
        if property >= 0 { rows[place]!.lists[property] = list }
    }

    /// Applies one change to a list, and returns whether it has changed something.
    private func change(_ list: inout StoredList, _ change: SyncChange.Element, _ object: SyncObject, _ birth: UInt64)
        throws(FreeholdError) -> Bool
    {
        let identity = context.stored(change.element), found = list.elements[identity], replica = context.numbers[Int(change.entry.replica)]
        if change.act == .moved, let found {
            put(&list, change, object, birth)           // even if the move loses: what was inserted there later names it
            return try move(&list, change, identity, found, replica)
        }
        if change.act == .moved { put(&list, change, object, birth) }
        if change.act == .inserted {
            observer?.note(change.entry.trace, .won)
            guard found == nil else { return false }
            put(&list, change, object, birth)
            let position = context.stored(change.position), stamp = try stamp(change.entry, old: nil)
            if position != identity { list.moved[position] = identity }
            let register = register(change, stamp, replica)
            list.elements[identity] = StoredElement(value: register, position: position, move: register.write)
            return true
        }
        guard let found, !found.isDeleted else {
            observer?.note(change.entry.trace, .beaten)         // deleting wins
            return false
        }
        if change.act == .deleted {
            list.elements[identity]!.isDeleted = true
            observer?.note(change.entry.trace, .won)
            observer?.set(found.value.trace, .overwritten)
            return true
        }
        let stamp = try stamp(change.entry, old: found.value.write)
        if try isLater(stamp, change.entry, than: found.value.write) {
            list.elements[identity]!.value = register(change, stamp, replica)
            observer?.set(found.value.trace, .overwritten)
            observer?.note(change.entry.trace, .won)
        } else {
            observer?.note(change.entry.trace, .beaten)
        }
        return true
    }

    private func move(_ list: inout StoredList, _ change: SyncChange.Element, _ identity: SyncIdentity, _ found: StoredElement,
                      _ replica: UInt32) throws(FreeholdError) -> Bool {
        guard !found.isDeleted else {
            observer?.note(change.entry.trace, .beaten)
            return false
        }
        let position = context.stored(change.position)
        let stamp = try stamp(change.entry, old: found.move)
        guard try isLater(stamp, change.entry, than: found.move) else {
            observer?.note(change.entry.trace, .beaten)
            return true
        }
        list.elements[identity]!.position = position
        list.elements[identity]!.move = StoredWrite(stamp: stamp, replica: replica, epoch: change.entry.epoch, given: change.entry.stamp,
                                                   transaction: context.transaction)
        list.moved[position] = identity
        observer?.note(change.entry.trace, .won)
        return true
    }

    private func register(_ change: SyncChange.Element, _ stamp: SyncStamp, _ replica: UInt32) -> StoredRegister {
        StoredRegister(value: context.stored(change.value), stamp: stamp, transaction: context.transaction, epoch: change.entry.epoch,
                       given: change.entry.stamp, replica: replica, trace: change.entry.trace)
    }

    /// Puts a position between its neighbours. What was refused, or belongs to a file that was copied, is not here: what stands beside
    /// it is meant.
    private func put(_ list: inout StoredList, _ change: SyncChange.Element, _ object: SyncObject, _ birth: UInt64) {
        let left = known(context.stored(change.left), in: list.tree, isLeft: true, object, birth)
        let right = known(context.stored(change.right), in: list.tree, isLeft: false, object, birth)
        list.tree.insert(context.stored(change.position), left: left, right: right, isTree: !shortcuts.contains(.listsWithoutTree),
                         prefersOwn: !shortcuts.contains(.ignoresOwnNeighbour))
    }

    private func known(_ position: SyncIdentity, in tree: PositionTree, isLeft: Bool, _ object: SyncObject, _ birth: UInt64)
        -> SyncIdentity
    {
        var position = position, steps = beside.count
        while position != .none, !tree.contains(position), !shortcuts.contains(.keepsUnknownPositions), steps > 0,
              let sides = beside[position] {
            position = isLeft ? sides.left : sides.right
            steps -= 1                                  // a forged batch may name positions in a circle
        }
        guard position != .none, !tree.contains(position) else { return position }
        observer?.missedPosition(of: object, birth: birth)
        return .none                                    // of an earlier life of the object
    }
}
