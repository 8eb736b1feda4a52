import Testing

@Suite struct QueryVerbTests {
    private func shop() throws -> Workplace {
        let place = try Workplace()
        try place.file("p.csv", "id,name,price,category\n1,Green tea,9.5,drinks\n2,Black Tea,4.25,drinks\n3,Bread,3,food\n4,,1,food\n")
        try place.run("import", "shop", "p.csv", "--into", "Product", "--primary-key", "id")
        return place
    }

    @Test func aQueryFindsSortsAndLimits() throws {
        let place = try shop()
        let run = try place.run("query", "shop", "Product", "name CONTAINS[c] 'tea' SORT(price ASC)", "--columns", "id,price")
        #expect(run.output == "id  price\n--  -----\n 2   4.25\n 1    9.5\n")
        #expect(try place.run("query", "shop", "Product", "SORT(price DESC) OFFSET(1) LIMIT(2)", "--columns", "id", "--format", "csv").output == "id\n2\n3\n")
        #expect(try place.run("query", "shop", "Product", "name == NULL", "--format", "jsonl").output
            == "{\"id\":4,\"name\":null,\"price\":1.0,\"category\":\"food\"}\n")
        #expect(try place.run("query", "shop", "Product", "price > 3", "--count").output == "2\n")
        #expect(try place.run("query", "shop", "Product", "FALSEPREDICATE", "--format", "json").output == "[]\n")
    }

    @Test func groupsAreRows() throws {
        let place = try shop()
        let run = try place.run("query", "shop", "Product", "GROUP(category) SELECT(@count, price.@max)")
        #expect(run.output == "category  @count  price.@max\n--------  ------  ----------\ndrinks    2       9.5\nfood      2       3.0\n")
        #expect(try place.run("query", "shop", "Product", "GROUP() SELECT(price.@sum)", "--format", "json").output == "[\n{\"price.@sum\":17.75}\n]\n")
    }

    @Test func theWayIsExplained() throws {
        let place = try shop()
        let run = try place.run("query", "shop", "Product", "id == 3 AND price > 1", "--explain")
        #expect(run.output.hasPrefix("Product: scan of objects with keys from 3 to 3\n") && run.output.contains("price > 1"), "\(run)")
    }

    @Test(arguments: [
        ("nam == 'x'", "query, column 1: property 'nam' not found in Product; did you mean 'name'?"), ("name = tee", "column 8: property 'tee' not found in Product; put a string in quotes"),
        ("price >", "column 8: expected"), ("(price > 1", "column 11: expected ')'"), ("name > 5", "column 1: cannot compare value 5 of type 'int'"), ("price == %@", "uses argument 1"),
        ("LIMIT 1", "LIMIT 10 is written LIMIT(10)"),
    ])
    func mistakesNameTheirPlace(query: String, message: String) throws {
        let run = try shop().run("query", "shop", "Product", query)
        #expect(run.status == 1 && run.output.isEmpty && run.errors.contains(message), "\(run)")
    }

    @Test func aPatternOfSQLIsRemarkedOn() throws {
        let place = try shop(), run = try place.run("query", "shop", "Product", "name LIKE 'B%'", "--count")
        #expect(run.status == 0 && run.output == "0\n" && run.errors.contains("LIKE \"B%\" matches exactly this string: * stands for any characters"), "\(run)")
        #expect(try place.run("query", "shop", "Product", "name LIKE 'B%'", "--explain").output.contains("note: LIKE"))
        #expect(try place.run("query", "shop", "Product", "name LIKE 'B*'", "--count").errors.isEmpty)
    }

    @Test func datesAreAskedForAsTheyAreListed() throws {
        let place = try Workplace()
        try place.file("p.csv", "id,at\n1,-292277022657-01-27T08:29:52Z\n2,+12345-02-03T04:05:06.5Z\n3,-0044-03-15\n4,0000-02-29\n5,-0400-03-01\n6,9999-12-31\n7,+400000-02-29\n")
        try place.run("import", "d", "p.csv", "--into", "P", "--type", "at=date")
        let listed = Array(try place.run("list", "d", "P", "--columns", "at").lines.dropFirst(2))
        #expect(listed.count == 7 && listed[2] == "-0044-03-15T00:00:00Z", "\(listed)")
        for (number, date) in listed.enumerated() {
            let run = try place.run("query", "d", "P", "at == \(date)", "--columns", "id", "--format", "csv")
            #expect(run.output == "id\n\(number + 1)\n", "\(date): \(run)")
        }
        let quoted = try place.run("query", "d", "P", "at == '2024-05-02T00:00:00Z'")
        #expect(quoted.status == 1 && quoted.errors.contains("write a date without quotes: 2024-05-02T00:00:00Z"), "\(quoted)")
    }

    @Test func collectionsAndDepthAreToldOf() throws {
        let place = try Workplace()
        try place.file("p.json", #"[{"id": 1, "tags": ["new", "cheap"]}, {"id": 2, "tags": []}]"#)
        try place.run("import", "shop", "p.json", "--into", "Product", "--primary-key", "id")
        #expect(try place.run("query", "shop", "Product", "ANY tags == 'new'", "--count").output == "1\n")
        let bare = try place.run("query", "shop", "Product", "tags == 'new'")
        #expect(bare.status == 1 && bare.errors.contains("query, column 1: 'tags' has several values; put ANY, ALL or NONE before it"), "\(bare)")
        let deep = try place.run("query", "shop", "Product", String(repeating: "(", count: 5000) + "id == 1" + String(repeating: ")", count: 5000))
        #expect(deep.status == 1 && deep.output.isEmpty && deep.errors.contains("deep"), "\(deep)")
    }
}
