import FreeholdEngine

/// How names of classes and properties become names in PostgreSQL: the same, where it can have them.
///
/// A name is given once and kept, as what is taken already decides about clashes.
enum ClassTableNames {
    /// PostgreSQL cuts what is longer, without an error.
    static let maximumBytes = 63

    /// Columns that every table has.
    private static let system: Set<[UInt8]> = Set(["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"].map { Array($0.utf8) })

    /// A column or table for `name` that is none of `taken`: the name, or its beginning with a hash of the whole.
    static func name(for name: String, taken: [String]) -> String {
        let used = Set(taken.map { Array($0.utf8) }), bytes = Array(name.utf8)
        let isPossible = (1...maximumBytes).contains(bytes.count) && !bytes.contains(0)
        if isPossible, !system.contains(bytes), !used.contains(bytes) { return name }
        var salt: UInt8 = 0
        while true {
            let made = cut(name, hash: PostgresStore.hash(bytes + [salt]))
            if !used.contains(Array(made.utf8)) { return made }
            salt &+= 1 // Safe: another number is all that is needed; a class has no 256 names of one hash.
        }
    }

    private static func cut(_ name: String, hash: Int64) -> String {
        let digits = String(UInt64(bitPattern: hash), radix: 16)
        let end = "~" + String(repeating: "0", count: 16 - digits.count) + digits
        var start = ""
        for scalar in name.unicodeScalars where scalar.value != 0 {
            if start.utf8.count + String(scalar).utf8.count + end.utf8.count > maximumBytes { break }
            start.unicodeScalars.append(scalar)
        }
        return start + end
    }

    /// The name within a statement.
    static func quoted(_ name: String) -> String {
        var made = "\""
        for scalar in name.unicodeScalars {
            if scalar == "\"" { made.unicodeScalars.append(scalar) }
            made.unicodeScalars.append(scalar)
        }
        return made + "\""
    }
}
