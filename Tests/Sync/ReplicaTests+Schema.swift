import TestKit
import Testing
@testable import FreeholdEngine
@testable import FreeholdMerge

/// Embedded objects, changed primary keys, objects of two classes under one key, and files whose classes differ.
extension ReplicaTests {
    // MARK: Embedded objects

    private func makeEmbedding(_ number: Int, _ transaction: WriteTransaction) throws {
        let classes = [
            ClassSchema("Leaf", isEmbedded: true, [
                PropertySchema("name", .string), PropertySchema("values", .double, isNullable: true, collections: [.list]),
                PropertySchema("any", .mixed), PropertySchema("friend", linkTo: "Tree"),
                PropertySchema("set", .decimal, collections: [.set]), PropertySchema("map", .date, isNullable: true, collections: [.map]),
            ]),
            ClassSchema("Branch", isEmbedded: true, [
                PropertySchema("leaf", linkTo: "Leaf"), PropertySchema("other", linkTo: "Leaf"), PropertySchema("n", .int),
            ]),
            ClassSchema("Tree", primaryKey: "id", [
                PropertySchema("id", .objectId), PropertySchema("branch", linkTo: "Branch"), PropertySchema("leaf", linkTo: "Leaf"),
                PropertySchema("leaves", linkTo: "Leaf", collections: [.list]),
                PropertySchema("byName", linkTo: "Leaf", collections: [.map]),
                PropertySchema("n", .int), PropertySchema("extra", .mixed),
            ]),
        ]
        try transaction.createClass(ClassSchema("Tree", primaryKey: "id", [PropertySchema("id", .objectId)]))
        for one in classes where one.name != "Tree" { try transaction.createClass(one) }
        for property in classes[2].properties.dropFirst() { try transaction.addProperty(property, to: "Tree") }
        try transaction.sync.mark("Tree")
    }

    private func embedLeaf(_ name: String, _ transaction: WriteTransaction, in key: ObjectKey, of table: Table, _ property: String) throws {
        let leaves = try transaction.table("Leaf")
        let leaf = try transaction.embed([("name", .string(name))], in: key, of: table, table.column(property))
        try transaction.list(of: leaf, in: leaves, leaves.column("values")).append(contentsOf: [.double(-0.0), .null, .double(.nan)])
        try transaction.set(of: leaf, in: leaves, leaves.column("set")).insert(contentsOf: [.decimal(Decimal128("1.00")!)])
        try transaction.map(of: leaf, in: leaves, leaves.column("map")).assign(["": .null, "\0": .date(Timestamp(seconds: -1))])
    }

    private func embedded(in key: ObjectKey, of table: Table, _ property: String) throws -> ObjectKey {
        guard case .link(let object) = try table.value(key, table.column(property)) else { throw ShadowDifference("no \(property)") }
        return object
    }

    private func changeLeaf(_ transaction: WriteTransaction, in key: ObjectKey, of table: Table, _ property: String,
                            _ body: (ObjectKey, Table) throws -> Void) throws {
        try body(embedded(in: key, of: table, property), transaction.table("Leaf"))
    }

