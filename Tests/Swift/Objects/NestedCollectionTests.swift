import Foundation
import Freehold
import Testing

class Board: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var groups: Map<String, List<String>>
    @Persisted var grid: List<List<Int>>
    @Persisted var counts: Map<String, Map<String, Int>>
    @Persisted var tags: List<MutableSet<String>>
    @Persisted var teams: Map<String, List<Dog>>
    @Persisted var places: Map<String, List<Address>>
    @Persisted var mixed: Map<String, List<AnyRealmValue>>
}

class WrongBoard: Object {
    @Persisted var name = ""
    @Persisted var list: List<Int>?
    @Persisted var sets: MutableSet<List<Int>>
    @Persisted var maybe: AnyRealmValue?
}

@Suite("Collections within collections")
struct NestedCollectionTests {
    private let types: [ObjectBase.Type] = [Board.self, Dog.self, Person.self, Address.self]

    private func board() -> Board {
        Board(value: ["id": 1, "groups": ["a": ["x", "y"], "b": []], "grid": [[1, 2], [], [3]], "counts": ["n": ["one": 1]],
                      "tags": [["p", "q"]], "teams": ["red": [["name": "Rex"]]], "places": ["home": [["street": "Lane", "number": 1]]],
                      "mixed": ["m": [1, "t", [2]]]])
    }

