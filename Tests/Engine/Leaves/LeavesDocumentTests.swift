import Foundation
import Testing
@testable import FreeholdEngine

/// The drawings of docs/file-format-leaves.md are compared with the constants the code uses.
@Suite("The leaves' document")
struct LeavesDocumentTests {
    /// The numbers in the first column of the table rows below a heading, up to the next heading.
    private func firstColumn(under heading: String) throws -> [Int] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: root.appendingPathComponent("docs/file-format-leaves.md"), encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0 == "## \(heading)" })
        let section = lines[(start + 1)...].prefix { !$0.hasPrefix("## ") }
        return section.compactMap { line in
            let cells = line.split(separator: "|")
            return cells.first.flatMap { Int($0.trimmingCharacters(in: .whitespaces)) }
        }
    }

    @Test("offsets and flags stand as drawn")
    func offsets() throws {
        let flags: [LeafHead.Flags] = [.hasNulls, .looseBounds, .hasNotANumber, .isText, .hasExternal]
        #expect(try firstColumn(under: "Head") == [0, 4, 5, 6] + flags.map { Int($0.rawValue) })
        #expect(try firstColumn(under: "Packed integers")
            == [0, PackedIntegers.minimumOffset, PackedIntegers.maximumOffset, PackedIntegers.headerLength])
        #expect(try firstColumn(under: "Reals")
            == [0, RealLeaf.minimumOffset, RealLeaf.maximumOffset, RealLeaf.headerLength])
        #expect(try firstColumn(under: "Fixed sizes") == [0, FixedLeaf.headerLength])
        #expect(try firstColumn(under: "Text") == [0, TextLeaf.blobLengthOffset, 12, TextLeaf.headerLength])
    }

    @Test("the parts of a head lie where the document puts them")
    func head() {
        let head = LeafHead(count: 0x1234, shape: 0x56, flags: .isText, nullCount: 0x789)
        let memory = ExactMemory(LeafHead.byteCount)
        head.store(memory.start)
        #expect(memory.array == [0x34, 0x12, 0, 0, 0x56, 8, 0x89, 0x07])
    }
}
