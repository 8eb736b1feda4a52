/// `; did you mean 'x'?` for the nearest name within two edits, or nothing.
///
/// - Parameter spelled: the name as it is to be written, with quotes.
package func suggestion(for name: String, among names: [String], spelled: (String) -> String = { "'\($0)'" }) -> String {
    let best = names.map { ($0, editDistance($0, name)) }.min { $0.1 < $1.1 }
    guard let best, best.1 <= 2, best.1 < name.count else { return "" }
    return "; did you mean \(spelled(best.0))?"
}

/// A name as messages show it, with escapes for control characters.
func shown(_ name: String) -> String {
    guard name.unicodeScalars.contains(where: { $0.value < 32 || $0.value == 127 }) else { return name }
    return name.unicodeScalars.map { $0.value < 32 || $0.value == 127 ? "\\u{\(String($0.value, radix: 16))}" : String($0) }.joined()
}

private func editDistance(_ left: String, _ right: String) -> Int {
    let left = Array(left.prefix(64)), right = Array(right.prefix(64))
    var row = Array(0...right.count)
    for (i, character) in left.enumerated() {
        var diagonal = row[0]
        row[0] = i + 1
        for (j, other) in right.enumerated() {
            let cost = character == other ? diagonal : min(diagonal, row[j], row[j + 1]) + 1
            diagonal = row[j + 1]
            row[j + 1] = cost
        }
    }
    return row[right.count]
}
