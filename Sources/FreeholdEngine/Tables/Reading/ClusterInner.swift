/// An inner node of a cluster tree.
///
/// ```
/// header:     count = children, firstKey = first child's smallest key, variant = level (1: children are clusters)
/// references: the children
/// body:       smallest key i64 × count · objects below u64 × count
/// ```
/// Safe throughout: `complaint` has checked the body's length and the count of references on first touch; products of
/// positions within a block stay small.
struct ClusterInner {
    let view: BlockView

    static let fanOut = 64

    @inline(__always) var count: Int { view.count }
    @inline(__always) var level: Int { Int(view.variant) }
    @inline(__always) func child(_ index: Int) -> BlockReference { view.reference(index) }
    @inline(__always) func firstKey(_ index: Int) -> Int64 {
        view.body.load(fromByteOffset: index &* 8, as: Int64.self)
    }
    func objects(_ index: Int) -> Int {
        Int(truncatingIfNeeded: view.body.load(fromByteOffset: (count + index) * 8, as: UInt64.self))
    }

    /// The child whose range holds `key`; the first child also takes smaller keys.
    ///
    /// Keys are mostly evenly spaced, so the position is interpolated from the first and the last key. A binary search
    /// would wait for memory at each step, and mispredict half of its branches.
    @inline(__always) func index(of key: Int64) -> Int {
        let keys = view.body
        let last = count &- 1
        let span = UInt64(bitPattern: keys.load(fromByteOffset: last &* 8, as: Int64.self) &- firstKey(0))
        let place = Double(UInt64(bitPattern: key &- firstKey(0))) * Double(last) / Double(span)
        // Also covers a division that did not yield a finite number.
        let guess = place < Double(last) ? Int(place) : last
        let fits = keys.load(fromByteOffset: guess &* 8, as: Int64.self) <= key
            && (guess == last || keys.load(fromByteOffset: guess &* 8 &+ 8, as: Int64.self) > key)
        return fits ? guess : search(key)
    }

    @inline(never) private func search(_ key: Int64) -> Int {
        let keys = view.body
        var low = 0, length = count
        // Invariant: the answer lies in low ..< low + length.
        while length > 1 {
            let half = length &>> 1
            let isUpper = keys.load(fromByteOffset: (low &+ half) &* 8, as: Int64.self) <= key
            // Branch-free arithmetic.
            low &+= half & (isUpper ? -1 : 0)
            length &-= half
        }
        return low
    }

    static func make(_ children: ArraySlice<ClusterChild>, level: Int, table: UInt32,
                     in pending: PendingBlocks) -> ClusterChild {
        let (reference, block) = pending.make(
            .clusterInner, variant: UInt8(level), table: table, firstKey: children.first!.firstKey,
            count: children.count, references: children.count, body: children.count * 16)
        let body = block.body
        var total = 0
        for (index, child) in children.enumerated() {
            block.setReference(index, child.reference)
            body.storeBytes(of: child.firstKey, toByteOffset: index * 8, as: Int64.self)
            body.storeBytes(of: UInt64(child.objects), toByteOffset: (children.count + index) * 8, as: UInt64.self)
            total += child.objects
        }
        return ClusterChild(firstKey: children.first!.firstKey, objects: total, reference: reference)
    }

    /// The error in an inner node's bytes, or nil.
    static func complaint(about view: BlockView) -> String? {
        guard (1...fanOut).contains(view.count), view.referenceCount == view.count,
              view.bodyLength >= view.count * 16 else { return "its children do not fit" }
        let node = ClusterInner(view: view)
        for index in 1..<max(1, view.count) where node.firstKey(index) <= node.firstKey(index - 1) { return "its keys do not ascend" }
        let counts = view.body + view.count * 8
        for index in 0..<view.count where counts.load(fromByteOffset: index * 8, as: UInt64.self) > TableRoot.maximumObjects {
            return "child \(index) counts more objects than a file can hold"
        }
        return (1...12).contains(view.variant) ? nil : "its level \(view.variant) is impossible"
    }
}

/// A node of a cluster tree as its parent knows it.
struct ClusterChild {
    var firstKey: Int64
    var objects: Int
    var reference: BlockReference
}
