import DatabaseKit
@testable import FreeholdEngine

/// Indexes of vectors of the golden files.
extension GoldenContent {
    /// Vectors of a few dozen directions, none and others; nearly all of the length that is indexed.
    private static func vector(_ number: Int, _ dimensions: Int, _ elements: VectorElements) -> Value {
        if number % 11 == 5 { return .null }
        if number % 13 == 7 { return .data([1, 2, 3]) }
        let numbers = (0..<dimensions).map { place in
            let direction: Int = (number % 37 + 3) * (place * 61 + 29) % 127 - 63, own: Int = number * (place + 5) % 41 - 20
            return Float(direction + own)
        }
        return .data(elements.bytes(of: numbers))
    }

    private static let long = 33_000

    private static func items(_ scribe: Scribe, count: Int) throws {
        try scribe.make(ClassSchema("Item", [
            PropertySchema("small", .data, isNullable: true), PropertySchema("half", .data, isNullable: true),
            PropertySchema("place", .data, isNullable: true), PropertySchema("long", .data, isNullable: true),
        ]))
        for number in 0..<count {
            try scribe.insert("Item", [
                ("small", vector(number, 12, .int8)), ("half", vector(number * 3, 9, .float16)), ("place", vector(number * 5, 3, .float32)),
                ("long", number == 2 ? vector(number, long, .int8) : .null),
            ])
        }
    }

    /// Objects with indexes of vectors, changed since.
    static func vectors(_ scribe: Scribe) throws {
        try scribe.write {
            try items(scribe, count: 2_300)
            try scribe.addVectors(VectorIndex("small", dimensions: 12, elements: .int8), to: "Item")
            try scribe.addVectors(VectorIndex("half", dimensions: 9, elements: .float16, metric: .dot), to: "Item")
            try scribe.addVectors(VectorIndex("place", dimensions: 3, metric: .euclidean), to: "Item")
            try scribe.addVectors(VectorIndex("long", dimensions: long, elements: .int8), to: "Item")
        }
        try turn(scribe, 2_300)
    }

    /// The same, of which indexes are being built: the first hundred objects are in them.
    static func vectorsBegun(_ scribe: Scribe) throws {
        try scribe.write { try items(scribe, count: 400) }
        try DerivedBudget.$standard.withValue(DerivedBudget(objects: 100, bytes: 1 << 20)) {
            try scribe.write {
                try scribe.addVectors(VectorIndex("small", dimensions: 12, elements: .int8), to: "Item")
                try scribe.addVectors(VectorIndex("place", dimensions: 3, metric: .euclidean), to: "Item")
            }
        }
        try turn(scribe, 400)
    }

    /// Changes vectors, and deletes objects, among them all of a group.
    private static func turn(_ scribe: Scribe, _ count: Int) throws {
        for round in 1...3 {
            try scribe.write {
                for number in 0..<20 {
                    let key = ObjectKey(Int64(number * 31 % 60 * (count / 60))), seed = number + round * 1000
                    try scribe.set("Item", key, "small", vector(seed, 12, .int8))
                    try scribe.set("Item", key, "place", vector(seed * 7, 3, .float32))
                }
            }
        }
        try scribe.write { try scribe.delete("Item", (64..<128).map { ObjectKey(Int64($0)) }) }
    }
}
