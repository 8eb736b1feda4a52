@testable import FreeholdEngine

/// State = server state ⊕ pending: the object that shows, or nil. Values of what is pending are read from `local`.
///
/// What the row has won is noted in `lost`. If nothing new has come, the result equals `local`.
func overlay(_ row: DeviceRow?, _ pending: Pending?, _ local: DeviceObject?, lost: inout [Path]) -> DeviceObject? {
    guard let pending else { return row?.object }
    var row = row
    if pending.new != nil, pending.gone != nil || row == nil {
        row = DeviceRow()
    } else if row == nil || (pending.gone != nil && pending.new == nil) {
        return nil
    }
    let local = local ?? DeviceObject()
    var made = row!.object
    for (path, item) in pending.items where path.isRegister {
        if let write = row!.write(path), (write.stamp, write.replica) > (item.stamp, item.replica) {
            lost.append(path)
        } else {
            let here = local.registers[path]
            made.registers.set(path, here?.value ?? 0, here?.token ?? 0)
        }
    }
    let instance = made.registers.instance
    for (path, _) in pending.items where path.isInner && path.identity != instance && !lost.contains(path) { lost.append(path) }
    for (path, _) in pending.items where path.isMember {
        let bit = UInt8(1) << UInt8(path.detail)
        if local.members & bit != 0 {
            made.members |= bit
        } else if row!.fresh & bit != 0 {
            lost.append(path)
        } else {
            made.members &= ~bit
        }
    }
    for delta in pending.deltas { made.count += delta.amount }
    if pending.items.contains(where: { $0.path.isElement }) {
        made.elements = rebased(row!.object.elements, pending, local.elements, &lost)
    }
    return made
}

/// A list of the server with the pending changes of the local one: what is inserted or moved here follows its neighbour here.
private func rebased(_ elements: [Element], _ pending: Pending, _ local: [Element], _ lost: inout [Path]) -> [Element] {
    let has = { (identity: Identity, act: SyncChange.Act) in pending[.element(identity, act)] != nil }
    let isKnown = { (identity: Identity) in elements.contains { $0.identity == identity } }
    var made: [Element] = []
    for var one in elements where !has(one.identity, .deleted) && !has(one.identity, .moved) {
        if has(one.identity, .changed), let here = local.first(where: { $0.identity == one.identity }) {
            one.value = here.value
            one.token = here.token
        }
        made.append(one)
    }
    var before: Identity?
    for one in local {
        let isNew = has(one.identity, .inserted) && !isKnown(one.identity)
        if isNew || (has(one.identity, .moved) && isKnown(one.identity)) {
            let at = before.map { before in made.firstIndex { $0.identity == before }! + 1 } ?? 0
            made.insert(one, at: at)
        }
        if made.contains(where: { $0.identity == one.identity }) { before = one.identity }
    }
    // Of a new object the server knows nothing, or what it knows is not here yet.
    for (path, _) in pending.items where pending.new == nil && path.isElement && path.act != .inserted {
        if !isKnown(path.identity), !has(path.identity, .inserted) { lost.append(path) }        // deleted by another
    }
    return made
}

extension Pending {
    /// What is inserted or moved stands between two elements that show and were there before it. If one of them goes, its neighbour
    /// stands for it: so a batch names no position that was never sent.
    ///
    /// - Returns: positions that have got another neighbour, with that.
    /// - Parameter own: the replicas that the file was, and is: what it made under an earlier one is older. What others made is, too.
    mutating func noteNeighbours(in elements: [Element], own: [Int], namesShown: Bool) -> [(Identity, Identity)] {
        guard items.contains(where: { $0.item.node != .none }) else { return [] }
        var moved: [(Identity, Identity)] = []
        let isShown = { (node: Identity) in elements.contains { $0.node == node } }
        if namesShown {
            // The element was moved on: nothing stands beside its first position.
            for index in items.indices where items[index].item.node != .none && !isShown(items[index].item.node) {
                changeItem(at: index) { ($0.left, $0.right, $0.isPlaced) = (.none, .none, true) }
            }
        }
        for (at, one) in elements.enumerated() {
            guard let index = items.lastIndex(where: { $0.item.node == one.node }) else { continue }
            let item = items[index].item
            let isOlder = { (other: Element) in
                if other.node.replica == one.node.replica { return other.node.count < one.node.count }
                guard let rank = own.firstIndex(of: other.node.replica) else { return true }
                return own.firstIndex(of: one.node.replica).map { rank < $0 } ?? false
            }
            let isMissing = { (node: Identity) in node != .none && namesShown && !isShown(node) }
            var left = item.left, right = item.right
            if !item.isPlaced || isMissing(left) { left = elements[..<at].last(where: isOlder)?.node ?? .none }
            if !item.isPlaced || isMissing(right) { right = elements[(at + 1)...].first(where: isOlder)?.node ?? .none }
            if item.isPlaced { moved += [(item.left, left), (item.right, right)].filter { $0.0 != $0.1 }.map { (one.node, $0.1) } }
            changeItem(at: index) { ($0.left, $0.right, $0.isPlaced) = (left, right, true) }
        }
        return moved
    }
}

/// Pairs of equal positions of two short sequences: a longest common subsequence.
func commonPairs(_ old: [Int], _ new: [Int]) -> [(Int, Int)] {
    let width = new.count + 1
    var lengths = [Int](repeating: 0, count: (old.count + 1) * width)
    for i in old.indices.reversed() {
        for j in new.indices.reversed() {
            lengths[i * width + j] = old[i] == new[j] ? lengths[(i + 1) * width + j + 1] + 1
                : max(lengths[(i + 1) * width + j], lengths[i * width + j + 1])
        }
    }
    var pairs: [(Int, Int)] = [], i = 0, j = 0
    while i < old.count, j < new.count {
        if old[i] == new[j] {
            pairs.append((i, j))
            i += 1
            j += 1
        } else if lengths[(i + 1) * width + j] >= lengths[i * width + j + 1] {
            i += 1
        } else {
            j += 1
        }
    }
    return pairs
}
