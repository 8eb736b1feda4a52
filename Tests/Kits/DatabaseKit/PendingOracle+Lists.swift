@testable import FreeholdEngine

/// Lists: the old one with its identities, and the entries of its elements, give the new one.
extension PendingOracle {
    private struct Element {
        let identity: SyncIdentity
        let position: SyncIdentity
        var value: Value
    }

    private func elements(_ snapshot: Snapshot, _ stored: StoredClass, _ property: StoredProperty, _ key: Int64,
                          _ values: [Value]) throws -> [Element]? {
        let trees = PendingTrees(try snapshot.state(Int(stored.number), as: stored).root)
        let runs = try IdentityReader(trees: trees, access: snapshot.core.access).runs(of: key, property.number)
        guard runs.elements == values.count else { return nil }
        var made: [Element] = []
        for run in runs {
            for offset in 0..<run.count {
                made.append(Element(identity: run.first.advanced(by: offset), position: run.position.advanced(by: offset),
                                    value: values[made.count]))
            }
        }
        return made
    }

    /// What is wrong with the entries of a list; nil if they explain what it has become.
    func listComplaint(_ stored: StoredClass, _ property: StoredProperty, _ key: Int64, _ old: Value, _ new: [Value],
                       _ entries: [PendingEntry]) throws -> String? {
        var values: [Value] = []
        if case .list(let some) = old { values = some }
        guard let before = try elements(base, stored, property, key, values),
              let after = try elements(now, stored, property, key, new) else {
            return "it has other identities than elements"
        }
        var noted: [SyncChange.Act: [SyncIdentity: ElementChange]] = [:]
        for entry in entries {
            guard case .element(property.number, let change) = entry.what else { continue }
            for offset in 0..<change.count { noted[change.act, default: [:]][change.first.advanced(by: offset)] = change }
        }
        func has(_ act: SyncChange.Act, _ one: Element) -> Bool { noted[act]?[one.identity] != nil }
        let here = Dictionary(uniqueKeysWithValues: after.map { ($0.identity, $0) }), known = Set(before.map(\.identity))
        var made: [Element] = []
        for var one in before where !has(.deleted, one) && !has(.moved, one) {
            if has(.changed, one), let other = here[one.identity] {
                one.value = other.value
            } else if try isLost(one.value, property) {
                continue
            }
            made.append(one)
        }
        var previous: SyncIdentity?
        for one in after {
            let isNew = has(.inserted, one) && !known.contains(one.identity), isMoved = has(.moved, one) && known.contains(one.identity)
            if isNew || isMoved {
                let at = previous.flatMap { previous in made.firstIndex { $0.identity == previous } }.map { $0 + 1 } ?? 0
                made.insert(one, at: at)
            }
            if made.contains(where: { $0.identity == one.identity }) { previous = one.identity }
        }
        let isSame = zip(made, after).allSatisfy { $0.identity == $1.identity && $0.value.isIdentical(to: $1.value) }
        if made.count != after.count || !isSame { return "its entries give \(made.map(\.value)), and it is \(new)" }
        return misplaced(noted, after)
    }

    /// What was inserted or moved stands between the positions that are noted as its neighbours.
    private func misplaced(_ noted: [SyncChange.Act: [SyncIdentity: ElementChange]], _ after: [Element]) -> String? {
        let places = Dictionary(uniqueKeysWithValues: after.enumerated().map { ($1.position, $0) })
        for act in [SyncChange.Act.inserted, .moved] {
            for (identity, change) in noted[act] ?? [:] {
                let offset = Int(identity.rawValue - change.first.rawValue)
                guard let place = places[change.position.advanced(by: offset)] else {
                    if change.left != .none || change.right != .none { return "an element was moved on, and has neighbours" }
                    continue
                }
                let left = offset > 0 ? change.position.advanced(by: offset - 1) : change.left
                for (neighbour, isLeft) in [(left, true), (change.right, false)] where neighbour != .none {
                    guard let other = places[neighbour], isLeft ? other < place : other > place else {
                        return "element \(identity) does not stand beside its neighbour"
                    }
                    // Nothing that was there before it is between the two.
                    let own = change.position.advanced(by: offset)
                    let between = isLeft ? after[(other + 1)..<place] : after[(place + 1)..<other]
                    let isOlder = { (one: Element) in one.position.replica != own.replica || one.position.count < own.count }
                    if between.contains(where: isOlder) {
                        return "element \(identity) was inserted behind a nearer one"
                    }
                }
            }
        }
        return nil
    }
}
