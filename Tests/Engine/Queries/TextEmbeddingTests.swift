import DatabaseKit
@testable import FreeholdEngine
import Platform
import TestKit
import Testing

/// The nearest of embeddings of real texts: one-line descriptions of Debian packages (`Files/make-embeddings.py`).
@Suite("Embeddings of texts") struct TextEmbeddingTests {
    private static let dimensions = 128
    /// How many of the embeddings are looked for, the last ones; the others are stored.
    private static let wantedCount = 40

    private static func embeddings() throws -> [ArraySlice<UInt8>] {
        let folder = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        let file = try LinuxSystem.shared.openFile("\(folder)/Files/descriptions.int8", .readOnly)
        defer { file.close() }
        var bytes = [UInt8](repeating: 0, count: try file.length())
        // Safe: the bytes are written within the call, which has room for them.
        let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
        try #require(count == 4_040 * dimensions)
        return stride(from: 0, to: bytes.count, by: dimensions).map { bytes[$0..<$0 + dimensions] }
    }

    @Test("an index finds 98 of 100 of the nearest, and measures fewer than all",
          arguments: [VectorMetric.cosine, .dot, .euclidean])
    func recall(metric: VectorMetric) throws {
        let machine = SimulatedSystem(seed: 1), embeddings = try Self.embeddings()
        defer { machine.discard() }
        let database = try Database.open("/descriptions.freehold", OpenOptions.simulated, on: machine.makeProcess())
        defer { database.close() }
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Package", [PropertySchema("embedding", .data), PropertySchema("number", .int)]))
            for (number, embedding) in embeddings.dropLast(Self.wantedCount).enumerated() {
                let values = [("embedding", Value.data(Array(embedding))), ("number", .int(Int64(number % 100)))]
                try transaction.insert(into: "Package", values)
            }
            try transaction.vectors.add("embedding", dimensions: Self.dimensions, elements: .int8, metric: metric, to: "Package")
        }
        let table = try database.snapshot().table("Package"), tally = QueryTally()
        let some = try table.keys(matching: ObjectQuery("number < 80"))
        var found = 0, wanted = 0
        for embedding in embeddings.suffix(Self.wantedCount) {
            let numbers = embedding.map { Float(Int8(bitPattern: $0)) }
            let query = QueryNearest(PropertyPath("embedding"), to: numbers, count: 10, metric: metric, elements: .int8)
            let scores = VectorScores(try QueryBinder(table).nearest(query), table)
            for keys in [nil, some] {
                let all = try scores.scores(of: keys ?? table.keys()).sorted(by: >)
                let answer = try scores.scores(of: scores.best(of: keys, requiringLength: true, tally))
                // Of equal scores any may be found.
                found += answer.count { $0 >= all[9] }
                wanted += 10
            }
        }
        #expect(found * 100 >= wanted * 98, "\(found) of \(wanted)")
        // Of few texts even the nearest are far, so that many bits may differ: of 60,000 texts it is one of a hundred.
        let all = Self.wantedCount * (4_000 + some.count)
        if metric == .cosine { #expect(tally.vectors * 4 < all * 3, "\(tally.vectors) of \(all) measured") }
    }
}
