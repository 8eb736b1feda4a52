import FreeholdEngine
import TestKit

/// Collections, mixed values, and the trees of objects.
extension RealmWriter {
    /// A leaf of mixed values.
    mutating func mixed(_ cells: [Cell]) -> Int64 {
        var what: [Int64] = [], numbers: [Int64] = [], pairs: [Int64] = [], strings: [[UInt8]] = [], collections: [Int64] = []
        func place(_ type: Int64, _ part: Int64, _ place: Int) -> Int64 { Int64(place) << 8 | part << 5 | (type + 1) }
        for cell in cells {
            switch cell {
            case .value(.null): what.append(0)
            case .value(.int(let number)) where number >= Int64(Int32.min) && number <= Int64(Int32.max): what.append(number << 8 | 1)
            case .value(.int(let number)):
                what.append(place(0, 1, numbers.count))
                numbers.append(number)
            case .value(.bool(let flag)): what.append((flag ? 256 : 0) | 2)
            case .value(.float(let number)):
                what.append(place(9, 1, numbers.count))
                numbers.append(Int64(number.bitPattern))
            case .value(.double(let number)):
                what.append(place(10, 1, numbers.count))
                numbers.append(Int64(bitPattern: number.bitPattern))
            case .value(.date(let date)):
                let isBackwards = date.seconds < 0 && date.nanoseconds > 0
                what.append(place(8, 2, pairs.count / 2))
                pairs += [isBackwards ? date.seconds + 1 : date.seconds, Int64(date.nanoseconds) - (isBackwards ? 1_000_000_000 : 0)]
            case .value(.decimal(let number)):
                what.append(place(11, 2, pairs.count / 2))
                pairs += [Int64(bitPattern: number.low), Int64(bitPattern: number.high)]
            case .value(let value):
                let type: Int64 = switch value {
                case .string: 2
                case .data: 4
                case .objectId: 15
                default: 17
                }
                what.append(place(type, 3, strings.count))
                strings.append(value.bytes ?? value.identifier ?? [])
            case .link(let key):
                // In dictionaries of links.
                what.append(key < 0 ? 0 : place(12, 1, numbers.count))
                if key >= 0 { numbers.append(key) }
            case .typedLink(let table, let key):
                what.append(place(16, 2, pairs.count / 2))
                pairs += [RealmModel.key(of: table), key]
            case .list(let cells):
                what.append(place(19, 4, collections.count))
                collections.append(cells.isEmpty && random.oneIn(2) ? 0 : list(6, isNullable: true, cells))
            case .dictionary(let entries):
                what.append(place(21, 4, collections.count))
                collections.append(entries.isEmpty && random.oneIn(2) ? 0 : dictionary(entries))
            }
        }
        var parts = [ints(what), 0, 0, 0]
        if !numbers.isEmpty { parts[1] = ints(numbers) }
        if !pairs.isEmpty { parts[2] = ints(pairs) }
        if !strings.isEmpty { parts[3] = self.strings(strings) }
        if !collections.isEmpty { parts += [refs(collections), 0] } else if format >= 24, random.oneIn(2) { parts += [0, 0] }
        return refs(parts)
    }

    /// A list or a set.
    mutating func list(_ type: Int64, isNullable: Bool, _ cells: [Cell]) -> Int64 {
        let parts = divided(cells.count)
        let leaves = parts.map { leaf(type, isNullable: isNullable, Array(cells[$0]), isElement: true) }
        return tree(leaves, parts.map(\.count))
    }

    mutating func dictionary(_ entries: [(key: String, value: Cell)]) -> Int64 {
        guard format >= 23 else { return hashed(entries) }
        let keys = divided(entries.count)
        let keyLeaves = keys.map { part in strings(entries[part].map { Array($0.key.utf8) }) }
        let keyTree = tree(keyLeaves, keys.map(\.count))
        let values = divided(entries.count)
        let valueLeaves = values.map { part in mixed(entries[part].map(\.value)) }
        let valueTree = tree(valueLeaves, values.map(\.count))
        return refs([keyTree, valueTree])
    }

    /// Before format 23: clusters in the order of hashes, with a column of keys and one of values.
    private mutating func hashed(_ entries: [(key: String, value: Cell)]) -> Int64 {
        var hashes: Set<Int64> = []
        while hashes.count < entries.count { hashes.insert(Int64(bitPattern: random.next() >> 1)) }
        let sorted = hashes.sorted()
        return clusters(sorted) { writer, range in
            let keys = writer.strings(entries[range].map { Array($0.key.utf8) }), values = writer.mixed(entries[range].map(\.value))
            return [keys, values]
        }
    }

