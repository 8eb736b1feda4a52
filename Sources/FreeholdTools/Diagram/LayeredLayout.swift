/// Arranges boxes in columns from left to right, so that most arrows point to the right and boxes do not overlap.
///
/// Steps: arrows that close a cycle are reversed. Each box is placed one column left of the leftmost box that it points
/// to. Tall columns are split. An arrow that crosses a column gets a position of its own in it. Boxes are sorted within
/// their columns by the positions of their neighbours, and then moved up or down towards them.
struct LayeredLayout {
    /// A box, or the point at which an arrow crosses a column.
    struct Item {
        var width: Double
        var height: Double
        var column = 0
        var x = 0.0
        var y = 0.0
        let isBox: Bool

        var middle: Double { y + height / 2 }
    }

    private static let boxGap = 30.0
    private static let wayGap = 6.0
    private static let wayHeight = 12.0

    /// The boxes in the given order, then the crossing points.
    private(set) var items: [Item]
    /// For each arrow the items it passes, from left to right.
    private(set) var routes: [[Int]] = []
    /// Whether the arrow points from right to left.
    private(set) var isReversed: [Bool]
    /// For each column its items, from top to bottom.
    private(set) var columns: [[Int]] = []
    private(set) var width = 0.0
    private(set) var height = 0.0

    /// - Parameter arrows: pairs of different boxes.
    init(sizes: [(width: Double, height: Double)], arrows: [(from: Int, to: Int)]) {
        items = sizes.map { Item(width: $0.width, height: $0.height, isBox: true) }
        isReversed = Self.circleClosers(count: sizes.count, arrows)
        let forward = zip(arrows, isReversed).map { $1 ? (from: $0.to, to: $0.from) : $0 }
        let joined = Set(arrows.flatMap { [$0.from, $0.to] })
        assignColumns(forward, joined)
        makeWays(forward)
        sortColumns()
        placeAcross()
        placeDown()
        placeLoners(items.indices.filter { items[$0].isBox && !joined.contains($0) })
    }

    /// The arrows that close a cycle, found by a depth-first walk.
    private static func circleClosers(count: Int, _ arrows: [(from: Int, to: Int)]) -> [Bool] {
        var leaving = Array(repeating: [Int](), count: count)
        for (arrow, ends) in arrows.enumerated() { leaving[ends.from].append(arrow) }
        var closers = Array(repeating: false, count: arrows.count)
        // 0 not visited, 1 in progress, 2 done
        var states = Array(repeating: 0, count: count)
        for start in 0..<count where states[start] == 0 {
            var way = [(box: start, next: 0)]
            states[start] = 1
            while let (box, next) = way.last {
                guard next < leaving[box].count else {
                    states[box] = 2
                    way.removeLast()
                    continue
                }
                way[way.count - 1].next += 1
                let arrow = leaving[box][next], target = arrows[arrow].to
                if states[target] == 1 { closers[arrow] = true }
                guard states[target] == 0 else { continue }
                states[target] = 1
                way.append((target, 0))
            }
        }
        return closers
    }

    private mutating func assignColumns(_ arrows: [(from: Int, to: Int)], _ joined: Set<Int>) {
        var distances = Array(repeating: 0, count: items.count)
        var isStable = false
        while !isStable {
            isStable = true
            for arrow in arrows where distances[arrow.from] <= distances[arrow.to] {
                distances[arrow.from] = distances[arrow.to] + 1
                isStable = false
            }
        }
        let boxes = joined.sorted()
        let area = boxes.reduce(0) { $0 + (items[$1].width + 90) * (items[$1].height + Self.boxGap) }
        let tallest = boxes.map { items[$0].height }.max() ?? 0
        let limit = max(tallest, area.squareRoot() * 1.1)
        for distance in (0...(distances.max() ?? 0)).reversed() {
            var column: [Int] = [], filled = 0.0
            for box in boxes where distances[box] == distance {
                if !column.isEmpty, filled + items[box].height > limit {
                    columns.append(column)
                    (column, filled) = ([], 0)
                }
                column.append(box)
                filled += items[box].height + Self.boxGap
            }
            if !column.isEmpty { columns.append(column) }
        }
        for (number, column) in columns.enumerated() {
            for box in column { items[box].column = number }
        }
    }

    private mutating func makeWays(_ arrows: [(from: Int, to: Int)]) {
        for arrow in arrows {
            var route = [arrow.from]
            for column in items[arrow.from].column + 1..<items[arrow.to].column {
                columns[column].append(items.count)
                route.append(items.count)
                items.append(Item(width: 0, height: Self.wayHeight, column: column, isBox: false))
            }
            routes.append(route + [arrow.to])
        }
    }
}

extension LayeredLayout {
    /// The items connected to each item by routes: in the previous column, and in the next.
    private func neighbours() -> (before: [[Int]], behind: [[Int]]) {
        var before = Array(repeating: [Int](), count: items.count), behind = before
        for route in routes {
            for (left, right) in zip(route, route.dropFirst()) {
                behind[left].append(right)
                before[right].append(left)
            }
        }
        return (before, behind)
    }

