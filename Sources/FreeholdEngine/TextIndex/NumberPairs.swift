/// Numbers values of 64 bits in the order in which they first occur: a hash table.
///
/// Safe throughout: `table` has a power of two of places, at least twice as many as there are values.
final class NumberPairs {
    // Safe (all exclusivity below): one thread uses the table, and nothing here re-enters it.
    /// The value's number + 1, or 0.
    @exclusivity(unchecked) private var table: UnsafeMutablePointer<Int32>
    @exclusivity(unchecked) private var shift: UInt64 = 54
    @exclusivity(unchecked) private var values: [UInt64] = []

    init() {
        table = .allocate(capacity: 1 << 10)
        table.initialize(repeating: 0, count: 1 << 10)
    }

    deinit { table.deallocate() }

    private var places: Int { 1 << Int(64 - shift) }

    func value(_ number: Int) -> UInt64 { values[number] }

    /// The number of a value; a new one is the count of values.
    @inline(__always)
    func number(of value: UInt64) -> Int {
        var place = self.place(of: value)
        while true {
            let number = Int(table[place]) &- 1
            if number < 0 { return add(value, at: place) }
            if values[number] == value { return number }
            place = (place &+ 1) & (places &- 1)
        }
    }

    /// Forgets all values.
    func removeAll() {
        values.removeAll()
        table.update(repeating: 0, count: places)
    }

    @inline(__always)
    private func place(of value: UInt64) -> Int { Int(truncatingIfNeeded: (value &* 0x9E37_79B9_7F4A_7C15) >> shift) }

    @inline(never)
    private func add(_ value: UInt64, at place: Int) -> Int {
        precondition(values.count < Int(Int32.max) - 1, "a batch has fewer keys than that")
        values.append(value)
        table[place] = Int32(values.count)
        if 2 * values.count > places { grow() }
        return values.count - 1
    }

    private func grow() {
        table.deallocate()
        shift -= 2
        table = .allocate(capacity: places)
        table.initialize(repeating: 0, count: places)
        for (number, value) in values.enumerated() {
            var place = self.place(of: value)
            while table[place] != 0 { place = (place + 1) & (places - 1) }
            table[place] = Int32(number + 1)
        }
    }
}
