import Foundation
@testable import Freehold
import FreeholdEngine
import Testing

@Suite("Queries that say nothing of use")
struct QueryMisuseTests {
    private let zoo: Zoo
    init() throws { zoo = try Zoo() }

    /// What is told of a query, which then has no results.
    private func told(_ results: @autoclosure () -> Results<Beast>) -> String {
        var count = -1
        let told = mistakes { count = results().count }
        return count == 0 ? told.joined(separator: " | ") : "\(count) results"
    }

    @Test("unknown names, with a suggestion by the names of the class")
    func names() {
        let animals = zoo.animals
        #expect(told(animals.filter("agee > 5")) == "query, column 1: property 'agee' not found in Beast; did you mean 'age'?")
        #expect(told(animals.filter("age > 5 AND keeper.nam == 'x'")) == "query, column 13: property 'nam' not found in Keeper; did you mean 'name'?")
        #expect(told(animals.filter("SUBQUERY(houses, $h, $h.cty == 'x').@count > 0"))
            == "query, column 22: property 'cty' not found in Stable; did you mean 'city'?")
        #expect(told(animals.sorted(byKeyPath: "agee")).contains("property 'agee' not found in Beast; did you mean 'age'?"))
        #expect(told(animals.distinct(by: ["keepr"])).contains("did you mean 'keeper'?"))
        #expect(told(animals.filter("isOld == true")).hasPrefix("query, column 1: property 'isOld' not found in Beast"))
    }

    @Test("an unquoted text is named, and quotes are suggested")
    func unquoted() {
        let message = told(zoo.animals.filter("name == blue"))
        #expect(message.contains("property 'blue' not found in Beast") && message.contains("put a string in quotes: 'blue'"))
    }

    @Test("wrong types, and what cannot be sorted by")
    func types() {
        let animals = zoo.animals
        #expect(told(animals.filter("age > 'x'")) == "query, column 1: cannot compare value \"x\" of type 'string' to property 'age' of type 'int'")
        #expect(told(animals.filter("age == %@", Date())).contains("of type 'date' to property"))
        #expect(told(animals.filter("tags == 'x'")).contains("put ANY, ALL or NONE before it"))
        #expect(told(animals.filter("keeper > 5")) == "query, column 1: > needs values with an order; 'keeper' is of type link")
        #expect(told(animals.filter("1 + keeper > 5")) == "query, column 5: 'keeper' is not numeric; arithmetic needs numbers")
        #expect(told(animals.filter("houses == nil")) == "query, column 1: 'houses' has several values; put ANY, ALL or NONE before it")
        #expect(told(animals.filter("keeper.@count == 1")).contains("'keeper.@count' is a single value"))
        #expect(told(animals.sorted(byKeyPath: "tags")).contains("SORT takes single values"))
        #expect(told(animals.sorted(byKeyPath: "keeper")) == "'keeper' is of type link, which cannot be sorted")
        #expect(told(animals.filter("age == %@", URL(fileURLWithPath: "/"))).contains("a value of type 'URL' cannot be compared with properties"))
        #expect(told(animals.filter("keeper == %@", GapDog())) == "the GapDog to compare with is not in this realm, so no property links to it")
        #expect(told(animals.filter("keeper == %@", zoo.house)).contains("keeper") || told(animals.filter("keeper == %@", zoo.house)).contains("kept_by"))
    }

    @Test("counts of arguments, and texts that are no queries")
    func texts() {
        let animals = zoo.animals
        #expect(told(animals.filter("age > %@ AND name == %@", 5)).contains("the query uses argument 2, but 1 was given"))
        #expect(told(animals.filter("age > %@", 5, 6)).contains("the query uses 1 arguments, but 2 were given"))
        #expect(told(animals.filter("(age > 5")).contains("expected"))
        #expect(told(animals.filter("age >")).contains("expected"))
        #expect(told(animals.filter(String(repeating: "(", count: 100) + "TRUEPREDICATE")).contains("nested more than 64 levels deep"))
        #expect(told(animals.filter("GROUP(age) SELECT(@count)")).contains("the query has groups, not objects"))
        #expect(told(animals.sorted(byKeyPath: "age DESC")).contains("is not a property name"))
        #expect(told(animals.sorted(byKeyPath: "")).isEmpty == false)
    }

    @Test("the same as errors, for texts that users type")
    func thrown() throws {
        #expect(try zoo.animals.filter(parsing: "age > %@", 10).map(\.name) == ["Élan", "Jolly"])
        do {
            _ = try zoo.animals.filter(parsing: "name == blue")
            Issue.record("an unknown property was found")
        } catch let error as FreeholdError {
            #expect(error.code == .unknownProperty && error.message.contains("'blue'"))
        }
        #expect(throws: FreeholdError.self) { try List<Beast>().filter(parsing: "age > 1") }
    }

    @Test("collections by themselves, invalid objects and other threads are told as such")
    func places() throws {
        let house = Stable()
        #expect(told(house.animals.filter("age > 1")) == "This method may only be called on RLMArray instances retrieved from an RLMRealm")
        #expect(told(house.byName.filter("age > 1")) == "This method may only be called on RLMDictionary instances retrieved from an RLMRealm")
        #expect(told(Beast().houses.filter("city == ''").isEmpty ? zoo.animals.filter("age > 99") : zoo.animals)
            == "This method may only be called on RLMLinkingObjects instances retrieved from an RLMRealm")
        let ann = try #require(zoo.realm.object(ofType: Keeper.self, forPrimaryKey: 1)), again = try #require(zoo.realm.objects(Keeper.self).first)
        try zoo.realm.write { zoo.realm.delete(ann) }
        #expect(told(zoo.animals.filter("keeper == %@", again)) == "Object has been deleted or invalidated.")
        #expect(mistakes { _ = zoo.realm.objects(Keeper.self).filter("ANY animals.agee == 1").count }.count == 1)
        let animals = Smuggled(zoo.animals)
        #expect(try onThread { mistakes { _ = animals.value.filter("age > 1").count } } == ["Realm accessed from incorrect thread."])
    }
}
