/// An inner node of a list's tree.
///
/// ```
/// header:     count = children (1…64), variant = level (1: children are leaves)
/// references: the children
/// body:       elements below each child, u64 × count · where links are looked up (`Occurrences`): numbers of the children, u64 × count
/// ```
/// Safe throughout: `complaint` has checked the body's length and the count of references on first touch; products of
/// places within a block stay small.
struct ListInner {
    let view: BlockView

    static let fanOut = 64
    static let maximumLevel = 15
    /// More elements than a file can hold.
    static let maximumElements: UInt64 = 1 << 48

    @inline(__always) var count: Int { view.count }
    @inline(__always) var level: Int { Int(view.variant) }
    @inline(__always) func child(_ index: Int) -> BlockReference { view.reference(index) }
    @inline(__always) func elements(_ index: Int) -> Int {
        Int(truncatingIfNeeded: view.body.load(fromByteOffset: index &* 8, as: UInt64.self))
    }

    /// Whether the children have numbers.
    var isNumbered: Bool { view.bodyLength >= count &* 16 }

    /// A child's number; 0 if they have none.
    func number(_ index: Int) -> UInt64 {
        isNumbered ? view.body.loadUnaligned(fromByteOffset: (count &+ index) &* 8, as: UInt64.self) : 0
    }

    /// Number of elements below the node.
    var total: Int { (0..<count).reduce(0) { $0 + elements($1) } }

    /// The child that contains the element at `position`, which becomes the position within that child; the last child
    /// for positions after all elements.
    @inline(__always) func child(at position: inout Int) -> Int {
        var index = 0
        let last = count &- 1
        while index < last {
            let elements = elements(index)
            if position < elements { break }
            position = position &- elements
            index = index &+ 1
        }
        return index
    }

    var children: [ListChild] { (0..<count).map { ListChild(reference: child($0), count: elements($0), number: number($0)) } }

    static func isInner(_ view: BlockView) -> Bool { view.kindByte == BlockKind.listInner.rawValue }

    /// Checks an inner node's bytes; returns the fault, or nil.
    static func complaint(about view: BlockView) -> String? {
        guard (1...fanOut).contains(view.count), view.referenceCount == view.count, view.bodyLength >= view.count * 8
        else { return "its children do not fit" }
        for index in 0..<view.count {
            let elements = view.body.load(fromByteOffset: index * 8, as: UInt64.self)
            guard elements > 0, elements < maximumElements else { return "child \(index) counts \(elements) elements" }
        }
        return (1...maximumLevel).contains(Int(view.variant)) ? nil : "its level \(view.variant) is impossible"
    }
}

/// A node of a list's tree as stored in its parent.
struct ListChild {
    var reference: BlockReference
    var count: Int
    /// The node's number, which is unique in the list while the node exists; 0 in trees without numbers.
    var number: UInt64 = 0
}
