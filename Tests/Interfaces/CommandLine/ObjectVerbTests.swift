import Testing

@Suite struct ObjectVerbTests {
    private func people() throws -> Workplace {
        let place = try Workplace()
        try place.file("p.csv", "id,name,age,boss\na,Ann,31,\nb,Bo,,a\nc,\"\",7,b\n")
        let run = try place.run("import", "d", "p.csv", "--into", "Person", "--primary-key", "id", "--link", "boss=Person")
        #expect(run.status == 0, "\(run.errors)")
        return place
    }

    @Test func anObjectIsAddedChangedAndDeleted() throws {
        let place = try people()
        #expect(try place.run("add", "d", "Person", "id=d", "name=Di", "boss=b").output == "d\n")
        #expect(try place.run("get", "d", "Person", "d").output == "id    d\nname  Di\nage   -\nboss  b\n")
        #expect(try place.run("set", "d", "Person", "d", "name=a=b", "age=5", "boss=").status == 0)
        #expect(try place.run("get", "d", "Person", "d", "--json").output == #"{"id":"d","name":"a=b","age":5,"boss":null}"# + "\n")
        #expect(try place.run("set", "d", "Person", "d", "name=\"\"").status == 0)
        #expect(try place.run("get", "d", "Person", "d", "--json").output.contains(#""name":"""#))
        #expect(try place.run("delete", "d", "Person", "a", "d").status == 0)
        #expect(try place.run("export", "d", "Person", "--format", "csv").output == "id,name,age,boss\nb,Bo,,\nc,\"\",7,b\n")
    }

    @Test func nothingIsDeletedIfOneKeyNamesNothing() throws {
        let place = try people()
        let run = try place.run("delete", "d", "Person", "a", "x")
        #expect(run.status == 1)
        #expect(run.errors == "freehold: error: class 'Person' has no object 'x'\n")
        #expect(try place.run("count", "d", "Person").output == "3\n")
    }

    @Test func aMistypedNameGetsTheNearestOneSuggested() throws {
        let place = try people()
        #expect(try place.run("set", "d", "Person", "a", "nmae=x").errors
            == "freehold: error: there is no property 'nmae' in class 'Person'; did you mean 'name'?\n")
        #expect(try place.run("count", "d", "Persn").errors == "freehold: error: there is no class 'Persn' in the database; did you mean 'Person'?\n")
        #expect(try place.run("list", "d", "Person", "--columns", "id,zzzzzz").errors.contains("it has id, name, age, boss"))
    }

    @Test func aRefusedValueChangesNothing() throws {
        let place = try people()
        let run = try place.run("set", "d", "Person", "a", "name=X", "age=old")
        #expect(run.status == 1)
        #expect(run.errors == "freehold: error: property 'age': 'old' is not a valid int\n")
        #expect(try place.run("get", "d", "Person", "a", "--json").output.contains("Ann"))
        #expect(try place.run("add", "d", "Person", "id=a").status == 1)
        #expect(try place.run("add", "d", "Person", "name=Keyless").status == 1)
        #expect(try place.run("add", "d", "Person", "id=e", "boss=nobody").status == 1)
        #expect(try place.run("count", "d", "Person").output == "3\n")
    }

    @Test func aClassWithoutAPrimaryKeyIsKnownByObjectKeys() throws {
        let place = try Workplace()
        try place.run("import", "d", try place.file("p.csv", "v\nx\ny\n"), "--into", "P")
        let list = try place.run("list", "d", "P").lines
        #expect(list.count == 4 && list[0].hasPrefix("#"))
        let key = String(list[3].split(separator: " ")[0])
        #expect(try place.run("get", "d", "P", key).output == "v  y\n")
        let added = try place.run("add", "d", "P", "v=z").output.split(separator: "\n")[0]
        #expect(try place.run("get", "d", "P", String(added)).output == "v  z\n")
    }
}
