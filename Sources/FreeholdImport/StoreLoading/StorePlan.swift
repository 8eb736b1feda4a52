import FreeholdEngine

/// The order in which classes are read, and which of their links can be set at once.
struct StorePlan {
    /// The classes, by place, under their hidden names.
    let classes: [ClassSchema]
    /// The names they get in the end.
    let names: [String]
    /// Places in the order in which the classes are read.
    let order: [Int]
    /// By place, the places of the class and of all classes that extend it: where an object of it may be.
    let families: [[Int]]
    /// By place, the properties whose links are set in the pass for links, whatever their values.
    let late: [Set<Int>]
    private let positions: [Int]
    private let placeOf: TextMap<Int>

    /// - Throws: `.damaged` if the source's classes do not fit together.
    init(_ source: [SourceClass], name: String) throws(SourceError) {
        let prefix = Self.hiddenPrefix(of: name)
        names = source.map(\.schema.name)
        guard Set(exact: names).count == names.count else { throw SourceError(.damaged, "two classes have the same name") }
        let places = TextMap(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
        placeOf = TextMap(uniqueKeysWithValues: names.enumerated().map { (prefix + $1, $0) })
        for schema in source.map(\.schema) {
            for target in schema.properties.compactMap(\.linkTarget) + [schema.superclass].compactMap({ $0 }) where places[target] == nil {
                throw SourceError(.damaged, "class '\(schema.name)' refers to a class '\(target)', which the source does not have")
            }
        }
        try Self.requireNoCircle(source, places)
        classes = source.map(\.schema).map { schema in
            var hidden = schema
            hidden.name = prefix + schema.name
            hidden.superclass = schema.superclass.map { prefix + $0 }
            for property in hidden.properties.indices {
                hidden.properties[property].linkTarget = schema.properties[property].linkTarget.map { prefix + $0 }
            }
            return hidden
        }
        families = Self.families(source, places)
        order = Self.order(source, places, families)
        var positions = Array(repeating: 0, count: order.count)
        for (position, place) in order.enumerated() { positions[place] = position }
        self.positions = positions
        late = Self.late(source, places, families, positions)
    }

    /// The start of the hidden names of an import's classes. The length keeps those of `a` apart from those of `a:b`.
    static func hiddenPrefix(of name: String) -> String { "\(ClassSchema.hiddenPrefix)\(name.utf8.count):\(name):" }

    /// The place of the class with this hidden name.
    func hiddenPlace(of name: String) -> Int? { placeOf[name] }

    /// The place of the class that has no superclass and that the class extends, or of itself: they share their keys.
    func root(of place: Int) -> Int {
        var root = place
        while let above = classes[root].superclass.flatMap({ placeOf[$0] }) { root = above }
        return root
    }

    /// Whether the class, and all that extend it, come before the one at `position` in the order.
    func isComplete(_ place: Int, at position: Int) -> Bool { families[place].allSatisfy { positions[$0] < position } }

    private static func requireNoCircle(_ source: [SourceClass], _ places: TextMap<Int>) throws(SourceError) {
        for schema in source.map(\.schema) {
            var above = schema.superclass.flatMap { places[$0] }, steps = 0
            while let place = above {
                steps += 1
                guard steps < source.count else { throw SourceError(.damaged, "class '\(schema.name)' extends itself") }
                above = source[place].schema.superclass.flatMap { places[$0] }
            }
        }
    }

    private static func families(_ source: [SourceClass], _ places: TextMap<Int>) -> [[Int]] {
        var families = source.indices.map { [$0] }
        for place in source.indices {
            var above = source[place].schema.superclass.flatMap { places[$0] }, steps = 0
            while let ancestor = above, steps < source.count {
                families[ancestor].append(place)
                above = source[ancestor].schema.superclass.flatMap { places[$0] }
                steps += 1
            }
        }
        return families
    }

    /// Every class after those it links to, as far as they do not link in a circle.
    private static func order(_ source: [SourceClass], _ places: TextMap<Int>, _ families: [[Int]]) -> [Int] {
        var order: [Int] = [], isSeen = Array(repeating: false, count: source.count)
        for root in source.indices {
            var stack: [(place: Int, next: [Int])] = []
            func enter(_ place: Int) {
                if isSeen[place] { return }
                isSeen[place] = true
                let targets = source[place].schema.properties.compactMap { $0.linkTarget.flatMap { places[$0] } }
                stack.append((place, targets.flatMap { families[$0] }))
            }
            enter(root)
            while !stack.isEmpty {
                if let next = stack[stack.count - 1].next.popLast() { enter(next) } else { order.append(stack.removeLast().place) }
            }
        }
        return order
    }

    /// By place, the properties that lead to a class that is not complete yet, directly or through embedded objects.
    private static func late(_ source: [SourceClass], _ places: TextMap<Int>, _ families: [[Int]], _ positions: [Int]) -> [Set<Int>] {
        var late = source.map { _ in Set<Int>() }
        for place in source.indices where !source[place].schema.isEmbedded {
            for (number, property) in source[place].schema.properties.enumerated() {
                guard let target = property.linkTarget.flatMap({ places[$0] }) else { continue }
                let isEarly = reach(of: target, source, places, families).allSatisfy { positions[$0] < positions[place] }
                if !isEarly { late[place].insert(number) }
            }
        }
        return late
    }

    /// The places of the classes, not embedded, that an object of a class leads to by way of embedded objects; of all if a mixed
    /// property is among theirs.
    private static func reach(of target: Int, _ source: [SourceClass], _ places: TextMap<Int>, _ families: [[Int]]) -> Set<Int> {
        var reach = Set<Int>(), seen = Set<Int>(), waiting = families[target]
        while let place = waiting.popLast() {
            if !seen.insert(place).inserted { continue }
            guard source[place].schema.isEmbedded else {
                reach.insert(place)
                continue
            }
            for property in source[place].schema.properties {
                if let next = property.linkTarget.flatMap({ places[$0] }) { waiting += families[next] }
                if property.type == .mixed { reach.formUnion(source.indices.filter { !source[$0].schema.isEmbedded }) }
            }
        }
        return reach
    }
}