    @Test("embedded objects in embedded objects: created, changed within by both, replaced, removed; collections within are one value")
    func embedded() throws {
        let exchange = try Exchange(2, prepare: makeEmbedding)
        try exchange.write(exchange.ann) { transaction in
            let trees = try transaction.table("Tree"), branches = try transaction.table("Branch")
            for number in 0..<4 as Range<UInt32> {
                let key = try transaction.insert(into: "Tree", [("id", .objectId(ObjectIdentifier12(high: 1, low: number)))])
                try embedLeaf("own \(number)", transaction, in: key, of: trees, "leaf")
                let branch = try transaction.embed([("n", .int(Int64(number)))], in: key, of: trees, trees.column("branch"))
                try embedLeaf("inner \(number)", transaction, in: branch, of: branches, "leaf")
                try changeLeaf(transaction, in: branch, of: branches, "leaf") { leaf, leaves in
                    try transaction.set(leaf, in: leaves, leaves.column("friend"), to: .link(key))
                    try transaction.set(leaf, in: leaves, leaves.column("any"), to: .list([.object(trees.reference(to: key)), .int(1)]))
                }
            }
        }
        try expectSame(exchange)
        try exchange.write(exchange.ann) { transaction in
            let trees = try transaction.table("Tree"), keys = try trees.keys(), branches = try transaction.table("Branch")
            // 0: changed within. 1: replaced. 2: removed. 3: the inner one of the branch is replaced.
            try changeLeaf(transaction, in: keys[0], of: trees, "leaf") { leaf, leaves in
                try transaction.list(of: leaf, in: leaves, leaves.column("values")).insert(.double(8), at: 1)
                try transaction.set(leaf, in: leaves, leaves.column("name"), to: .string("ann"))
            }
            try embedLeaf("new", transaction, in: keys[1], of: trees, "leaf")
            try transaction.set(keys[2], in: trees, trees.column("branch"), to: .null)
            let branch = try embedded(in: keys[3], of: trees, "branch")
            try embedLeaf("inner new", transaction, in: branch, of: branches, "leaf")
            try embedLeaf("other", transaction, in: branch, of: branches, "other")
        }
        try exchange.write(exchange.ben) { transaction in
            let trees = try transaction.table("Tree"), branches = try transaction.table("Branch")
            for key in try trees.keys() {
                try changeLeaf(transaction, in: key, of: trees, "leaf") { leaf, leaves in
                    try transaction.set(leaf, in: leaves, leaves.column("any"), to: .map(["ben": .null]))
                    try transaction.map(of: leaf, in: leaves, leaves.column("map")).remove("")
                }
                let branch = try embedded(in: key, of: trees, "branch")
                try transaction.set(branch, in: branches, branches.column("n"), to: .int(77))
                try changeLeaf(transaction, in: branch, of: branches, "leaf") { leaf, leaves in
                    try transaction.set(leaf, in: leaves, leaves.column("name"), to: .string("ben"))
                    try transaction.set(of: leaf, in: leaves, leaves.column("set")).insert(.decimal(Decimal128("2.50")!))
                }
            }
        }
        try expectSame(exchange, newcomer: { try makeEmbedding(0, $0) })
        let trees = try PlainFile(exchange.ben.database).objects.values.compactMap { $0["branch"] }
        #expect(trees.filter { $0 == "null" }.count == 1 && trees.filter { $0.split(separator: "; ").contains("n int(77)") }.count == 3)
        try exchange.write(exchange.ben) { transaction in
            let trees = try transaction.table("Tree")
            try transaction.delete(Array(trees.keys().prefix(2)), from: trees)
        }
        try exchange.write(exchange.ann) { transaction in
            let trees = try transaction.table("Tree")
            for key in try trees.keys() { try embedLeaf("again", transaction, in: key, of: trees, "leaf") }
        }
        try expectSame(exchange, newcomer: { try makeEmbedding(0, $0) })
    }

    // MARK: Keys and classes of objects

    @Test("a primary key cannot change; objects that are made anew under each other's keys are others")
    func changedKeys() throws {
        func make(_ number: Int, _ transaction: WriteTransaction) throws {
            try transaction.createClass(ClassSchema("Thing", primaryKey: "id", [
                PropertySchema("id", .string), PropertySchema("n", .int), PropertySchema("name", .string, isNullable: true, isUnique: true),
                PropertySchema("list", .int, collections: [.list]), PropertySchema("next", linkTo: "Thing"),
            ]))
            try transaction.sync.mark("Thing")
        }
        let exchange = try Exchange(2, prepare: make)
        try exchange.write(exchange.ann) { transaction in
            let table = try transaction.table("Thing")
            for number in 0..<4 as Range<Int64> {
                let key = try transaction.insert(into: "Thing", [
                    ("id", .string("\(number)")), ("n", .int(number)), ("name", .string("name \(number)")),
                ])
                try transaction.list(of: key, in: table, table.column("list")).append(contentsOf: [.int(number), .int(9)])
            }
        }
        try expectSame(exchange)
        try exchange.write(exchange.ben) { transaction in
            let table = try transaction.table("Thing"), keys = try table.keys(), id = try table.column("id")
            #expect(throws: FreeholdError.self) { try transaction.set(keys[0], in: table, id, to: .string("t")) }
            try transaction.delete(keys[0...2], from: table)
            for (id, number) in [("0", 1), ("1", 0), ("other", 2)] as [(String, Int64)] {
                let key = try transaction.insert(into: "Thing", [
                    ("id", .string(id)), ("n", .int(number)), ("name", .string("name \(number)")), ("next", .link(keys[3])),
                ])
                try transaction.list(of: key, in: table, table.column("list")).append(.int(number))
            }
        }
        try exchange.write(exchange.ann) { transaction in
            let table = try transaction.table("Thing")
            for key in try table.keys() { try transaction.set(key, in: table, table.column("n"), to: .int(50)) }
        }
        try expectSame(exchange, newcomer: { try make(0, $0) })
        let all = try PlainFile(exchange.ann.database).objects
        #expect(all.keys.sorted() == ["Thing '0'", "Thing '1'", "Thing '3'", "Thing 'other'"])
        #expect(all["Thing '0'"]?["name"] == "'name\\321'" && all["Thing 'other'"]?["list"] == "[int(2)]", "\(all)")
    }
}
