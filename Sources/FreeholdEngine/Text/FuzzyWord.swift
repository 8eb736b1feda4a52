/// The terms within an edit distance of a word, as an automaton that can follow an ordered cursor of terms.
///
/// An edit inserts, deletes or replaces a character (a Unicode scalar of the folded term), or exchanges two neighbours:
/// exchanged letters are the most frequent errors of typing after replaced ones, and count as one, not two. No part of the
/// word is edited twice (optimal string alignment), so `ca` and `abc` are three apart.
///
/// ```swift
/// var word = FuzzyWord(Array("colour".utf8), distance: 1)
/// cursor.seek(to: [])
/// while let term = cursor.term {
///     switch word.visit(term) {
///     case .match(let distance): found(term, distance); cursor.advance()
///     case .seek(let next): cursor.seek(to: next)      // past all terms that cannot match
///     case .end: return
///     }
/// }
/// ```
///
/// A state of the automaton is a row of the table of distances: for each number of the word's characters, how far these are
/// from the characters read so far, or `distance + 1` for any more. Rows of the last term are kept, so that terms with a
/// common beginning cost only their own ends.
struct FuzzyWord: Sendable {
    /// What a term is, and where the next one that can match begins.
    enum Visit: Equatable {
        case match(distance: Int)
        /// No term before these bytes matches, from the visited one on. They are greater than the visited term.
        case seek([UInt8])
        /// No term from the visited one on matches.
        case end
    }

    private let word: [UInt32]
    /// The word's distinct characters, ascending.
    private let letters: [UInt32]
    private let distance: Int
    /// The characters of the last term as far as they were read.
    private var path: [UInt32] = []
    /// The row before the first character, and one after each character of the path.
    private var rows: [[UInt8]]

    /// - Parameters:
    ///   - word: a folded term.
    ///   - distance: the maximum number of edits, 1 or 2.
    init(_ word: [UInt8], distance: Int) {
        self.word = String(decoding: word, as: UTF8.self).unicodeScalars.map(\.value)
        letters = Set(self.word).sorted()
        self.distance = distance
        rows = [(0...self.word.count).map { UInt8(min($0, distance + 1)) }]
    }

    /// Reads a term.
    mutating func visit(_ term: UnsafeRawBufferPointer) -> Visit {
        let scalars = String(decoding: term, as: UTF8.self).unicodeScalars.map(\.value)
        var depth = 0
        while depth < min(path.count, scalars.count), path[depth] == scalars[depth] { depth += 1 }
        truncate(to: depth)
        while path.count < scalars.count {
            let next = row(after: scalars[path.count])
            guard isAlive(next) else { return seek(past: scalars[path.count]) }
            path.append(scalars[path.count])
            rows.append(next)
        }
        let last = Int(rows[path.count][word.count])
        // The next term in order has this one as its beginning, if any such matches: its first character is at least 0.
        return last <= distance ? .match(distance: last) : seek(past: nil)
    }

    private mutating func truncate(to depth: Int) {
        path.removeLast(path.count - depth)
        rows.removeLast(rows.count - depth - 1)
    }

    // MARK: rows

    private func isAlive(_ row: [UInt8]) -> Bool { row.contains { $0 <= distance } }

    /// The row after the path and one more character. Outside of the diagonal band of the distance, all is beyond it.
    private func row(after scalar: UInt32) -> [UInt8] {
        let beyond = UInt8(distance + 1), last = rows[path.count], depth = path.count + 1
        var row = [UInt8](repeating: beyond, count: word.count + 1)
        if depth <= distance { row[0] = UInt8(depth) }
        let first = max(1, depth - distance)
        guard first <= word.count else { return row }
        for column in first...min(word.count, depth + distance) {
            var best = min(last[column - 1] + (word[column - 1] == scalar ? 0 : 1), last[column] + 1, row[column - 1] + 1)
            if column > 1, depth > 1, word[column - 1] == path[depth - 2], word[column - 2] == scalar {
                best = min(best, rows[depth - 2][column - 2] + 1)
            }
            row[column] = min(best, beyond)
        }
        return row
    }

    // MARK: the next term

    /// The least text that can match and comes after all that begin with the path and a character, or, without one, after
    /// the path itself. The path loses what no such text begins with.
    private mutating func seek(past scalar: UInt32?) -> Visit {
        var least: UInt32? = scalar.map { $0 + 1 } ?? 0
        while true {
            if let bound = least, let next = leastLetter(from: bound) {
                append(next)
                complete()
                return .seek(Self.bytes(path))
            }
            guard let last = path.last else { return .end }
            truncate(to: path.count - 1)
            least = last + 1
        }
    }

    /// The least character, not less than a bound, after which the automaton is alive.
    private func leastLetter(from bound: UInt32) -> UInt32? {
        let bound = bound >= 0xD800 && bound < 0xE000 ? 0xE000 : bound
        guard bound <= 0x10FFFF else { return nil }
        // A character that is none of the word's is never better than one that is: only the word's can follow a dead one.
        return isAlive(row(after: bound)) ? bound : letters.first { $0 > bound && isAlive(row(after: $0)) }
    }

    /// Extends the path by characters that all texts that match have in common, in order to seek as far as possible.
    private mutating func complete() {
        while rows[path.count][word.count] > distance, !isAlive(row(after: 0)) {
            guard let next = letters.first(where: { isAlive(row(after: $0)) }) else { return }
            append(next)
        }
    }

    private mutating func append(_ scalar: UInt32) {
        let next = row(after: scalar)
        path.append(scalar)
        rows.append(next)
    }

    private static func bytes(_ scalars: [UInt32]) -> [UInt8] {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars.compactMap(Unicode.Scalar.init))
        return Array(String(text).utf8)
    }
}
