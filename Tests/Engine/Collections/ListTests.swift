import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Lists: every operation by name, and long random histories against arrays.
@Suite struct ListTests {
    @Test("a list takes elements anywhere, moves, swaps, replaces and loses them")
    func operations() throws {
        try Shelf.withList(.int) { list in
            try list.append(contentsOf: (0..<5).map { .int($0) })
            try list.insert(.int(9), at: 2)
            #expect(try list.integers == [0, 1, 9, 2, 3, 4])
            try list.move(from: 2, to: 5)
            #expect(try list.integers == [0, 1, 2, 3, 4, 9])
            try list.move(from: 5, to: 0)
            try list.swap(0, 1)
            #expect(try list.integers == [0, 9, 1, 2, 3, 4])
            try list.replace(at: 1, with: .int(-1))
            try list.remove(at: 0)
            try list.remove(1..<3)
            #expect(try list.integers == [-1, 3, 4])
            try list.insert(contentsOf: [.int(7), .int(8)], at: 3)
            #expect(try list.integers == [-1, 3, 4, 7, 8])
            try list.assign([.int(1)])
            #expect(try list.integers == [1])
            try list.removeAll()
            #expect(try list.view().isEmpty)
        }
    }

    @Test("positions that a list does not have, and values that do not fit it, are refused and change nothing")
    func refusals() throws {
        for count in [3, 3000] {
            try Shelf.withList(.int) { list in
                try list.assign((0..<count).map { .int(Int64($0)) })
                for attempt: () throws -> Void in [
                    { try list.insert(.int(1), at: count + 1) }, { try list.remove(at: count) }, { try list.remove(at: -1) },
                    { try list.replace(at: count, with: .int(1)) }, { try list.move(from: 0, to: count) },
                    { try list.swap(-1, 0) }, { _ = try list.view()[count] }, { try list.map(at: 0).removeAll() },
                ] {
                    #expect(throws: FreeholdError.self) { try attempt() }
                }
                #expect(throws: FreeholdError.self) { try list.append(.string("text")) }
                #expect(throws: FreeholdError.self) { try list.append(.null) }
                #expect(try list.integers == Array(0..<Int64(count)))
            }
        }
    }

    @Test("a sequence too long for one piece is appended whole or, if one of its elements does not fit, not at all")
    func refusedPiece() throws {
        for count in [0, 3000] {
            try Shelf.withList(.int) { list in
                try list.assign((0..<count).map { .int(Int64($0)) })
                #expect(throws: FreeholdError.self) { try list.append(contentsOf: (0..<50_000).map { $0 == 40_000 ? .string("text") : .int(Int64($0)) }) }
                #expect(try list.view().count == count)
                try list.append(contentsOf: (0..<50_000).map { .int(Int64($0)) })
                #expect(try list.view().count == count + 50_000)
            }
        }
    }

    @Test("random changes leave what they leave of an array", arguments: Shelf.elementTypes, TestScale.seeds(4))
    func history(type: PropertyType, seed: UInt64) throws {
        var random = SeededRandom(seed: seed &* 31 &+ UInt64(type.rawValue))
        var model: [Value] = []
        try Shelf.withList(type, isNullable: true, transactions: 12) { list in
            for _ in 0..<Int.random(in: 1...60, using: &random) { try Shelf.change(list, &model, type, &random) }
            #expect(try list.view().values(in: 0..<list.view().count) == model, "seed \(seed)")
        } between: { view in
            var cursor = view.walk(from: model.count / 2), rest: [Value] = []
            while let value = try cursor.next() { rest.append(value) }
            #expect(view.count == model.count && rest == Array(model[(model.count / 2)...]))
            if let position = model.indices.randomElement(using: &random) {
                let value = try view[position]
                #expect(value == model[position])
            }
        }
    }

    @Test("a long list stays compact and is found by position after random insertions")
    func compact() throws {
        try Shelf.withList(.int) { list in
            try list.append(contentsOf: (0..<200_000).lazy.map { .int(Int64($0 % 256)) })
            let bytes = try list.writer.transaction.pending.reachableBytes(of: list.cell())
            #expect(bytes < 300_000)
            var random = SeededRandom(seed: 7)
            var model = (0..<200_000).map { Int64($0 % 256) }
            for number in 0..<2000 {
                let position = Int.random(in: 0...model.count, using: &random)
                try list.insert(.int(Int64(number)), at: position)
                model.insert(Int64(number), at: position)
            }
            #expect(try list.integers == model)
        }
    }
}

extension ListWriter {
    var integers: [Int64] {
        get throws {
            try view().values(in: 0..<view().count).map { if case .int(let number) = $0 { number } else { .min } }
        }
    }

    func cell() throws -> CollectionCell {
        let table = try writer.transaction.own(writer.table)
        return try table.state.cell(table.state.find(writer.key.rawValue)!, writer.column.index)
    }
}

extension PendingBlocks {
    /// Bytes that a collection's tree would take in a file.
    func reachableBytes(of cell: CollectionCell) throws -> Int {
        guard case .tree(let root) = cell else { return 0 }
        var open = [root], bytes = 0
        while let next = open.popLast() {
            let view = try access.view(next)
            bytes += BlockLayout.granules(references: view.referenceCount, body: view.bodyLength) * BlockLayout.granule
            for index in 0..<view.referenceCount where !view.reference(index).isNull { open.append(view.reference(index)) }
        }
        return bytes
    }
}