    /// Ranges of elements of leaves; one empty range if there are none.
    private mutating func divided(_ count: Int) -> [Range<Int>] {
        var parts: [Range<Int>] = [], start = 0
        let isEven = random.oneIn(2), limit = max(1, leafLimit)
        while start < count {
            let end = min(count, start + (isEven ? limit : 1 + random.below(limit)))
            parts.append(start..<end)
            start = end
        }
        return parts.isEmpty ? [0..<0] : parts
    }

    /// A B+ tree over leaves of some sizes.
    private mutating func tree(_ leaves: [Int64], _ sizes: [Int]) -> Int64 {
        var (nodes, sizes) = (leaves, sizes)
        while nodes.count > 1 {
            var (above, aboveSizes): ([Int64], [Int]) = ([], [])
            var start = 0
            while start < nodes.count {
                let end = min(nodes.count, start + 2 + random.below(5))
                let counts = sizes[start..<end]
                var ends: [Int64] = []
                for count in counts.dropLast() { ends.append((ends.last ?? 0) + Int64(count)) }
                let isCompact = Set(counts.dropLast()).count <= 1 && (counts.last ?? 0) <= (counts.first ?? 0)
                let first = isCompact ? Self.tagged(Int64(counts.first ?? 0)) : ints(ends)
                above.append(refs([first] + nodes[start..<end] + [Self.tagged(Int64(counts.reduce(0, +)))], isInner: true))
                aboveSizes.append(counts.reduce(0, +))
                start = end
            }
            (nodes, sizes) = (above, aboveSizes)
        }
        return nodes[0]
    }

    /// A tree of clusters over objects with ascending keys; `columns` writes the leaves of some of the objects.
    mutating func clusters(_ keys: [Int64], columns: (inout RealmWriter, Range<Int>) -> [Int64]) -> Int64 {
        let isDense = keys.enumerated().allSatisfy { Int64($0.offset) == $0.element }
        if isDense, keys.count > 256, clusterLimit == 256 { return denseClusters(keys.count, columns: columns) }
        // The nodes of one level: the key they begin at, and the number of their objects.
        var level: [(reference: Int64, first: Int64, count: Int)] = []
        var start = 0
        repeat {
            let end = min(keys.count, start + 1 + random.below(clusterLimit))
            let single = start == 0 && end == keys.count
            // Anything after the key before it may be where a cluster begins.
            let first = single ? 0 : start == 0 ? 0 : keys[start] - (random.oneIn(2) ? 0 : min(keys[start] - keys[start - 1] - 1, 3))
            let relative = keys[start..<end].map { $0 - first }
            let isCompact = relative.enumerated().allSatisfy { Int64($0.offset) == $0.element }
            let keyArray = isCompact ? Self.tagged(Int64(end - start)) : self.keys(relative)
            let references = columns(&self, start..<end)
            level.append((refs([keyArray] + references), first, end - start))
            start = end
        } while start < keys.count
        var depth: Int64 = 1
        while level.count > 1 {
            var above: [(reference: Int64, first: Int64, count: Int)] = []
            var start = 0
            while start < level.count {
                let end = min(level.count, start + 2 + random.below(6)), part = level[start..<end]
                let isRoot = start == 0 && end == level.count
                let first = isRoot ? 0 : level[start].first, count = part.reduce(0) { $0 + $1.count }
                let childKeys = self.keys(part.map { $0.first - first })
                let elements = [childKeys, Self.tagged(depth), Self.tagged(Int64(count))] + part.map(\.reference)
                above.append((refs(elements, isInner: true), first, count))
                start = end
            }
            level = above
            depth += 1
        }
        return level[0].reference
    }

    /// Objects 0, 1, … in clusters of 256, whose keys follow from their places.
    private mutating func denseClusters(_ count: Int, columns: (inout RealmWriter, Range<Int>) -> [Int64]) -> Int64 {
        var level: [(reference: Int64, count: Int)] = []
        for start in stride(from: 0, to: count, by: 256) {
            let end = min(count, start + 256)
            let references = columns(&self, start..<end)
            level.append((refs([Self.tagged(Int64(end - start))] + references), end - start))
        }
        var depth: Int64 = 1
        while level.count > 1 {
            var above: [(reference: Int64, count: Int)] = []
            for start in stride(from: 0, to: level.count, by: 256) {
                let part = level[start..<min(level.count, start + 256)], count = part.reduce(0) { $0 + $1.count }
                let elements = [random.oneIn(2) ? 0 : Self.tagged(0), Self.tagged(depth), Self.tagged(Int64(count))] + part.map(\.reference)
                above.append((refs(elements, isInner: true), count))
            }
            level = above
            depth += 1
        }
        return level[0].reference
    }
}
