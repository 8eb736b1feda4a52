/// Which elements of lists were typed together, for the judge of interleaving. A run is a number; an element of none is its own.
struct Runs {
    private var runs: [Identity: UInt64] = [:]
    private var authors: [UInt64: Int] = [:]
    /// Runs beside which a run was begun, and those beside which these were; and the run that it stands within.
    private var beside: [UInt64: Set<UInt64>] = [:]
    private var within: [UInt64: UInt64] = [:]
    private var last: UInt64 = 1 << 62

    mutating func note(_ identity: Identity, _ run: UInt64) { if runs[identity] == nil { runs[identity] = run } }

    func run(of identity: Identity) -> UInt64 { runs[identity] ?? identity.word }

    /// The run that an insertion continues, or a new one.
    mutating func run(at: Int, in elements: [Element], of replica: Int) -> UInt64 {
        for one in elements[max(0, at - 1)..<min(elements.count, at + 1)] where one.identity != .none && one.identity == one.node {
            let found = run(of: one.identity)
            if authors[found] == replica { return found }
        }
        last += 1
        authors[last] = replica
        let isStill = { (one: Element) in one.identity != .none && one.identity == one.node }
        let left = elements[..<at].last(where: isStill), right = elements[at...].first(where: isStill)
        let leftChain = left.map { chain(run(of: $0.identity)) } ?? [], rightChain = right.map { chain(run(of: $0.identity)) } ?? []
        let near = Set(leftChain + rightChain)
        beside[last] = near.reduce(into: near) { $0.formUnion(beside[$1] ?? []) }
        if let common = rightChain.first(where: leftChain.contains) { within[last] = common }
        return last
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
        other == run || beside[other]?.contains(run) == true || beside[run]?.contains(other) == true
    }
}