    @Test("they come along with their object, and read alike by itself and managed")
    func adding() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration(types)), board = board()
        func check() {
            #expect(board.groups["a"] == ["x", "y"] && board.groups["b"] == [] && board.groups["c"] == nil)
            #expect(board.grid == [[1, 2], [], [3]])
            #expect(board.counts["n"]?["one"] == 1)
            #expect(board.tags[0].contains("q") && !board.tags[0].contains("z"))
            #expect(board.teams["red"]?.map(\.name) == ["Rex"])
            #expect(board.places["home"]?.first?.street == "Lane")
            #expect(board.mixed["m"] == [1, "t", [2]])
        }
        check()
        try realm.write {
            realm.add(board)
            check()
        }
        check()
        #expect(realm.objects(Dog.self).count == 1 && realm.objects(Address.self).count == 1)
    }

    @Test("each is live and changes in place")
    func changing() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration(types)), board = board()
        try realm.write { realm.add(board) }
        let red = try #require(board.teams["red"]), first = board.grid[0]
        try realm.write {
            board.groups["a"]?.append("z")
            board.groups["c"] = ["new"]
            board.groups["b"] = nil
            board.grid[0][1] = 9
            board.grid.append([7, 8])
            board.grid.swapAt(1, 2)
            board.counts["n"]?["two"] = 2
            board.counts["m", default: [:]]["three"] = 3
            board.tags[0].insert("r")
            red.append(Dog(value: ["name": "Fido"]))
            board.places["home"]?.append(Address(value: ["street": "Road"]))
            board.places["work"] = [Address(value: ["street": "Square"])]
            board.mixed["m"]?[2].listValue?.append(3)
        }
        #expect(board.groups == ["a": ["x", "y", "z"], "c": ["new"]])
        #expect(board.grid == [[1, 9], [3], [], [7, 8]])
        #expect(first == [1, 9])
        #expect(board.counts["n"] == ["one": 1, "two": 2])
        #expect(board.counts["m"] == nil || board.counts["m"] == ["three": 3])
        #expect(board.tags == [["p", "q", "r"]])
        #expect(board.teams["red"]?.map(\.name) == ["Rex", "Fido"])
        #expect(board.places.keys == ["home", "work"])
        #expect(board.places["home"]?.map(\.street) == ["Lane", "Road"] && board.places["work"]?.map(\.street) == ["Square"])
        #expect(board.mixed["m"] == [1, "t", [2, 3]])
        try realm.write { board.places["home"] = nil }
        #expect(realm.objects(Address.self).map(\.street) == ["Square"])
        #expect(mistakes { board.grid[0].append(1) } == ["Cannot modify managed List outside of a write transaction."])
        let rex = red[0]
        try realm.write { realm.delete(rex) }
        #expect(red.map(\.name) == ["Fido"])
        try realm.write { board.teams["red"] = nil }
        #expect(red.isInvalidated && realm.objects(Dog.self).count == 1)
        var count = -1
        #expect(mistakes { count = red.count } == ["This collection is no more."])
        #expect(count == 0)
        try realm.write { realm.delete(board) }
        #expect(realm.objects(Address.self).isEmpty)
    }

    @Test("within a write transaction each is read as it is after the last change, whatever made it")
    func readingWithinWrites() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration(types)), board = board()
        try realm.write { realm.add(board) }
        let row = board.grid[0], group = try #require(board.groups["a"]), counts = try #require(board.counts["n"]), tags = board.tags[0]
        let red = try #require(board.teams["red"])
        try realm.write {
            #expect(row.count == 2 && group.count == 2 && counts.count == 1 && tags.count == 2 && red.count == 1)
            row.append(3)
            #expect(Array(row) == [1, 2, 3])
            group.removeAll()
            #expect(group.isEmpty && board.groups["a"]?.isEmpty == true)
            counts["two"] = 2
            #expect(counts.count == 2 && counts["two"] == 2)
            tags.insert("r")
            #expect(tags.count == 3 && tags.contains("r"))
            board.grid[0].append(4)
            #expect(row.count == 4 && row.last == 4)
            // What comes after a removed element takes its place.
            board.grid.remove(at: 0)
            #expect(row.isEmpty && board.grid.count == 2)
            board.grid.removeAll()
            #expect(row.isInvalidated)
            board.grid.append([5])
            #expect(!row.isInvalidated && Array(row) == [5])
            realm.delete(red[0])
            #expect(red.isEmpty)
        }
        #expect(Array(row) == [5] && group.isEmpty && counts.count == 2 && tags.count == 3 && red.isEmpty)
    }

    @Test("they are copied, set by name, and shown as text")
    func copies() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration(types)), board = board()
        try realm.write { realm.add(board) }
        let copy = Board(value: board)
        #expect(copy.groups == board.groups && copy.grid == board.grid && copy.counts == board.counts && copy.tags == board.tags)
        #expect(copy.places["home"]?[0].street == "Lane" && copy.places["home"]?[0].realm == nil)
        copy.id = 2
        try realm.write {
            realm.add(copy)
            board.grid = copy.grid
            board["groups"] = ["k": ["1"]]
            copy.groups["a"]?.removeAll()
            board.grid[0] = board.grid[2]
        }
        #expect(board.groups == ["k": ["1"]])
        #expect(copy.groups["a"] == [] && copy.grid == [[1, 2], [], [3]])
        #expect(board.grid == [[3], [], [3]])
        #expect((board["grid"] as? List<List<Int>>)?.count == 3)
        #expect("\(board.groups)".replacing(#/<0x[0-9a-f]+>/#, with: "@")
            == "Map<string, List<string>> @ (\n[k]: List<string> @ (\n\t\t[0] 1\n\t)\n)")
        try realm.write { realm.create(Board.self, value: ["id": 2, "grid": [[5]], "counts": NSNull()], update: .modified) }
        #expect(copy.grid == [[5]] && copy.counts.isEmpty && copy.tags.count == 1)
        #expect(mistakes { board["grid"] = [[1], ["one"]] }.first == "Invalid value 'one' of type 'String' for 'array of array of int' property 'Board.grid'.")
    }

    @Test("a class that has them where none can be is refused")
    func refused() throws {
        let folder = try Folder()
        #expect {
            _ = try Realm(configuration: folder.configuration([WrongBoard.self]))
        } throws: { error in
            "\(error)".contains("Property 'WrongBoard.list' is a collection, which cannot be optional.")
                && "\(error)".contains("Property 'WrongBoard.maybe' is mixed, which cannot be optional")
                && "\(error)".contains("Property 'WrongBoard.sets' is a set of collections; lists and maps hold those.")
        }
    }
}
