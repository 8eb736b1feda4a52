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
    private let distance: Int
    /// The characters of the last term as far as they were read.
    private var path: [UInt32] = []
    /// The row before the first character, and one after each character of the path, one after the other; then room for the
    /// next one.
    private var rows: [UInt8]
    /// The characters of the term that is visited.
    private var term: [UInt32] = []

    /// - Parameters:
    ///   - word: a folded term.
    ///   - distance: the maximum number of edits, 1 or 2.
    init(_ word: [UInt8], distance: Int) {
        self.word = String(decoding: word, as: UTF8.self).unicodeScalars.map(\.value)
        self.distance = distance
        rows = [UInt8](repeating: 0, count: (self.word.count + 1) * (self.word.count + distance + 3))
        for column in 0...self.word.count { rows[column] = UInt8(min(column, distance + 1)) }
    }

    /// Reads a term, and finds where the next one begins that can match.
    mutating func visit(_ bytes: UnsafeRawBufferPointer) -> Visit {
        switch read(bytes) {
        case .alive(let last): last <= distance ? .match(distance: last) : seek(past: nil)
        case .dead(let scalar): seek(past: scalar)
        }
    }

    /// The distance of a term; nil if it is more than that of the word.
    mutating func distance(of bytes: UnsafeRawBufferPointer) -> Int? {
        // Each character has at most four bytes, and each edit changes the number of characters by at most one.
        guard bytes.count <= (word.count + distance) * 4, bytes.count + distance >= word.count else { return nil }
        if case .alive(let last) = read(bytes), last <= distance { return last }
        return nil
    }

    private enum Reading {
        /// All was read; the distance of the term, or one more than that of the word.
        case alive(Int)
        /// The character after which no term matches.
        case dead(UInt32)
    }

    private mutating func read(_ bytes: UnsafeRawBufferPointer) -> Reading {
        term.removeAll(keepingCapacity: true)
        // More characters than the longest term that matches are not needed to see that this one does not.
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars.prefix(word.count + distance + 1) { term.append(scalar.value) }
        var depth = 0
        while depth < min(path.count, term.count), path[depth] == term[depth] { depth += 1 }
        path.removeLast(path.count - depth)
        while path.count < term.count {
            guard addRow(after: term[path.count]) else { return .dead(term[path.count]) }
            path.append(term[path.count])
        }
        return .alive(Int(rows[path.count * width + word.count]))
    }

    // MARK: rows

    private var width: Int { word.count + 1 }

    /// Computes the row after the path and one more character, behind that of the path, and returns whether a term that
    /// begins so can match. Outside of the diagonal band of the distance, all is beyond it.
    private mutating func addRow(after scalar: UInt32) -> Bool {
        let word = word, path = path, distance = distance, depth = path.count + 1
        // Safe: `rows` has room for a row more than any term that is alive has characters, and columns are at most those of a row.
        return rows.withUnsafeMutableBufferPointer { rows in
            let beyond = UInt8(distance + 1), last = path.count * (word.count + 1), row = last + word.count + 1
            let first = max(1, depth - distance), end = min(word.count, depth + distance)
            rows[row] = depth <= distance ? UInt8(depth) : beyond
            if first > 1 { rows[row + first - 1] = beyond }
            var least = rows[row]
            for column in stride(from: first, through: end, by: 1) {
                var best = min(rows[last + column - 1] + (word[column - 1] == scalar ? 0 : 1), rows[row + column - 1] + 1)
                if column < depth + distance { best = min(best, rows[last + column] + 1) }
                if column > 1, depth > 1, word[column - 1] == path[depth - 2], word[column - 2] == scalar {
                    best = min(best, rows[2 * last - row + column - 2] + 1)
                }
                rows[row + column] = min(best, beyond)
                least = min(least, best)
            }
            // What is beyond the band is read only as the distance of a whole term.
            if end < word.count { rows[row + word.count] = beyond }
            return least <= distance
        }
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
            guard let last = path.popLast() else { return .end }
            least = last + 1
        }
    }

    /// The least character, not less than a bound, after which a term can match.
    private mutating func leastLetter(from bound: UInt32) -> UInt32? {
        let bound = bound >= 0xD800 && bound < 0xE000 ? 0xE000 : bound
        guard bound <= 0x10FFFF else { return nil }
        // A character that is none of the word's is never better than one that is: only the word's can follow a dead one.
        return addRow(after: bound) ? bound : leastOfWord(from: bound)
    }

    /// The least of the word's characters in the band, not less than a bound, after which a term can match.
    private mutating func leastOfWord(from bound: UInt32) -> UInt32? {
        let first = max(0, path.count - distance - 1)
        var least: UInt32?
        for column in stride(from: first, to: min(word.count, path.count + distance + 1), by: 1) {
            let letter = word[column]
            if letter >= bound, letter < least ?? .max, addRow(after: letter) { least = letter }
        }
        return least
    }

    /// Extends the path by characters that all terms that match have in common, in order to seek as far as possible.
    private mutating func complete() {
        while rows[path.count * width + word.count] > distance, !addRow(after: 0), let next = leastOfWord(from: 0) { append(next) }
    }

    private mutating func append(_ scalar: UInt32) {
        _ = addRow(after: scalar)
        path.append(scalar)
    }

    private static func bytes(_ scalars: [UInt32]) -> [UInt8] {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars.compactMap(Unicode.Scalar.init))
        return Array(String(text).utf8)
    }
}
