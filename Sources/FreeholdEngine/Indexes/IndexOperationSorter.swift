/// Sorts index operations by (key bytes, object key), stably, and keeps the last of each such pair.
///
/// Keys are sorted in windows of eight bytes, each by radix from its highest differing bit downwards; objects that
/// arrive in ascending order are not moved. Keys that agree in their first 64 bytes are merge-sorted.
///
/// Safe throughout: `list` and `scratch` hold `count` operations, all positions stay below that; the operations'
/// bytes lie in the arena (`IndexOperations`).
struct IndexOperationSorter {
    let list: UnsafeMutablePointer<IndexOperation>
    let count: Int
    let arena: UnsafeRawPointer

    private static let windowedBytes = 64

    /// Sorts; returns the number of operations left, at the list's start.
    mutating func sort() -> Int {
        if count == 0 { return 0 }
        let scratch = UnsafeMutablePointer<IndexOperation>.allocate(capacity: count)
        defer { scratch.deallocate() }
        sortWindow(0, count, depth: 0, scratch)
        return dropOverruled()
    }

    /// Sorts operations that agree in `depth` bytes and whose `prefix` holds the eight after them.
    private func sortWindow(_ low: Int, _ high: Int, depth: Int, _ scratch: UnsafeMutablePointer<IndexOperation>) {
        IndexRadix(list: list, scratch: scratch, field: PrefixField()).sort(low, high)
        var start = low
        while start < high {
            let prefix = list[start].prefix
            let length = list[start].length
            var end = start &+ 1
            var isAscending = true
            var isOneLength = true
            while end < high && list[end].prefix == prefix {
                isAscending = isAscending && list[end].objectKey >= list[end &- 1].objectKey
                isOneLength = isOneLength && list[end].length == length
                end &+= 1
            }
            if end &- start > 1 && !(isOneLength && isAscending && length <= depth &+ 8) {
                sortAlike(start, end, depth: depth, scratch)
            }
            start = end
        }
    }

    /// Sorts operations that agree in `depth` + 8 bytes, or in all bytes if they have fewer.
    private func sortAlike(_ low: Int, _ high: Int, depth: Int, _ scratch: UnsafeMutablePointer<IndexOperation>) {
        let longer = depth + 9
        // Of keys that agree in a window padded with zeros the shorter comes first.
        IndexRadix(list: list, scratch: scratch, field: LengthField(limit: longer)).sort(low, high)
        var start = low
        while start < high {
            let length = min(list[start].length, longer)
            var end = start + 1
            while end < high && min(list[end].length, longer) == length { end += 1 }
            if length < longer {
                IndexRadix(list: list, scratch: scratch, field: ObjectField()).sort(start, end)
            } else if depth >= Self.windowedBytes {
                mergeSort(start, end, scratch)
            } else {
                for index in start..<end { list[index].prefix = window(of: list[index], at: depth + 8) }
                sortWindow(start, end, depth: depth + 8, scratch)
                for index in start..<end { list[index].prefix = window(of: list[index], at: depth) }
            }
            start = end
        }
    }

    private func window(of operation: IndexOperation, at depth: Int) -> UInt64 {
        let key = IndexKey(start: arena + operation.offset, count: operation.length).dropping(depth)
        if key.count >= 8 { return UInt64(bigEndian: key.start.loadUnaligned(as: UInt64.self)) }
        let low = key.count > 4 ? IndexKey(start: key.start + 4, count: key.count - 4).head : 0
        return UInt64(key.head) << 32 | UInt64(low)
    }

    private func key(_ operation: IndexOperation) -> IndexKey {
        IndexKey(start: arena + operation.offset, count: operation.length)
    }

    private func isBefore(_ left: IndexOperation, _ right: IndexOperation) -> Bool {
        let order = key(left).order(key(right))
        return order != 0 ? order < 0 : left.objectKey < right.objectKey
    }

    /// A bottom-up, stable merge sort.
    private func mergeSort(_ low: Int, _ high: Int, _ scratch: UnsafeMutablePointer<IndexOperation>) {
        var width = 1
        while width < high - low {
            var start = low
            while start < high {
                merge(start, min(start + width, high), min(start + 2 * width, high), scratch)
                start += 2 * width
            }
            width *= 2
        }
    }

    private func merge(_ low: Int, _ middle: Int, _ high: Int, _ scratch: UnsafeMutablePointer<IndexOperation>) {
        if middle >= high || !isBefore(list[middle], list[middle - 1]) { return }
        (scratch + low).update(from: list + low, count: high - low)
        var left = low, right = middle
        for place in low..<high {
            let takesRight = right < high && (left == middle || isBefore(scratch[right], scratch[left]))
            list[place] = scratch[takesRight ? right : left]
            if takesRight { right += 1 } else { left += 1 }
        }
    }

