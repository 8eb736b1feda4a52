import Testing
@testable import FreeholdEngine

/// The drawings of the floor's README, byte by byte.
@Suite struct IndexBytesTests {
    @Test func aLeafIsLaidOutAsDrawn() throws {
        let model = IndexModel()
        model.insert(Posting(key: Array("ab".utf8), object: 1))
        model.insert(Posting(key: Array("ab".utf8), object: 3))
        model.insert(Posting(key: Array("ac".utf8), object: -2))
        try model.apply()
        let view = try model.index.access.view(model.root)
        #expect(view.kind == .indexLeaf && view.variant == 0 && view.count == 2 && view.firstKey == 3 && view.table == 7)
        #expect(Array(UnsafeRawBufferPointer(start: view.body, count: view.bodyLength)) == [
            1, 0, 0, 0,  // prefix length
            0, 0, 0, 0x62, 0, 0, 0, 0x63,  // heads: "b", "c"
            21, 0, 25, 0, 27, 0,  // offsets
            1, 0,  // postings - 1
            0x61,  // prefix "a"
            1, 2, 2, 2,  // one byte of key; first 1, last - first 2, one difference of 2
            1, 3,  // one byte of key; first -2
        ])
    }

    @Test func anInnerNodeIsLaidOutAsDrawn() throws {
        let model = IndexModel()
        for object in 0..<4_000 as Range<Int64> { model.insert(Posting(key: Array("first".utf8), object: object * 129)) }
        for object in 0..<1_000 as Range<Int64> { model.insert(Posting(key: Array("firstborn".utf8), object: object * 129)) }
        try model.apply()
        let view = try model.index.access.view(model.root)
        let children = view.count
        let body = view.body
        #expect(view.kind == .indexInner && view.variant == 1 && view.referenceCount == children && view.firstKey == 5_000)
        #expect(body.load(fromByteOffset: 8 * (children - 1), as: UInt64.self) == 5_000)
        let leaves = try (0..<children).map { try IndexLeaf(model.index.access.view(view.reference($0))) }
        var sum = 0
        for (child, leaf) in leaves.enumerated() {
            // Where the second key begins, the key alone separates.
            let separator = sum == 4_000 ? Int64.min : leaf.first(0)
            if child > 0 { #expect(body.load(fromByteOffset: 8 * (children + child - 1), as: Int64.self) == separator) }
            sum += leaf.postings
            #expect(body.load(fromByteOffset: 8 * child, as: UInt64.self) == UInt64(sum))
        }
        #expect(body.load(fromByteOffset: 16 * children - 8, as: UInt16.self) == 5)
        let prefix = UnsafeRawBufferPointer(start: body + (22 * children - 8), count: 5)
        #expect(String(decoding: prefix, as: UTF8.self) == "first")
        let offset = body.load(fromByteOffset: 20 * children - 8, as: UInt16.self)
        #expect(Int(offset) == 22 * children - 3)
        #expect(body.load(fromByteOffset: 16 * children - 4, as: UInt32.self) == 0, "the first separator is the prefix itself")
    }
}
