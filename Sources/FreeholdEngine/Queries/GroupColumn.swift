/// A property that objects are grouped by. Its values are numbered in the order of first occurrence.
///
/// Safe throughout: each leaf was checked to have a row for each row of the cluster.
final class GroupColumn {
    private let column: Column
    private let type: PropertyType
    // Safe (all exclusivity below): one thread uses this, and nothing here re-enters it.
    @exclusivity(unchecked) private(set) var values: [Value] = []
    @exclusivity(unchecked) private var null = -1
    @exclusivity(unchecked) private var whole: [Int64: Int] = [:]
    /// The numbers of small integers, and of a dictionary's codes; -1 where there is none yet.
    @exclusivity(unchecked) private var small: [Int] = []
    @exclusivity(unchecked) private var texts: [[UInt8]: Int] = [:]

    private static let smallOnes = 4096

    /// Nil unless the path is an integer, bool or string property of the object itself.
    init?(_ path: BoundPath) {
        guard let column = path.column, !column.isCollection, !column.isObjectKey, [.int, .bool, .string].contains(column.type) else { return nil }
        self.column = column
        type = column.type
    }

    var index: Int { column.index }

    /// Writes the number of each row's value to the row's position in `numbers`.
    func number(_ cluster: ClusterView, _ rows: RowMask, in state: TableState, _ numbers: UnsafeMutablePointer<Int>) throws(FreeholdError) {
        guard let body = try state.leaf(cluster, cluster.count - 1, index) else {
            let number = self.number(of: state.stored.properties[index].defaultValue)
            try rows.forEach { row in
                numbers[row] = number
                return true
            }
            return
        }
        if type == .string { return try number(TextLeaf(body), cluster, rows, in: state, numbers) }
        let leaf = PackedIntegers(body)
        try rows.forEach { row in
            numbers[row] = leaf.isNull(row) ? numberOfNull() : number(ofWhole: leaf[row])
            return true
        }
    }

    private func number(_ leaf: TextLeaf, _ cluster: ClusterView, _ rows: RowMask, in state: TableState, _ numbers: UnsafeMutablePointer<Int>) throws(FreeholdError) {
        try rows.forEach { row throws(FreeholdError) in
            if leaf.isNull(row) {
                numbers[row] = numberOfNull()
            } else if leaf.isCodes {
                numbers[row] = try number(ofCode: leaf.codes[row], in: state)
            } else {
                numbers[row] = number(ofText: leaf.isExternal(row) ? try state.text(cluster, row, index) : leaf[row])
            }
            return true
        }
    }

    /// The number of a value.
    func number(of value: Value) -> Int {
        switch value {
        case .int(let number): return self.number(ofWhole: number)
        case .bool(let flag): return number(ofWhole: flag ? 1 : 0)
        case .string(var text): return text.withUTF8 { number(ofText: UnsafeRawBufferPointer($0)) }
        default: return numberOfNull()
        }
    }

    private func numberOfNull() -> Int {
        if null < 0 { null = add(.null) }
        return null
    }

    @inline(__always)
    private func number(ofWhole value: Int64) -> Int {
        if value >= 0, value < small.count, small[Int(value)] >= 0 { return small[Int(value)] }
        return newNumber(ofWhole: value)
    }

    @inline(never)
    private func newNumber(ofWhole value: Int64) -> Int {
        if let known = whole[value] { return known }
        let number = add(type == .bool ? .bool(value != 0) : .int(value))
        if value >= 0, value < Self.smallOnes {
            while small.count <= value { small.append(-1) }
            small[Int(value)] = number
        } else {
            whole[value] = number
        }
        return number
    }

    @inline(__always)
    private func number(ofCode code: Int64, in state: TableState) throws(FreeholdError) -> Int {
        if code >= 0, code < small.count, small[Int(code)] >= 0 { return small[Int(code)] }
        let number = number(ofText: try state.dictionary(index).bytes(code))
        while small.count <= code { small.append(-1) }
        small[Int(code)] = number
        return number
    }

    private func number(ofText text: UnsafeRawBufferPointer) -> Int {
        let bytes = Array(text)
        if let known = texts[bytes] { return known }
        let number = add(.string(String(decoding: text, as: UTF8.self)))
        texts[bytes] = number
        return number
    }

    private func add(_ value: Value) -> Int {
        values.append(value)
        return values.count - 1
    }
}
