import Foundation
import Freehold
import Testing

class Game: Object {
    @Persisted var name = ""
    @Persisted var score = 0
    @Persisted var weight: Double?
    @Persisted var small: Int8 = 0
    @Persisted var played = Date(timeIntervalSince1970: 0)
    @Persisted var price: Freehold.Decimal128
    @Persisted var any: AnyRealmValue
    @Persisted var mood = Mood.calm
    @Persisted var rounds: List<Int>
    @Persisted(originProperty: "games") var players: LinkingObjects<Player>
}

class Player: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var games: List<Game>
    @Persisted var favourites: MutableSet<Game>
    @Persisted var byName: Map<String, Game?>
    @Persisted var numbers: List<Int>
    @Persisted var maybe: List<Double?>
    @Persisted var texts: List<String>
    @Persisted var set: MutableSet<Int>
    @Persisted var counts: Map<String, Int>
    @Persisted var mixed: List<AnyRealmValue>
}

@Suite("What collections offer")
struct CollectionInterfaceTests {
    private let types: [ObjectBase.Type] = [Game.self, Player.self]

    /// The same for a player by itself and a managed one.
    private func withPlayers(_ body: (Player) throws -> Void) throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration(types))
        try body(Player())
        let player = Player()
        try realm.write {
            realm.add(player)
            try body(player)
        }
    }

    @Test("a list is changed by positions, ranges and index sets")
    func list() throws {
        try withPlayers { player in
            let list = player.numbers
            list.append(objectsIn: 0..<10)
            list.remove(atOffsets: IndexSet([0, 3, 4, 9]))
            #expect(list == [1, 2, 5, 6, 7, 8])
            list.removeSubrange(4...)
            list.removeSubrange(0..<1)
            list.replaceSubrange(0...0, with: [20, 21])
            list.replaceSubrange(4..<4, with: list)
            #expect(list == [20, 21, 5, 6, 20, 21, 5, 6])
            list.removeFirst(2)
            list.removeLast(3)
            list.removeFirst()
            #expect(list == [6, 20])
            list.assignAll([0, 1, 2, 3])
            list.move(fromOffsets: IndexSet([0, 3]), toOffset: 2)
            #expect(list == [1, 0, 3, 2])
            list.move(fromOffsets: IndexSet([0, 1]), toOffset: 4)
            #expect(list == [3, 2, 1, 0])
            list.replace(index: 0, object: 9)
            list.swapAt(0, 3)
            list.move(from: 1, to: 2)
            #expect(list == [0, 1, 2, 9] && list.first == 0 && list.last == 9 && list.index(of: 2) == 2 && list.index(of: 7) == nil)
            #expect(list.objects(at: IndexSet([1, 3])) == [1, 9])
            #expect(mistakes { list.removeLast(5) } == ["It is not possible to remove more objects (5) from a collection containing only 4 objects."])
            #expect(mistakes { list.insert(1, at: 5) } == ["Index 5 is out of bounds (must be less than 5)."])
            #expect(mistakes { list.remove(at: -1) } == ["Cannot pass a negative value for 'index'."])
            #expect(mistakes { list.move(fromOffsets: [7], toOffset: 0) } == ["Index 7 is out of bounds (must be less than 4)."])
            #expect(list.count == 4)
        }
    }

    @Test("sets do their algebra, by themselves and managed")
    func sets() throws {
        try withPlayers { player in
            let set = player.set, other: MutableSet<Int> = [2, 3, 4]
            set.insert(objectsIn: [3, 1, 2, 3])
            #expect(set == [1, 2, 3] && set != other && !set.isSubset(of: other) && set.intersects(other))
            set.formIntersection(other)
            #expect(set == [2, 3] && set.isSubset(of: other))
            set.formUnion([5])
            set.subtract([2, 9])
            #expect(set == [3, 5] && set.index(of: 5) == 1 && set.index(of: 6) == nil && set.contains(3) && !set.contains(2))
            #expect(set.sum() == 8 && set.max() == 5)
        }
    }

    @Test("maps are asked, merged and gone through by key")
    func maps() throws {
        try withPlayers { player in
            let map = player.counts
            map["b"] = 2
            map["a"] = 1
            map["a", default: 0] += 10
            map["c", default: 5] += 1
            #expect(map.keys == ["a", "b", "c"] && map.values == [11, 2, 6] && map == ["a": 11, "b": 2, "c": 6])
            map.merge(["a": 1, "d": 4]) { $0 - $1 }
            map.merge([("d", 1), ("e", 7)] as [(String, Int)]) { old, _ in old }
            let more: Map<String, Int> = ["e": 1]
            map.merge(more, uniquingKeysWith: +)
            #expect(map == ["a": 10, "b": 2, "c": 6, "d": 4, "e": 8])
            #expect(map.map(\.key) == ["a", "b", "c", "d", "e"])
            #expect(map.asKeyValueSequence().filter { $0.value > 6 }.map(\.key) == ["a", "e"])
            #expect(map.contains { key, value in key == "b" && value == 2 } && !map.contains { $0.value == 3 } && map.contains(key: "d"))
            #expect(map.min() == 2 && map.max() == 10 && map.sum() == 30 && map.average() as Double? == 6)
            map.setValue(3.0, forKey: "a")
            map.setValue(nil, forKey: "b")
            #expect(map.value(forKey: "a") == 3 && map.object(forKey: "b") == nil)
            #expect(mistakes { map.setValue("x", forKey: "a") } == ["Invalid value 'x' of type 'String' for 'int' value of a Map."])
            #expect(map[map.startIndex]?.key == "a" && map[map.index(after: map.startIndex)]?.value == 6 && map[map.endIndex] == nil)
            map.removeObject(for: "a")
            #expect(map.count == 3 && map["a"] == nil)
            map.removeAll()
            #expect(map.isEmpty)
        }
    }

    @Test("objects are found in collections whatever instance stands for them")
    func finding() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration(types)), player = Player()
        player.games.append(objectsIn: ["chess", "go", "dice"].map { Game(value: ["name": $0]) })
        try realm.write { realm.add(player) }
        let go = realm.objects(Game.self)[1]
        #expect(go !== player.games[1] && go.isSameObject(as: player.games[1]))
        #expect(player.games.index(of: go) == 1 && player.games.contains(go) && realm.objects(Game.self).index(of: player.games[2]) == 2)
        #expect(!player.games.contains(Game()) && player.games.index(of: Game()) == nil)
        try realm.write {
            player.favourites.insert(go)
            player.byName["go"] = go
        }
        #expect(player.favourites.contains(player.games[1]) && player.favourites.index(of: go) == 0)
        let any = AnyRealmCollection(player.games), more = AnyRealmCollection(realm.objects(Game.self))
        #expect(any.map(\.name) == ["chess", "go", "dice"] && more.count == 3 && any.index(of: go) == 1 && any != more && any == AnyRealmCollection(any))
        #expect(any.realm == realm && any.max(of: \.name.count) == 5)
        try realm.write {
            realm.delete(player.byName)
            #expect(player.games.count == 2 && player.byName["go"] == .some(nil))
            realm.delete(player.games)
        }
        #expect(realm.objects(Game.self).isEmpty && go.isInvalidated)
    }

    @Test("an object that a list has twice is linked to twice")
    func linkingTwice() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration(types))
        let game = Game(value: ["name": "chess"]), ann = Player(value: ["id": 1]), bob = Player(value: ["id": 2])
        ann.games.append(objectsIn: [game, Game(), game])
        bob.games.append(game)
        bob.favourites.insert(game)
        try realm.write {
            realm.add([ann, bob])
            #expect(game.players.map(\.id) == [1, 1, 2])
        }
        #expect(game.players.count == 3 && game.players.map(\.id) == [1, 1, 2] && game.players.last?.id == 2 && game.players.index(of: bob) == 2)
        let players = game.players
        try realm.write { ann.games.remove(at: 0) }
        #expect(players.map(\.id) == [1, 2] && players == game.players && players.contains(ann))
        try realm.write { for _ in 0..<300 { bob.games.append(objectsIn: [Game(), game]) } }
        #expect(players.count == 302)
        try realm.write { realm.delete(game) }
        #expect(players.isInvalidated)
        #expect(ann.games.count == 1 && bob.games.count == 300)
    }

    @Test("properties are added up over lists, sets, results and links")
    func aggregates() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration(types)), player = Player()
        let values: [(Int, Double?, Int8)] = [(4, 1.5, 100), (-2, nil, 100), (7, 0.5, 1)]
        for (score, weight, small) in values {
            player.games.append(Game(value: ["score": score, "weight": weight as Any, "small": small, "played": Date(timeIntervalSince1970: Double(score)),
                                             "price": "\(score).10", "any": score, "mood": "wild"]))
        }
        func check(_ games: some RealmCollection<Game>) {
            #expect(games.min(ofProperty: "score") == -2 && games.max(ofProperty: "score") == 7 && games.sum(ofProperty: "score") == 9)
            #expect(games.average(ofProperty: "score") == 3.0 && games.average(ofProperty: "weight") == 1.0 && games.sum(ofProperty: "weight") == 2.0)
            #expect(games.average(of: \.score) == 3.0 && games.average(of: \.weight) == 1.0 && games.min(of: \.weight) == 0.5)
            #expect(games.max(of: \.score) == 7 && games.sum(of: \.score) == 9 && games.sum(of: \.weight) == 2.0)
            #expect(games.max(ofProperty: "played") == Date(timeIntervalSince1970: 7) && games.min(of: \.played) == Date(timeIntervalSince1970: -2))
            #expect(games.sum(of: \.price) == Freehold.Decimal128("9.10") && games.average(ofProperty: "any") == Freehold.Decimal128(3))
            #expect(games.max(ofProperty: "any") == AnyRealmValue.int(7) && games.sum(of: \.any) == .decimal128(9))
            var small: Int8 = 0
            #expect(mistakes { small = games.sum(of: \.small) } == ["The sum 201 is too large for 'Int8'."])
            #expect(small == 127)
            #expect(mistakes { _ = games.min(ofProperty: "nme") as Int? } == ["Property 'nme' not found in object of type 'Game'"])
            #expect(mistakes { _ = games.max(ofProperty: "name") as Int? } == ["max(ofProperty:) is not supported for string property 'Game.name'"])
            #expect(games.value(forKeyPath: "@count") as? Int == 3 && games.value(forKeyPath: "@sum.score") as? Int == 9)
            #expect(games.value(forKeyPath: "@min.weight") as? Double == 0.5 && games.value(forKeyPath: "@avg.score") as? Double == 3)
            #expect(games.value(forKeyPath: "@distinctUnionOfObjects.small") as? [Int8] == [100, 1])
            #expect(games.value(forKey: "score") as? [Int] == [4, -2, 7])
            #expect(mistakes { _ = games.value(forKeyPath: "@median.score") } == ["Unsupported KVC collection operator found in key path '@median.score'"])
        }
        check(player.games)
        try realm.write { realm.add(player) }
        check(player.games)
        check(realm.objects(Game.self))
        try realm.write { player.favourites.insert(objectsIn: player.games) }
        check(AnyRealmCollection(player.favourites))
        let dynamic = realm.dynamicObjects("Game")
        #expect(dynamic.max(ofProperty: "score") == 7 && dynamic.average(ofProperty: "weight") == 1.0 && dynamic.sum(ofProperty: "score") == 9)
        let encoded = try JSONEncoder().encode(AnyRealmCollection(player.games[0].rounds))
        #expect(encoded == Data("[]".utf8))
        #expect(player.value(forKeyPath: "games.@max.score") as? Int == 7)
        let empty = Player()
        #expect(empty.games.sum(of: \.score) == 0 && empty.games.average(of: \.score) == nil && (empty.games.min(ofProperty: "score") as Int?) == nil)
        #expect(empty.numbers.sum() == 0 && (empty.numbers.average() as Double?) == nil)
        empty.numbers.append(objectsIn: [1, 2])
        empty.maybe.append(objectsIn: [nil, 2.5, 1])
        empty.mixed.append(objectsIn: ["x", 2, 1.5, nil, true])
        #expect(empty.numbers.average() == 1.5 && empty.numbers.average() == 1 && empty.numbers.max() == 2)
        #expect(empty.maybe.min() == 1.0 && empty.maybe.sum() == 3.5 && empty.maybe.average() == 1.75)
        #expect(empty.mixed.sum() == .decimal128("3.5") && empty.mixed.max() == "x" && empty.mixed.min() == AnyRealmValue.none)
        #expect(empty.mixed.sorted() == [nil, true, 1.5, 2, "x"])
    }

    @Test("what is added, made and deleted may come in any sequence, and in old spellings")
    func spellings() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration(types))
        try realm.write {
            realm.add(Set([Player(value: ["id": 1]), Player(value: ["id": 2])]))
            realm.add((3...4).lazy.map { Player(value: ["id": $0]) }, update: .all)
            let list = List<Player>()
            list.append(Player(value: ["id": 5]))
            realm.add(list)
        }
        #expect(realm.objects(Player.self).map(\.id) == [1, 2, 3, 4, 5])
        try realm.write {
            OldSpellings.use(realm)
            realm.delete(realm.objects(Player.self).filter { $0.id < 3 })
            realm.delete(realm.objects(Player.self)[0])
        }
        #expect(realm.objects(Player.self).map(\.id) == [4, 5, 6])
    }
}

private protocol OldSpelling { static func use(_ realm: Realm) }

/// Called by way of a protocol, as what calls deprecated methods by name is warned of.
private enum OldSpellings {
    static func use(_ realm: Realm) { (Old.self as any OldSpelling.Type).use(realm) }

    private enum Old: OldSpelling {
        @available(*, deprecated) static func use(_ realm: Realm) {
            realm.create(Player.self, value: ["id": 6], update: true)
            realm.add(Player(value: ["id": 6]), update: true)
            realm.add([Player(value: ["id": 6])], update: true)
        }
    }
}

extension List {
    fileprivate func assignAll(_ elements: [Element]) {
        removeAll()
        append(objectsIn: elements)
    }
}
