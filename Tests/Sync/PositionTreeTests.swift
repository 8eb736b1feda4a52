import TestKit
import Testing
@testable import FreeholdEngine
@testable import FreeholdMerge

@Suite("Positions in lists")
struct PositionTreeTests {
    /// A Fugue tree by the book, but for neighbours of the own replica: nodes, and sorted children.
    private struct Naive {
        var parents: [SyncIdentity: SyncIdentity] = [:]
        var left: [SyncIdentity: [SyncIdentity]] = [:]
        var right: [SyncIdentity: [SyncIdentity]] = [:]

        func order(_ at: SyncIdentity = .none) -> [SyncIdentity] {
            (left[at] ?? []).flatMap(order) + (at == .none ? [] : [at]) + (right[at] ?? []).flatMap(order)
        }

        private func isBelow(_ node: SyncIdentity, _ above: SyncIdentity) -> Bool {
            var node = node
            while node != .none, node != above { node = parents[node]! }
            return node == above
        }

        mutating func insert(_ node: SyncIdentity, _ before: SyncIdentity, _ after: SyncIdentity) {
            let isOwn = after.replica == node.replica && before.replica != node.replica
            let isLeft = after != .none && (before == .none || isOwn || isBelow(after, before)), parent = isLeft ? after : before
            parents[node] = parent
            let isOrdered = { (one: SyncIdentity, other: SyncIdentity) in
                one.replica != other.replica ? one.replica < other.replica : (one.count < other.count) == isLeft
            }
            if isLeft {
                left[parent] = ((left[parent] ?? []) + [node]).sorted(by: isOrdered)
            } else {
                right[parent] = ((right[parent] ?? []) + [node]).sorted(by: isOrdered)
            }
        }
    }

    @Test("the order is that of a Fugue tree by the book", arguments: 1...40 as ClosedRange<UInt64>)
    func order(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var tree = PositionTree(), naive = Naive()
        var counts = [UInt64](repeating: 1, count: 4), last = [SyncIdentity](repeating: .none, count: 4)
        for _ in 0..<(seed % 10 == 0 ? 500 : 80) {
            let replica = random.below(4), node = SyncIdentity(replica: replica, count: counts[replica])
            counts[replica] += random.oneIn(8) ? 2 : 1
            let order = naive.order()
            var at = random.below(order.count + 1), gap = random.below(3)
            if let typed = order.firstIndex(of: last[replica]), random.oneIn(3) { (at, gap) = (typed + random.below(2), 0) }
            let left = at > 0 && !random.oneIn(10) ? order[at - 1] : .none
            let right = at + gap < order.count && !random.oneIn(10) ? order[at + gap] : .none
            naive.insert(node, left, right)
            tree.insert(node, left: left, right: right)
            last[replica] = node
        }
        #expect(tree.positions == naive.order())
        for node in tree.positions { #expect(tree.contains(node)) }
        #expect(!tree.contains(SyncIdentity(replica: 9, count: 1)) && !tree.contains(.none))
    }

    @Test("typing on, forwards or backwards, takes one piece")
    func typing() {
        var forwards = PositionTree(), backwards = PositionTree()
        var last = SyncIdentity.none
        for count in 1...UInt64(5000) {
            let node = SyncIdentity(replica: 1, count: count)
            forwards.insert(node, left: last, right: .none)
            backwards.insert(node, left: .none, right: last)
            last = node
        }
        #expect(forwards.pieceCount == 1 && backwards.pieceCount == 1)
        #expect(forwards.positions == backwards.positions.reversed())
    }

    @Test("a position that is there stays where it is, and unknown neighbours count as ends")
    func repeated() {
        var tree = PositionTree()
        let nodes = (1...3).map { SyncIdentity(replica: 0, count: $0) }, unknown = SyncIdentity(replica: 7, count: 7)
        tree.insert(nodes[0], left: unknown, right: unknown)
        tree.insert(nodes[1], left: nodes[0], right: .none)
        tree.insert(nodes[0], left: nodes[1], right: .none)
        tree.insert(.none, left: .none, right: .none)
        tree.insert(nodes[2], left: .none, right: nodes[0])
        #expect(tree.positions == [nodes[2], nodes[0], nodes[1]])
    }
}
