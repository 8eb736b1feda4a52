/// The elements of one side of a gap, to be compared with those of the other.
///
/// Safe throughout: leaves were checked for kind and count when they were taken; rows are below their leaf's count.
struct ElementRun {
    private struct Piece {
        /// The index of the first element.
        let start: Int
        let leaf: ListLeaf
    }

    let source: ElementSource
    /// The positions of the run in the list.
    let positions: Range<Int>
    private var pieces: [Piece] = []
    private var values: ArraySlice<Value> = []

    init(_ stretch: ListAlignment.Stretch, of source: ElementSource) throws(FreeholdError) {
        self.source = source
        positions = stretch.positions
        guard let leaves = stretch.leaves else {
            if case .values(let all) = source.content { values = all[stretch.positions] }
            return
        }
        for node in leaves {
            let leaf = try ListLeaf(try source.access.view(node.reference), source.shape)
            guard leaf.count == node.count else { throw ListTree.damaged("a node's element count differs from its children's") }
            pieces.append(Piece(start: node.start - positions.lowerBound, leaf: leaf))
        }
    }

    var count: Int { positions.count }

    /// The piece that has an element, by binary search.
    private func piece(at index: Int) -> Piece {
        var low = 0, high = pieces.count - 1
        while low < high {
            let middle = (low + high + 1) / 2
            if pieces[middle].start <= index { low = middle } else { high = middle - 1 }
        }
        return pieces[low]
    }

    func element(_ index: Int) throws(FreeholdError) -> ListElement {
        if pieces.isEmpty { return ListElement(values[values.startIndex + index], source.shape) }
        let piece = piece(at: index)
        return try piece.leaf.element(index - piece.start)
    }

    /// The keys by which the elements of a part are compared.
    func keys(_ part: Range<Int>) throws(FreeholdError) -> [ElementKey] {
        var keys: [ElementKey] = []
        keys.reserveCapacity(part.count)
        var index = part.lowerBound
        while index < part.upperBound {
            guard !pieces.isEmpty else {
                keys.append(ElementKey(try element(index)))
                index += 1
                continue
            }
            let piece = piece(at: index), end = min(part.upperBound, piece.start + piece.leaf.count)
            for index in index..<end { keys.append(ElementKey(try piece.leaf.element(index - piece.start))) }
            index = end
        }
        return keys
    }

    /// The key of an element, which is not a collection, by its bytes wherever they are stored.
    func wholeKey(_ index: Int) throws(FreeholdError) -> ElementKey {
        guard case .large(let length, let reference) = try element(index) else { return ElementKey(try element(index)) }
        let bytes = try LargeValue.read(reference, in: source.access)
        guard UInt64(bytes.count) == length else { throw ListTree.damaged("a long element's length differs from its reference's") }
        return .bytes(tag: source.shape.type.rawValue, bytes)
    }

    // MARK: What both sides begin and end with

    /// The number of equal elements from the start on.
    func commonPrefix(_ other: ElementRun) throws(FreeholdError) -> Int {
        var index = 0
        let most = min(count, other.count)
        while index < most {
            guard !pieces.isEmpty, !other.pieces.isEmpty else {
                guard try source.isSame(try element(index), other.source, try other.element(index)) else { return index }
                index += 1
                continue
            }
            let one = piece(at: index), two = other.piece(at: index)
            let rows = min(one.start + one.leaf.count, two.start + two.leaf.count, most) - index
            let same = try same(one.leaf, index - one.start, two.leaf, index - two.start, rows, 1, other.source)
            index += same
            if same < rows { return index }
        }
        return index
    }

    /// The number of equal elements before the end, at most `most`.
    func commonSuffix(_ other: ElementRun, atMost most: Int) throws(FreeholdError) -> Int {
        var found = 0
        while found < most {
            let i = count - found - 1, j = other.count - found - 1
            guard !pieces.isEmpty, !other.pieces.isEmpty else {
                guard try source.isSame(try element(i), other.source, try other.element(j)) else { return found }
                found += 1
                continue
            }
            let one = piece(at: i), two = other.piece(at: j)
            let rows = min(i - one.start + 1, j - two.start + 1, most - found)
            let same = try same(one.leaf, i - one.start, two.leaf, j - two.start, rows, -1, other.source)
            found += same
            if same < rows { return found }
        }
        return found
    }

    /// The number of equal rows among `count`, moving by `step` in both leaves.
    private func same(_ one: ListLeaf, _ i: Int, _ two: ListLeaf, _ j: Int, _ count: Int, _ step: Int,
                      _ other: ElementSource) throws(FreeholdError) -> Int {
        switch source.shape.leafType {
        case .bool, .int, .link:
            let a = PackedIntegers(one.body), b = PackedIntegers(two.body)
            if !a.head.hasNulls && !b.head.hasNulls { return Self.run(count) { a[i + $0 * step] == b[j + $0 * step] } }
        case .string, .data, .mixed:
            let a = TextLeaf(one.body), b = TextLeaf(two.body)
            if !a.isCodes, !b.isCodes, !a.hasExternal, !b.hasExternal {
                return Self.run(count) {
                    let (row, place) = (i + $0 * step, j + $0 * step)
                    return a.isNull(row) == b.isNull(place) && a[row].isSame(as: b[place])
                }
            }
        default: break
        }
        for index in 0..<count {
            let element = try one.element(i + index * step), another = try two.element(j + index * step)
            guard try source.isSame(element, other, another) else { return index }
        }
        return count
    }

    @inline(__always) private static func run(_ count: Int, _ isSame: (Int) -> Bool) -> Int {
        var index = 0
        while index < count, isSame(index) { index += 1 }
        return index
    }
}
