/// Which elements of lists were typed together, for the judge of interleaving. A run is a number; an element of none is its own.
struct Runs {
    private var runs: [Identity: UInt64] = [:]
    private var authors: [UInt64: Int] = [:]
    /// Runs beside which a run was put; and the run that it stands within.
    private var beside: [UInt64: Set<UInt64>] = [:]
    private var within: [UInt64: UInt64] = [:]
    private var last: UInt64 = 1 << 62

    mutating func note(_ identity: Identity, _ run: UInt64) { if runs[identity] == nil { runs[identity] = run } }

    func run(of identity: Identity) -> UInt64 { runs[identity] ?? identity.word }

    /// The run that an insertion continues, or a new one.
    mutating func run(at: Int, in elements: [Element], of replica: Int) -> UInt64 {
        for one in elements[max(0, at - 1)..<min(elements.count, at + 1)] where one.identity != .none && one.identity == one.node {
            let found = run(of: one.identity)
            guard authors[found] == replica else { continue }
            // What stands on its other side is seen, too.
            let (leftChain, rightChain) = chains(at: at, in: elements)
            note(found, beside: Set(leftChain + rightChain))
            return found
        }
        last += 1
        authors[last] = replica
        let (leftChain, rightChain) = chains(at: at, in: elements)
        note(last, beside: Set(leftChain + rightChain))
        if let common = rightChain.first(where: leftChain.contains) { within[last] = common }
        return last
    }

    /// Positions have got other neighbours, as their own ones are gone. So their runs are beside those, as if they had been begun there;
    /// and where the list shows a run parted, its file has seen that: what stands together there is a run of its own.
    mutating func move(_ neighbours: [(position: Identity, neighbour: Identity)], in elements: [Element]) {
        let still = neighbours.isEmpty ? [] : elements.filter { $0.identity == $0.node }
        for (position, neighbour) in neighbours {
            part(position, in: still)
            if neighbour != .none { note(run(of: position), beside: Set(chain(run(of: neighbour)))) }
        }
    }

    private mutating func part(_ position: Identity, in elements: [Element]) {
        guard let at = elements.firstIndex(where: { $0.node == position }), let known = runs[position] else { return }
        let isSame = { [runs] (one: Element) in runs[one.identity] == known }
        let from = elements[..<at].lastIndex { !isSame($0) }.map { $0 + 1 } ?? 0
        let to = elements[at...].firstIndex { !isSame($0) } ?? elements.count
        guard elements[..<from].contains(where: isSame) || elements[to...].contains(where: isSame) else { return }
        last += 1
        (authors[last], within[last]) = (authors[known], within[known])
        note(last, beside: [known])
        for one in elements[from..<to] { runs[one.identity] = last }
    }

    private mutating func note(_ run: UInt64, beside near: Set<UInt64>) { beside[run, default: []].formUnion(near) }

    /// The runs on either side of an insertion, each with those that it stands within.
    private func chains(at: Int, in elements: [Element]) -> (left: [UInt64], right: [UInt64]) {
        let isStill = { (one: Element) in one.identity != .none && one.identity == one.node }
        let left = elements[..<at].last(where: isStill), right = elements[at...].first(where: isStill)
        return (left.map { chain(run(of: $0.identity)) } ?? [], right.map { chain(run(of: $0.identity)) } ?? [])
    }

    private func chain(_ run: UInt64) -> [UInt64] {
        var found = [run]
        while let around = within[found.last!] { found.append(around) }
        return found
    }

    /// Whether runs stand together, but for what was put between them by one who saw them.
    func isInOrder(_ order: [Identity]) -> Bool {
        let runs = order.map { run(of: $0) }
        var last: [UInt64: Int] = [:], first: [UInt64: Int] = [:]
        for (at, run) in runs.enumerated() {
            last[run] = at
            if first[run] == nil { first[run] = at }
        }
        for (run, from) in first {
            for at in from..<last[run]! where runs[at] != run {
                var other = runs[at]
                while !mayStand(other, in: run), let around = within[other] { other = around }
                if !mayStand(other, in: run) { return false }
            }
        }
        return true
    }

    /// One that was put beside the other was put there by one who saw it: the other may have gone on behind it.
    private func mayStand(_ other: UInt64, in run: UInt64) -> Bool {
        other == run || isBeside(other, run) || isBeside(run, other)
    }

    /// Whether a run was put beside another, or beside one that was.
    private func isBeside(_ run: UInt64, _ other: UInt64) -> Bool {
        var next = [run], found: Set<UInt64> = [run]
        while let one = next.popLast() {
            for near in beside[one] ?? [] where found.insert(near).inserted {
                if near == other { return true }
                next.append(near)
            }
        }
        return false
    }
}
