/// A canonical Huffman code of deflate: the number of codes of each length, and the symbols in the order of their codes.
///
/// Building it costs as much as it has symbols, so that many short blocks cost no more than their bytes.
struct PrefixCode {
    static let longest = 15

    private var counts = [Int](repeating: 0, count: longest + 1)
    private var symbols: [Int] = []

    /// The code in which the symbol `i` has `lengths[i]` bits, 0 for none.
    /// - Returns: nil if there are more codes than fit, or fewer without being a single code of one bit (or none).
    init?(lengths: ArraySlice<Int>) {
        for length in lengths where length > 0 { counts[length] += 1 }
        var free = 1
        for length in 1...Self.longest {
            free = free << 1 - counts[length]
            if free < 0 { return nil }
        }
        let used = counts.reduce(0, +)
        if free > 0, used > 1 || used == 1 && counts[1] == 0 { return nil }
        var next = [Int](repeating: 0, count: Self.longest + 2)
        for length in 1...Self.longest { next[length + 1] = next[length] + counts[length] }
        symbols = [Int](repeating: 0, count: used)
        for (symbol, length) in lengths.enumerated() where length > 0 {
            symbols[next[length]] = symbol
            next[length] += 1
        }
    }

    /// The next symbol; nil if the bits are no code, or end.
    @inline(__always)
    func symbol(_ input: inout BitInput) -> Int? {
        var bits = input.peek15()
        var code = 0
        var first = 0
        var index = 0
        for length in 1...Self.longest {
            code |= bits & 1
            bits >>= 1
            let count = counts[length]
            if code - first < count {
                if input.available < length { return nil }
                input.drop(length)
                return symbols[index + code - first]
            }
            index += count
            first = (first + count) << 1
            code <<= 1
        }
        return nil
    }
}
