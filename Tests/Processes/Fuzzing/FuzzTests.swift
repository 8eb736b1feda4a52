import TestKit
import Testing

/// Files damaged in every way a number can tell: opened, read, checked, written and copied by a helper process, so that a
/// trap is told with its number and ends nothing else.
///
/// To see one case again: `FuzzHelper KIND NUMBER 1`.
@Suite struct FuzzTests {
    @Test("damage to a file gives errors or right answers", arguments: shards(600))
    func damage(numbers: Range<UInt64>) throws { try expectNoHarm("damage", numbers) }

    @Test("forged blocks with right checksums give errors or answers", arguments: shards(400))
    func forgery(numbers: Range<UInt64>) throws { try expectNoHarm("forgery", numbers) }

    @Test("forged blocks that share their children are told, and walked no further", arguments: shards(80))
    func sharing(numbers: Range<UInt64>) throws { try expectNoHarm("sharing", numbers) }

    @Test("forged blocks of derived indexes give errors or answers", arguments: shards(160))
    func index(numbers: Range<UInt64>) throws { try expectNoHarm("index", numbers) }

    @Test("a damaged lock file brings nobody down", arguments: shards(100))
    func lock(numbers: Range<UInt64>) throws { try expectNoHarm("lock", numbers) }

    /// Four ranges of cases each.
    private static func shards(_ daily: Int) -> [Range<UInt64>] {
        let count = UInt64(max(1, TestScale.count(daily) / 4))
        return (0..<4).map { $0 * count..<($0 + 1) * count }
    }

    private func expectNoHarm(_ kind: String, _ numbers: Range<UInt64>) throws {
        var batch = FuzzBatch(kind: kind, numbers: numbers)
        try batch.run()
        #expect(batch.failures.isEmpty, "\(kind): \(batch.failures.prefix(10).joined(separator: "\n"))")
        // Cases that only fail or only succeed would have tried nothing.
        #expect(batch.errors > 0 && batch.answers > batch.errors / 100, "\(batch.errors) errors, \(batch.answers) answers")
    }
}
