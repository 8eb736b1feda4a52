/// Suggests a name for a mistyped one.
public enum Suggestion {
    /// The known name nearest to a mistyped one; nil if none is near.
    public static func nearest(to name: String, among known: [String]) -> String? {
        let wanted = Array(name.lowercased())
        let limit = max(1, wanted.count / 3)
        var best: (name: String, distance: Int)?
        for candidate in known {
            let distance = distance(wanted, Array(candidate.lowercased()))
            if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.name ?? known.first { $0.lowercased().hasPrefix(name.lowercased()) && wanted.count >= 2 }
    }

    /// "there is no property 'nmae' in class 'Person'; did you mean 'name'?"
    public static func unknown(_ kind: String, _ name: String, among known: [String], in place: String) -> String {
        let start = "there is no \(kind) '\(name)' in \(place)"
        if let nearest = nearest(to: name, among: known) { return "\(start); did you mean '\(nearest)'?" }
        if known.isEmpty { return "\(start); it has none" }
        return "\(start); it has \(known.prefix(12).joined(separator: ", "))\(known.count > 12 ? ", …" : "")"
    }

    /// The edit distance: insertions, deletions, replacements and swaps of neighbours.
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var before: [Int] = []
        var last = Array(0...right.count)
        for (row, letter) in left.enumerated() {
            var next = [row + 1]
            for (column, other) in right.enumerated() {
                var cost = min(last[column + 1] + 1, next[column] + 1, last[column] + (letter == other ? 0 : 1))
                if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
                    cost = min(cost, before[column - 1] + 1)
                }
                next.append(cost)
            }
            (before, last) = (last, next)
        }
        return last[right.count]
    }
}
