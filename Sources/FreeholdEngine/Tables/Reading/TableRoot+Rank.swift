extension TableRoot {
    /// The number of sealed objects with a smaller key.
    func sealedCount(below key: Int64, in access: BlockAccess) throws(FreeholdError) -> Int {
        if clusters.isNull { return 0 }
        var rank = 0, reference = clusters
        for _ in 0..<ClusterTree.maximumDepth {
            let view = try access.view(reference)
            guard view.kind == .clusterInner else { break }
            let inner = ClusterInner(view: view), place = inner.index(of: key)
            for child in 0..<place { rank += inner.objects(child) }
            reference = inner.child(place)
        }
        return rank + (try ClusterTree.cluster(reference, in: access).lowerBound(key))
    }
}
