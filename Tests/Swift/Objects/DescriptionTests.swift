import Foundation
@testable import Freehold
import Testing

private final class NickCard: Projection<Stable> {
    @Projected(\Stable.animals.projectTo.nick) var nicks: ProjectedCollection<String?>
}

/// Texts of what holds optional values: the values alone.
@Suite("Optional values as text")
struct DescriptionTests {
    private let zoo: Zoo
    init() throws { zoo = try Zoo() }

    @Test("a projected collection, by itself and in a projection")
    func projected() {
        let card = NickCard(projecting: zoo.house), lines = "[0] (null)\n\t[1] (null)\n\t[2] J\n\t[3] (null)\n"
        #expect(card.nicks.description == "ProjectedCollection<String> {\n\t\(lines)}")
        #expect(card.description.contains("nicks(\\.animals.nick) = ProjectedCollection<String> {\n\t\t[0] (null)\n") && !card.description.contains("Optional"))
    }

    @Test("an untyped object with nested collections, as the typed one")
    func nested() throws {
        let folder = try Folder(), realm = try Realm(configuration: folder.configuration([Board.self, Dog.self, Person.self, Address.self, Sparse.self, Kennel.self]))
        try realm.write {
            realm.create(Board.self, value: ["id": 1, "groups": ["b": ["x", "y"], "a": []], "grid": [[1, 2], []], "counts": ["n": ["one": 1]], "tags": [["p"]],
                                             "teams": ["red": [["name": "Rex"]]], "places": ["home": [["street": "Lane"]]], "mixed": ["m": [1, "t", [2], ["k": 3]]]])
            realm.create(Kennel.self, value: ["name": "k", "dogs": [["name": "Rex"]]])
            realm.create(Sparse.self, value: ["byName": ["k": [3, nil] as [Int?]], "rows": [["x", nil] as [String?]]])
        }
        let typed = realm.objects(Board.self)[0].description.replacing(#/ <0x[0-9a-f]+>/#, with: ""), untyped = realm.dynamicObjects("Board")[0].description
        #expect(untyped.replacing(#/ <0x[0-9a-f]+>/#, with: "") == typed)
        #expect(typed.contains("groups = Map<string, List<string>> (\n\t[a]: List<string> (\n"))
        let sparse = realm.dynamicObjects("Sparse")[0]
        #expect("\(sparse)" == "Sparse {\n\tbyName = Map<string, List<int>> (\n\t[k]: List<int> (\n\t\t\t[0] 3,\n\t\t\t[1] (null)\n\t\t)\n\t);\n"
            + "\trows = List<List<string>> (\n\t\t[0] List<string> (\n\t\t\t[0] x,\n\t\t\t[1] (null)\n\t\t)\n\t);\n}")
        #expect("\(sparse["byName"] ?? "")" == #"["k": [3, nil]]"# && (sparse["rows"] as? [[String?]])?[0] == ["x", nil])
        #expect(((realm.dynamicObjects("Board")[0]["teams"] as? [String: Any])?["red"] as? [DynamicObject])?[0]["name"] as? String == "Rex")
        let teams = realm.dynamicObjects("Kennel")[0].dynamicList("dogs")
        #expect(teams.description.hasPrefix("List<Dog> <0x") && realm.dynamicObjects("Dog").description.hasPrefix("Results<Dog> <0x"))
        #expect(realm.objects(Sparse.self)[0].byName.description.hasPrefix("Map<string, List<int>> <0x"))
    }

    @Test("names of types, of sections and of groups")
    func types() throws {
        let sections = zoo.animals.sectioned(by: \.nick), notes = zoo.house.notes.sectioned(by: { $0 }, ascending: true)
        #expect(sections.description == "SectionedResults<String, Beast> (2 sections)" && sections[1].description.hasPrefix("ResultsSection<String, Beast> ("))
        #expect(notes.description == "SectionedResults<String, String> (3 sections)" && notes[0].description.hasPrefix("ResultsSection<String, String> (\n\t[0] (null)"))
        #expect(DescribedElements.name(of: [String: Result<Int?, Never>?].self) == "Dictionary<String, Result<Int, Never>>")
        #expect(DescribedElements.name(of: [(Int?) -> [String?]?].self) == "Array<(Int) -> Array<String>>")
    }

    @Test("groups of objects")
    func groups() {
        let groups = zoo.animals.grouped(by: \.nick, select: .count, .max(of: \.price))
        #expect(groups.map(\.description) == ["ResultsGroup {\n\tkey = (null);\n\tfigures = [5, 9.5];\n}", "ResultsGroup {\n\tkey = J;\n\tfigures = [1, (null)];\n}"])
        #expect(zoo.animals.grouped(by: ["nick", "size"], select: "@count").last?.description == "ResultsGroup {\n\tkey = [J, large];\n\tfigures = [1];\n}")
    }

    @Test("values of many objects by name are those values, and nil")
    func values() {
        let nicks = zoo.animals.sorted(by: \.age).suffix(2).count
        #expect(nicks == 2)
        let jolly = zoo.animals.filter("age >= 12").value(forKey: "nick")
        #expect("\(jolly ?? "")" == #"[nil, "J"]"# && jolly as? [String?] == [nil, "J"])
        let keepers = zoo.animals.filter("age == 5").value(forKeyPath: "keeper.name")
        #expect("\(keepers ?? "")" == #"["Bob", nil]"# && keepers as? [String?] == ["Bob", nil])
        #expect("\(zoo.house.notes.value(forKey: "self") ?? "")" == #"["x", nil, "a", nil]"#)
    }
}

class Sparse: Object {
    @Persisted var byName: Map<String, List<Int?>>
    @Persisted var rows: List<List<String?>>
}
