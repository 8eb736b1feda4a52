import Foundation
import Testing
@testable import FreeholdEngine

/// The drawings of docs/file-format.md behind the header pages are compared with the code: constants, and blocks that it makes.
@Suite("The blocks' document")
struct BlocksDocumentTests {
    /// The cells of the table rows below a heading, up to the next heading.
    private func rows(_ heading: String) throws -> [[String]] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: root.appendingPathComponent("docs/file-format.md"), encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0 == "## \(heading)" }, "\(heading)")
        return lines[(start + 1)...].prefix { !$0.hasPrefix("## ") }.filter { $0.hasPrefix("| ") }
            .map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
    }

    /// The numbers that stand in the first column.
    private func numbers(_ heading: String) throws -> [Int] { try rows(heading).compactMap { Int($0[0]) } }

    @Test("the common parts stand as drawn")
    func common() throws {
        #expect(try numbers("Block") == [
            BlockLayout.kind, BlockLayout.variant, BlockLayout.referenceCount, BlockLayout.count, BlockLayout.bodyLength,
            BlockLayout.table, BlockLayout.firstKey, BlockLayout.references,
        ])
        let offsets = [\BlockReference.location, \.birth, \.check, \.tag].map { MemoryLayout<BlockReference>.offset(of: $0) }
        #expect(try numbers("Reference").map { Optional($0) } == offsets)
        #expect(MemoryLayout<BlockReference>.size == BlockReference.byteCount)
        #expect(try rows("Reference").compactMap { Int($0[1]) }.reduce(0, +) == BlockReference.byteCount)
        #expect(BlockLayout.maximumGranules * BlockLayout.granule == 65_536)
    }

    @Test("every kind has the number and name of the document")
    func kinds() throws {
        let drawn = try rows("Kinds").filter { Int($0[0]) != nil }
        #expect(drawn.map { Int($0[0]) } == (1...drawn.count).map { Optional($0) })
        for row in drawn {
            let kind = try #require(BlockKind(rawValue: UInt8(row[0]) ?? 0))
            #expect("\(kind)" == row[1])
        }
        #expect(BlockKind(rawValue: UInt8(drawn.count + 1)) == nil)
    }

    @Test("the root of a derived index lies as drawn, and comes back from its block")
    func derivedRoot() throws {
        #expect(try numbers("Derived root") == [
            0, DerivedRoot.stateOffset, DerivedRoot.algorithmOffset, DerivedRoot.tablesOffset, DerivedRoot.toolOffset,
            DerivedRoot.positionOffset, DerivedRoot.headBytes,
        ])
        let scratch = Scratch(), (child, _) = scratch.pending.make(.largeValue, body: 3)
        var root = DerivedRoot(kind: 9, versions: DerivedVersions(algorithm: 513, tables: 15 << 16, tool: .max - 1))
        (root.state, root.position, root.contents) = (.building, -7, DerivedContents(references: [child, .null], bytes: [1, 2, 3]))
        let reference = root.write(table: 5, in: scratch.pending), view = try scratch.pending.access.view(reference)
        #expect(view.kind == .derivedRoot && view.kindByte == 2 && view.variant == 9 && view.table == 5 && view.bodyLength == 27)
        #expect(BlockStructure.complaint(about: view) == nil)
        let back = try DerivedRoot(reference, in: scratch.pending.access)
        #expect(back.kind == 9 && back.versions == root.versions && back.state == .building && back.position == -7 && back.limit == -7)
        #expect(back.contents.references == [child, .null] && back.contents.bytes == [1, 2, 3])
        let (short, _) = scratch.pending.make(.derivedRoot, body: 23), (odd, block) = scratch.pending.make(.derivedRoot, body: 24)
        #expect(try BlockStructure.complaint(about: scratch.pending.access.view(short)) != nil)
        block.body.storeBytes(of: 2, toByteOffset: DerivedRoot.stateOffset, as: UInt8.self)
        #expect { try DerivedRoot(odd, in: scratch.pending.access) } throws: { ($0 as? FreeholdError)?.code == .corrupt }
        #expect { try DerivedRoot(child, in: scratch.pending.access) } throws: { ($0 as? FreeholdError)?.code == .corrupt }
    }

    @Test("every type has the number and slot of the document")
    func types() throws {
        let drawn = try rows("Row").filter { $0.count == 4 && Int($0[1]) != nil }
        #expect(drawn.count == PropertyType.allCases.count)
        for (row, type) in zip(drawn, PropertyType.allCases) {
            #expect(row[0] == type.name && row[1] == String(type.rawValue) && row[2] == String(RowLayout.slotBytes(type)))
        }
        #expect(try rows("Row").filter { $0.count == 3 }.compactMap { Int($0[0]) }
            == [RowLayout.key, RowLayout.length, RowLayout.columns, RowLayout.flags, RowLayout.nulls])
    }

    @Test("references and limits are those of the document")
    func limits() throws {
        #expect(try numbers("Top") == [TopBlock.schema, TopBlock.space, TopBlock.firstTable])
        #expect(TopBlock.space == CommitWriter.spaceRootSlot && TopBlock.maximumTables == 2000)
        #expect(TableRoot.maximumTails == 4 && ClusterView.maximumRows == 256 && ClusterInner.fanOut == 64)
        #expect(LargeValue.chunkBytes == 61_440 && LargeValue.fanOut == 1024)
        #expect(ColumnDictionary.maximumStrings == 4096 && ColumnDictionary.leafStrings == 256)
        #expect(StoredClass.maximumProperties == 900)
        #expect(try numbers("Space root")
            == [SpaceLog.foldVersionOffset, SpaceLog.baseOffset, SpaceLog.lastVersionOffset, SpaceLog.recordsOffset])
        #expect(try numbers("Space leaf") == [0, 8, SpaceLeaf.birthWidth, SpaceLeaf.deathWidth, SpaceLeaf.marksOffset])
        #expect(PageTable.chunkPages == 1024 && SpaceFold.fanOut == 64 && PageMark.reusable == 128 && PageMark.full == 64)
    }

    @Test("a table root, its tail and its tree lie as drawn")
    func tableRoot() throws {
        let scratch = Scratch()
        let writer = try scratch.writer(storedClass([PropertySchema("a", .int), PropertySchema("n", .int, isIndexed: true)]))
        for row in 0..<300 { try writer.fill(writer.insert(key: Int64(row) * 2), 1, with: .int(5)) }
        try writer.seal()
        _ = try writer.insert(key: 1000)
        let view = try scratch.pending.access.view(writer.finished())
        #expect(try numbers("Table root") == [0, 1, 5] + [0, 8, 16])
        #expect(view.count == 1 && view.referenceCount == 6)
        #expect(view.body.load(as: Int64.self) == 1001)
        #expect(view.body.load(fromByteOffset: 8, as: UInt64.self) == 300)
        #expect(view.body.load(fromByteOffset: 16, as: UInt16.self) == 1)
        #expect(view.body.load(fromByteOffset: 18, as: UInt16.self) == TableRoot.Auxiliary.Kind.index.rawValue)
        #expect(try scratch.pending.access.view(view.reference(0)).kind == .clusterInner)
        let tail = try scratch.pending.access.view(view.reference(1))
        #expect(tail.kind == .tail && tail.firstKey == 1000 && tail.body.load(as: Int64.self) == 1000)
        #expect(tail.body.load(fromByteOffset: 8, as: UInt32.self) == 12)
        #expect(view.reference(2).isNull)
        #expect(try scratch.pending.access.view(view.reference(5)).kind == .indexLeaf)
    }

    @Test("a schema's bytes are those of the document")
    func schema() throws {
        let schema = try StoredSchema.empty.adding(ClassSchema("C", primaryKey: "i", [
            PropertySchema("i", .int), PropertySchema("l", linkTo: "C"),
        ]))
        let first: [UInt8] = [0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 67, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0]
        let keys: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0]
        let key: [UInt8] = [0, 0, 0, 0, 1, 0, 0, 0, 105, 2, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        let link: [UInt8] = [1, 0, 0, 0, 1, 0, 0, 0, 108, 10, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        let indexes: [UInt8] = [0, 0, 0, 0]
        #expect(SchemaCodec.encode(schema) == first + keys + key + link + indexes)
        // A class that extends it: no properties of its own there, but a hidden one here.
        let heir = try schema.adding(ClassSchema("D", superclass: "C", [PropertySchema("s", .bool)]))
        let table = first.replacing(4, by: 2).replacing(18, by: 4), three = keys.replacing(8, by: 4)
        let hidden: [UInt8] = [2, 0, 0, 0, 0, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        let own: [UInt8] = [3, 0, 0, 0, 1, 0, 0, 0, 115, 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0]
        let second: [UInt8] = [1, 0, 0, 0, 68, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        #expect(SchemaCodec.encode(heir) == table + three + key + link + hidden + own + indexes + second)
        #expect(try SchemaCodec.decode(SchemaCodec.encode(heir)).classes == heir.classes)
    }
}

extension [UInt8] {
    fileprivate func replacing(_ place: Int, by byte: UInt8) -> [UInt8] {
        var bytes = self
        bytes[place] = byte
        return bytes
    }
}
