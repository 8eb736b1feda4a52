/// A hash index from object key to a row's position: open addressing, linear probing, at most half full.
struct KeyIndex {
    /// A position + 1, or 0 for an empty cell.
    private var cells: [UInt32] = []
    private var count = 0

    mutating func removeAll() {
        cells.removeAll()
        count = 0
    }

    func find(_ key: Int64, in keys: [Int64]) -> Int? {
        if cells.isEmpty { return nil }
        var cell = start(key)
        while cells[cell] != 0 {
            let place = Int(cells[cell]) - 1
            if keys[place] == key { return place }
            cell = (cell + 1) & (cells.count - 1)
        }
        return nil
    }

    mutating func insert(_ key: Int64, at place: Int, in keys: [Int64]) {
        if (count + 1) * 2 > cells.count { grow(keys) }
        var cell = start(key)
        while cells[cell] != 0 { cell = (cell + 1) & (cells.count - 1) }
        cells[cell] = UInt32(place + 1)
        count += 1
    }

    private mutating func grow(_ keys: [Int64]) {
        let old = cells
        cells = Array(repeating: 0, count: max(64, old.count * 2))
        for entry in old where entry != 0 {
            var cell = start(keys[Int(entry) - 1])
            while cells[cell] != 0 { cell = (cell + 1) & (cells.count - 1) }
            cells[cell] = entry
        }
    }

    private func start(_ key: Int64) -> Int {
        // Safe: wraps by design, a multiplicative hash.
        let mixed = UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: mixed >> 32) & (cells.count - 1)
    }
}