    /// Sorts by the mean position of neighbours, alternately from both sides, and keeps the order with the fewest
    /// crossings.
    private mutating func sortColumns() {
        let (before, behind) = neighbours()
        var best = columns, fewest = crossings(behind)
        for round in 0..<12 where fewest > 0 {
            let isForward = round % 2 == 0
            for column in isForward ? Array(columns.indices) : columns.indices.reversed() {
                var places = Array(repeating: 0.0, count: items.count)
                for other in columns { for (place, item) in other.enumerated() { places[item] = Double(place) / Double(other.count) } }
                let wanted = columns[column].map { item in
                    let near = isForward ? before[item] : behind[item]
                    return near.isEmpty ? places[item] : near.reduce(0) { $0 + places[$1] } / Double(near.count)
                }
                let order = columns[column].indices.sorted { (wanted[$0], $0) < (wanted[$1], $1) }
                columns[column] = order.map { columns[column][$0] }
            }
            let count = crossings(behind)
            if count < fewest { (best, fewest) = (columns, count) }
        }
        columns = best
    }

    private func crossings(_ behind: [[Int]]) -> Int {
        var places = Array(repeating: 0, count: items.count)
        for column in columns { for (place, item) in column.enumerated() { places[item] = place } }
        return columns.reduce(0) { sum, column in
            let ends = column.flatMap { behind[$0].map { places[$0] }.sorted() }
            return sum + ends.indices.reduce(0) { sum, index in sum + ends[..<index].count { $0 > ends[index] } }
        }
    }

    private mutating func placeAcross() {
        var x = 0.0
        for (number, column) in columns.enumerated() {
            let widest = column.map { items[$0].width }.max() ?? 0
            for item in column {
                items[item].x = x
                if !items[item].isBox { items[item].width = widest }
            }
            let passing = routes.count { route in route.contains { items[$0].column == number } && items[route.last!].column > number }
            width = x + widest
            x += widest + min(70 + 5 * Double(passing), 200)
        }
    }

    /// Moves items towards the middle of their neighbours, keeping their order and distances.
    private mutating func placeDown() {
        let (before, behind) = neighbours()
        for round in 0..<10 {
            for column in round % 2 == 0 ? columns : columns.reversed() {
                let wanted = column.map { item in
                    let near = round == 0 ? [] : round % 2 == 0 ? before[item] : behind[item]
                    if near.isEmpty { return items[item].y }
                    return near.reduce(0) { $0 + items[$1].middle } / Double(near.count) - items[item].height / 2
                }
                place(column, near: wanted)
            }
        }
        let top = columns.joined().map { items[$0].y }.min() ?? 0
        for item in columns.joined() { items[item].y -= top }
        height = columns.joined().map { items[$0].y + items[$0].height }.max() ?? 0
    }

    /// The positions nearest to the desired ones (least squares) without overlaps: overlapping items move as one.
    private mutating func place(_ column: [Int], near wanted: [Double]) {
        var offsets: [Double] = [], offset = 0.0
        for (index, item) in column.enumerated() {
            if index > 0 { offset += items[item].isBox || items[column[index - 1]].isBox ? Self.boxGap : Self.wayGap }
            offsets.append(offset)
            offset += items[item].height
        }
        var groups: [(sum: Double, count: Int)] = []
        for (place, offset) in zip(wanted, offsets) {
            groups.append((place - offset, 1))
            while groups.count > 1, groups[groups.count - 2].sum / Double(groups[groups.count - 2].count)
                    > groups[groups.count - 1].sum / Double(groups[groups.count - 1].count) {
                let last = groups.removeLast()
                groups[groups.count - 1].sum += last.sum
                groups[groups.count - 1].count += last.count
            }
        }
        let starts = groups.flatMap { group in Array(repeating: group.sum / Double(group.count), count: group.count) }
        for (index, item) in column.enumerated() { items[item].y = starts[index] + offsets[index] }
    }

    /// Rows at the bottom for boxes without arrows.
    private mutating func placeLoners(_ boxes: [Int]) {
        let area = boxes.reduce(0) { $0 + (items[$1].width + Self.boxGap) * (items[$1].height + Self.boxGap) }
        let widest = boxes.map { items[$0].width }.max() ?? 0
        let limit = max(width, widest, area.squareRoot() * 1.3)
        var x = 0.0, y = height > 0 ? height + 2 * Self.boxGap : 0, rowHeight = 0.0
        for box in boxes {
            if x > 0, x + items[box].width > limit {
                x = 0
                y += rowHeight + Self.boxGap
                rowHeight = 0
            }
            (items[box].x, items[box].y) = (x, y)
            x += items[box].width + Self.boxGap
            rowHeight = max(rowHeight, items[box].height)
            width = max(width, items[box].x + items[box].width)
            height = max(height, y + rowHeight)
        }
    }
}
