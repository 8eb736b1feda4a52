@testable import FreeholdEngine

/// Searches evaluated as they are defined, on the words and characters of a text: every place, every combination.
struct NaiveSearch {
    /// A word, or a character of a script without spaces.
    struct Unit {
        let text: String
        let isCharacter: Bool
        /// Whether the character after it follows without a gap.
        let isJoined: Bool
        let range: Range<Int>
    }

    typealias Place = (text: Int, positions: Range<Int>, range: Range<Int>)

    let texts: [[Unit]]

    init(_ texts: [String]) { self.texts = texts.map(Self.units) }

    static func units(_ text: String) -> [Unit] {
        let bytes = Array(text.utf8)
        return bytes.withUnsafeBytes { bytes in
            var units: [Unit] = []
            TextAnalyzer().forEachTerm(in: bytes) { term in
                let range = term.range.lowerBound..<term.characterEnd
                let text = term.kind == .word ? String(decoding: term.bytes, as: UTF8.self) : String(decoding: bytes[range], as: UTF8.self)
                units.append(Unit(text: text, isCharacter: term.kind != .word, isJoined: term.kind == .pair, range: range))
            }
            return units
        }
    }

    /// What matched; nil if the texts do not match.
    func places(_ node: TextQuery.Node) -> [Place]? {
        switch node {
        case .words(let words):
            let found = places(words)
            return found.isEmpty ? nil : found
        case .near(let words, let distance):
            let lists = words.map(places)
            let found = Self.combinations(lists).filter { Self.isNear($0, distance) }.flatMap { $0 }
            return found.isEmpty ? nil : found
        case .all(let nodes, let excluded):
            let found = nodes.map(places)
            return found.contains { $0 == nil } || excluded.contains { places($0) != nil } ? nil : found.flatMap { $0 ?? [] }
        case .any(let nodes):
            let found = nodes.compactMap(places)
            return found.isEmpty ? nil : found.flatMap { $0 }
        }
    }

    private func places(_ words: TextQuery.Words) -> [Place] {
        let wanted = Self.units(words.text)
        return texts.enumerated().flatMap { text, units in
            units.indices.compactMap { start -> Place? in
                guard start + wanted.count <= units.count, !wanted.isEmpty else { return nil }
                for (offset, unit) in wanted.enumerated() {
                    guard Self.matches(units[start + offset], unit, offset == wanted.count - 1 ? words.match : .exact) else { return nil }
                }
                let end = start + wanted.count
                return (text, start..<end, units[start].range.lowerBound..<units[end - 1].range.upperBound)
            }
        }
    }

    private static func matches(_ unit: Unit, _ wanted: Unit, _ match: TextQuery.Match) -> Bool {
        guard unit.isCharacter == wanted.isCharacter, unit.isJoined || !wanted.isJoined else { return false }
        if unit.isCharacter { return unit.text == wanted.text }
        switch match {
        case .exact: return unit.text == wanted.text
        case .prefix: return unit.text.utf8.starts(with: wanted.text.utf8)
        case .fuzzy(let distance): return NaiveDistance.between(unit.text, wanted.text) <= distance
        }
    }

    private static func combinations(_ lists: [[Place]]) -> [[Place]] {
        lists.reduce([[]]) { combinations, list in combinations.flatMap { combination in list.map { combination + [$0] } } }
    }

    private static func isNear(_ places: [Place], _ distance: Int) -> Bool {
        guard let first = places.min(by: { $0.positions.lowerBound < $1.positions.lowerBound }) else { return false }
        // Of several that begin first, the one that ends last is the first.
        let end = places.filter { $0.positions.lowerBound == first.positions.lowerBound }.map(\.positions.upperBound).max() ?? 0
        return places.allSatisfy { $0.text == first.text && $0.positions.lowerBound <= end + distance }
    }
}

/// The distance of two words by the whole table: insertions, deletions, replacements and exchanges of neighbours.
enum NaiveDistance {
    static func between(_ left: String, _ right: String) -> Int {
        let left = Array(left.unicodeScalars), right = Array(right.unicodeScalars)
        var table = (0...left.count).map { row in (0...right.count).map { row == 0 ? $0 : $0 == 0 ? row : 0 } }
        for row in stride(from: 1, through: left.count, by: 1) {
            for column in stride(from: 1, through: right.count, by: 1) {
                let isSame = left[row - 1] == right[column - 1]
                var best = min(table[row - 1][column] + 1, table[row][column - 1] + 1, table[row - 1][column - 1] + (isSame ? 0 : 1))
                if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
                    best = min(best, table[row - 2][column - 2] + 1)
                }
                table[row][column] = best
            }
        }
        return table[left.count][right.count]
    }
}
