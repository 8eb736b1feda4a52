/// A set of columns of one class: bits, the first 64 of them without an allocation.
struct ColumnSet: Equatable {
    private var first: UInt64 = 0
    private var rest: [UInt64] = []

    var isEmpty: Bool { first == 0 && rest.isEmpty }

    @inline(__always) func contains(_ column: Int) -> Bool {
        if column < 64 { return first & (1 << UInt64(column)) != 0 }
        let word = column / 64 - 1
        return word < rest.count && rest[word] & (1 << UInt64(column % 64)) != 0
    }

    func intersects(_ other: ColumnSet) -> Bool { first & other.first != 0 || zip(rest, other.rest).contains { $0 & $1 != 0 } }

    @inline(__always) mutating func insert(_ column: Int) {
        if column < 64 { first |= 1 << UInt64(column) } else { insertLate(column) }
    }

    mutating func remove(_ column: Int) {
        if column < 64 { first &= ~(1 << UInt64(column)) } else if contains(column) { rest[column / 64 - 1] &= ~(1 << UInt64(column % 64)) }
        while rest.last == 0 { rest.removeLast() }
    }

    private mutating func insertLate(_ column: Int) {
        let word = column / 64 - 1
        while rest.count <= word { rest.append(0) }
        rest[word] |= 1 << UInt64(column % 64)
    }
}
