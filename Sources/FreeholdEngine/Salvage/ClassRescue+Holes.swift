/// Recovery of objects where the class's root leads to nothing, from blocks that nothing refers to any more.
///
/// 1. Of several clusters over the same keys, the one born last is the valid one: two that live at the same time never
///    overlap.
/// 2. Blocks that the space map proves dead are used only as long as objects are missing.
/// 3. Unless the clusters found hold exactly the objects that belong in the hole, their objects are reported as
///    possibly stale.
extension ClassRescue {
    mutating func fill(_ holes: [Hole], _ orphans: Orphans, _ evidence: PageEvidence) throws {
        let clusters = (orphans.clusters[stored.number] ?? []).filter { !evidence.isClaimed(Int($0.reference.granuleIndex)) }
        let tails = (orphans.tails[stored.number] ?? []).filter { !evidence.isClaimed(Int($0.granuleIndex)) }
            .sorted { $0.birth > $1.birth }
        for hole in holes where hole.part != .tail { try fill(hole, clusters, tails, evidence) }
        for hole in holes where hole.part == .tail {
            let found = try fill(hole, from: tails, missing: hole.objects ?? .max)
            noteHole(hole, found: found, isStale: found > 0)
        }
    }

    private mutating func fill(_ hole: Hole, _ clusters: [Orphans.Cluster], _ tails: [BlockReference], _ evidence: PageEvidence) throws {
        let fitting = clusters.filter { $0.reference.birth <= hole.birth && $0.last >= hole.low && $0.first <= hole.last }
            .sorted { $0.reference.birth > $1.reference.birth }
        let live = fitting.filter { !evidence.isProvenDead($0.reference) }
        let standing = try rows(of: live, in: hole)
        let isExact = evidence.knowsWhatLives && standing != nil && hole.objects == standing
        var covered = KeyRanges(), found = 0
        for cluster in live { found += try rescue(cluster, in: hole, &covered, isStale: !isExact) }
        if !isExact, hole.part != .table || !evidence.knowsWhatLives {
            let missing = hole.objects ?? .max
            for cluster in fitting where found < missing && evidence.isProvenDead(cluster.reference) {
                found += try rescue(cluster, in: hole, &covered, isStale: true)
            }
            if found < missing { found += try fill(hole, from: tails, missing: missing - found) { !covered.contains($0) } }
        } else if hole.part == .table {
            found += try fill(hole, from: tails.filter { !evidence.isProvenDead($0) }, missing: .max)
        }
        noteHole(hole, found: found, isStale: !isExact && found > 0)
    }

    /// The number of objects of the clusters, if they lie in the hole and do not overlap; nil otherwise.
    private func rows(of clusters: [Orphans.Cluster], in hole: Hole) throws -> Int? {
        var end: Int64?, count = 0
        for cluster in clusters.sorted(by: { $0.first < $1.first }) {
            guard hole.contains(cluster.first), hole.contains(cluster.last), end.map({ $0 < cluster.first }) ?? true else { return nil }
            end = cluster.last
            try rest()
            count += try file.access.view(cluster.reference).count
        }
        return count
    }

    private mutating func rescue(_ orphan: Orphans.Cluster, in hole: Hole, _ covered: inout KeyRanges, isStale: Bool) throws -> Int {
        try rest()
        let cluster = ClusterView(view: try file.access.view(orphan.reference)), known = covered
        covered.insert(orphan.first...orphan.last)
        return try rescue(cluster, isStale: isStale) { hole.contains($0) && !known.contains($0) }
    }

    /// Recovers rows of tail blocks, newest block first, until as many as are missing were found.
    private mutating func fill(
        _ hole: Hole, from tails: [BlockReference], missing: Int, where isWanted: (Int64) -> Bool = { _ in true }
    ) throws -> Int {
        var found = 0
        for reference in tails where reference.birth <= hole.birth && found < missing {
            guard let tail = try? TableState.tail(reference, in: file.access) else { continue }
            found += try rescue(tail, isStale: true, limit: missing - found) { hole.contains($0) && isWanted($0) }
        }
        return found
    }
}