    /// Keeps the last of the operations on one pair, and marks those that repeat the previous operation's key.
    private func dropOverruled() -> Int {
        list[0].repeatsKey = false
        var kept = 0
        for index in 1..<max(count, 1) {
            var operation = list[index]
            let isSameKey = operation.prefix == list[kept].prefix && operation.length == list[kept].length
                && (operation.length <= 8 || key(operation).order(key(list[kept])) == 0)
            if isSameKey && operation.objectKey == list[kept].objectKey {
                operation.repeatsKey = list[kept].repeatsKey
            } else {
                operation.repeatsKey = isSameKey
                kept &+= 1
            }
            list[kept] = operation
        }
        return kept + 1
    }
}

/// The number that a radix sort sorts by.
private protocol RadixField {
    func value(_ operation: IndexOperation) -> UInt64
}

private struct PrefixField: RadixField {
    @inline(__always) func value(_ operation: IndexOperation) -> UInt64 { operation.prefix }
}

private struct ObjectField: RadixField {
    @inline(__always) func value(_ operation: IndexOperation) -> UInt64 {
        UInt64(bitPattern: operation.objectKey) ^ 1 << 63
    }
}

private struct LengthField: RadixField {
    let limit: Int
    @inline(__always) func value(_ operation: IndexOperation) -> UInt64 { UInt64(min(operation.length, limit)) }
}

/// A stable radix sort of a part of the list by one number of each operation, from the highest differing bit.
private struct IndexRadix<Field: RadixField> {
    let list: UnsafeMutablePointer<IndexOperation>
    let scratch: UnsafeMutablePointer<IndexOperation>
    let field: Field

    private static var fewOperations: Int { 24 }

    @inline(__always) func sort(_ low: Int, _ high: Int) { sort(low, high, from: list, other: scratch) }

    /// Sorts `from[low..<high]` into the list.
    private func sort(_ low: Int, _ high: Int, from source: UnsafeMutablePointer<IndexOperation>,
                      other: UnsafeMutablePointer<IndexOperation>) {
        let first = field.value(source[low])
        var difference: UInt64 = 0
        var last = first
        var isSorted = true
        for index in low &+ 1..<max(high, low &+ 1) {
            let value = field.value(source[index])
            difference |= value ^ first
            isSorted = isSorted && value >= last
            last = value
        }
        if isSorted || high - low <= Self.fewOperations {
            if source != list { (list + low).update(from: source + low, count: high - low) }
            if !isSorted { insertionSort(low, high) }
            return
        }
        let width = high - low >= 65_536 ? 12 : 8
        let shift = max(0, 64 - difference.leadingZeroBitCount - width)
        // Safe: the buckets' bounds are only used inside.
        withUnsafeTemporaryAllocation(of: Int.self, capacity: 1 << width) { ends in
            scatter(low, high, from: source, to: other, shift: UInt64(shift), ends)
            var start = low
            for end in ends where end > start {
                sort(start, end, from: other, other: source)
                start = end
            }
        }
    }

    /// Moves each operation into its bucket; afterwards `ends` holds where each bucket ends.
    private func scatter(_ low: Int, _ high: Int, from source: UnsafeMutablePointer<IndexOperation>,
                         to target: UnsafeMutablePointer<IndexOperation>, shift: UInt64,
                         _ ends: UnsafeMutableBufferPointer<Int>) {
        let mask = UInt64(ends.count &- 1)
        let places = ends.baseAddress!
        ends.initialize(repeating: 0)
        for index in low..<high { places[Int(truncatingIfNeeded: field.value(source[index]) &>> shift & mask)] &+= 1 }
        var place = low
        for bucket in 0..<ends.count {
            let size = places[bucket]
            places[bucket] = place
            place &+= size
        }
        for index in low..<high {
            let operation = source[index]
            let bucket = Int(truncatingIfNeeded: field.value(operation) &>> shift & mask)
            target[places[bucket]] = operation
            places[bucket] &+= 1
        }
    }

    private func insertionSort(_ low: Int, _ high: Int) {
        for index in low + 1..<high {
            let operation = list[index]
            let value = field.value(operation)
            var place = index
            while place > low && field.value(list[place - 1]) > value {
                list[place] = list[place - 1]
                place -= 1
            }
            list[place] = operation
        }
    }
}
