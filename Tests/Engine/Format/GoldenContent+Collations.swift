import DatabaseKit
@testable import FreeholdEngine

/// Indexes in a collation of the golden files, by an ICU that exists only in tests.
extension GoldenContent {
    private static func name(_ number: Int) -> Value {
        if number % 11 == 0 { return .null }
        let letters = ["a", "Ä", "b", "o", "ö", "Zoo", "é", "中", "ß"], first = letters[number * 7 % 9], second = letters[number * 13 % 9]
        // Sort keys of some are cut, and alike at their beginnings.
        return .string((number % 6 == 1 ? String(repeating: "lang ", count: 60) : "") + first + second + "\(number * 31 % 40)")
    }

    /// Words with indexes in two collations, and one of their subclass; changed since.
    static func collations(_ scribe: Scribe) throws {
        try words(scribe) {
            try scribe.addCollation(CollationIndex("name", collation: "de"), to: "Word")
            try scribe.addCollation(CollationIndex("name", collation: "en-u-kn-ks-level1"), to: "Word")
            try scribe.addCollation(CollationIndex("own", collation: "sv"), to: "Term")
        }
        try change(scribe)
    }

    /// The same, of which an index is being built: its first hundred objects are in it.
    static func collationsBegun(_ scribe: Scribe) throws {
        try words(scribe) {}
        try DerivedBudget.$standard.withValue(DerivedBudget(objects: 100, bytes: 1 << 20)) {
            try scribe.write { try scribe.addCollation(CollationIndex("name", collation: "de"), to: "Word") }
        }
        try change(scribe)
    }

    private static func words(_ scribe: Scribe, _ declare: () throws -> Void) throws {
        try scribe.write {
            try scribe.make(ClassSchema("Word", [PropertySchema("name", .string, isNullable: true), PropertySchema("number", .int)]))
            try scribe.make(ClassSchema("Term", superclass: "Word", [PropertySchema("own", .string)]))
            for number in 0..<400 {
                let values = [("name", name(number)), ("number", .int(Int64(number % 7)))]
                if number % 5 == 0 {
                    try scribe.insert("Term", values + [("own", .string(["b", "Ä", "c"][number / 5 % 3]))])
                } else { try scribe.insert("Word", values) }
            }
            try declare()
        }
    }

    private static func change(_ scribe: Scribe) throws {
        for round in 1...3 {
            try scribe.write {
                for number in 0..<30 {
                    let key = number * 13 % 400 / 5 * 5 + 1
                    try scribe.set("Word", ObjectKey(Int64(key)), "name", name(number + round * 1000))
                }
                try scribe.set("Term", ObjectKey(Int64(round * 5)), "own", .string("x\(round)"))
                try scribe.delete("Word", [ObjectKey(Int64(round * 40 + 2)), ObjectKey(Int64(round * 91 + 1))])
            }
        }
    }
}
