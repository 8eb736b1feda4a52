import Foundation
import Freehold
import FreeholdEngine
import Testing

class Room: EmbeddedObject {
    @Persisted var name = ""
    @Persisted var window: Window?
    @Persisted var lamps: List<Window>
    @Persisted var guest: Guest?
    @Persisted(deleteRule: .cascade) var key: DoorKey?
    @Persisted(deleteRule: .deny) var lock: DoorKey?
    @Persisted(originProperty: "rooms") var houses: LinkingObjects<House>
}

class Window: EmbeddedObject {
    @Persisted var width = 0
}

class Guest: Object {
    @Persisted var name = ""
    @Persisted(originProperty: "firstGuest") var hosts: LinkingObjects<House>
}

class DoorKey: Object {
    @Persisted var number = 0
}

class House: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var hall: Room?
    @Persisted var rooms: List<Room>
    @Persisted var byName: Map<String, Room?>
    @Persisted var floors: Map<String, List<Room>>
    @Persisted var firstGuest: Guest?
}

class Shackle: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted(deleteRule: .deny) var next: Shackle?
    @Persisted(deleteRule: .deny) var key: DoorKey?
}

class WrongHouse: Object {
    @Persisted var set: MutableSet<Window>
    @Persisted var list: List<Guest?>
    @Persisted var map: Map<String, Guest>
}

@Suite("Objects that live within others")
struct EmbeddedTests {
    private let types: [ObjectBase.Type] = [House.self, Room.self, Window.self, Guest.self, DoorKey.self]

    private func house() -> House {
        House(value: ["id": 1, "hall": room("hall"), "rooms": [room("r0"), room("r1")], "byName": ["a": room("ma"), "b": NSNull()],
                      "floors": ["up": [room("f0")]]])
    }

    private func room(_ name: String) -> [String: Any] {
        ["name": name, "window": ["width": 2], "lamps": [["width": 1], ["width": 3]], "guest": ["name": "G\(name)"], "key": ["number": 7]]
    }

    private func counts(_ realm: Realm) -> [Int] {
        [realm.objects(Room.self).count, realm.objects(Window.self).count, realm.objects(Guest.self).count, realm.objects(DoorKey.self).count]
    }

    @Test("they come along, with all within them, and go with what they live in")
    func ownership() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration(types)), house = house()
        try realm.write { realm.add(house) }
        #expect(counts(realm) == [5, 15, 5, 5])
        #expect(house.byName["a"]??.lamps.map(\.width) == [1, 3] && house.byName["b"] == .some(nil) && house.floors["up"]?[0].guest?.name == "Gf0")
        #expect(house.rooms[0].houses.map(\.id) == [1])
        try realm.write { house.hall = nil }
        // What it links to stays, but for what it takes along.
        #expect(counts(realm) == [4, 12, 5, 4])
        try realm.write {
            house.rooms.remove(at: 0)
            house.byName["a"] = nil
            house.floors["up"]?.removeAll()
        }
        #expect(counts(realm) == [1, 3, 5, 1] && house.byName.keys == ["b"] && house.floors["up"] == [])
        try realm.write { realm.delete(house) }
        #expect(counts(realm) == [0, 0, 5, 0])
    }

    @Test("what is replaced is deleted: in a property, a list, a map, and by whole collections")
    func replacing() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration(types)), house = house()
        try realm.write { realm.add(house) }
        let before = [try #require(house.hall), house.rooms[1], try #require(house.byName["a"] ?? nil)]
        try realm.write {
            house.hall = Room(value: ["name": "h2"])
            house.rooms[1] = Room(value: ["name": "r2"])
            house.rooms.insert(Room(value: ["name": "r3"]), at: 0)
            house.byName["a"] = Room(value: ["name": "m2"])
            house.byName["b"] = Room(value: ["name": "m3"])
            house.byName["c"] = .some(nil)
        }
        #expect(before.map(\.isInvalidated) == [true, true, true])
        #expect(house.hall?.name == "h2" && house.rooms.map(\.name) == ["r3", "r0", "r2"] && house.byName.values.map { $0?.name } == ["m2", "m3", nil])
        #expect(realm.objects(Room.self).count == 7 && realm.objects(DoorKey.self).count == 2)
        try realm.write {
            house.rooms.swapAt(0, 2)
            house.rooms.move(from: 1, to: 0)
            #expect(house.rooms.map(\.name) == ["r0", "r2", "r3"])
            let list = List<Room>()
            list.append(Room(value: ["name": "only"]))
            house.rooms = list
            house["byName"] = ["x": ["name": "y"]]
            house["hall"] = ["name": "h3"]
            house.floors["up"] = [Room(value: ["name": "f1"])]
            house.floors["down"] = [Room(value: ["name": "f2"]), Room(value: ["name": "f3"])]
        }
        #expect(house.rooms.map(\.name) == ["only"] && house.byName.keys == ["x"] && house.hall?.name == "h3")
        #expect(house.floors["up"]?.map(\.name) == ["f1"] && house.floors["down"]?.map(\.name) == ["f2", "f3"])
        #expect(realm.objects(Room.self).count == 6)
        let hall = try #require(house.hall)
        try realm.write { realm.delete(hall) }
        #expect(house.hall == nil)
        try realm.write { realm.delete(house.byName) }
        #expect(house.byName["x"] == .some(nil) && realm.objects(Room.self).count == 4)
    }

    @Test("one that lives somewhere cannot live elsewhere too: it is told, nothing is lost; a copy can")
    func sharing() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration(types)), house = house(), other = House(value: ["id": 2])
        try realm.write { realm.add([house, other]) }
        let room = house.rooms[0], told = ["Can't set link to existing managed embedded object"]
        try realm.write {
            #expect(mistakes { other.hall = room } == told)
            #expect(mistakes { other.rooms.append(room) } == told)
            #expect(mistakes { house.rooms[1] = room } == told)
            #expect(mistakes { other.byName["k"] = room } == told)
            #expect(mistakes { house.rooms = [Room(), room] } == told)
            #expect(mistakes { other.rooms = house.rooms } == told)
            #expect(mistakes { other.byName = house.byName } == told)
            #expect(mistakes { other["hall"] = room } == told)
            #expect(mistakes { realm.add(House(value: ["id": 3, "rooms": [room]])) } == [])
            house.rooms = house.rooms
            house.byName = house.byName
        }
        #expect(other.hall == nil && other.rooms.isEmpty && other.byName["k"] == nil)
        #expect(house.rooms.map(\.name) == ["r0", "r1"] && !room.isInvalidated && house.byName["a"]??.name == "ma")
        #expect(realm.object(ofType: House.self, forPrimaryKey: 3)?.rooms.map(\.name) == ["r0"])
        try realm.write {
            other.hall = Room(value: room)
            other.byName["k"] = Room(value: room)
            other.rooms.append(objectsIn: house.rooms.map { Room(value: $0) })
        }
        #expect(other.hall?.lamps.map(\.width) == [1, 3] && other.hall?.guest?.isSameObject(as: room.guest) == true)
        #expect(other.rooms.map(\.name) == ["r0", "r1"] && other.byName["k"]??.window?.width == 2)
        try realm.write { realm.delete(other) }
        #expect(!room.isInvalidated && room.window?.width == 2)
        try realm.write { realm.delete(house) }
        try realm.write { #expect(mistakes { realm.objects(House.self)[0].hall = room } == ["Object has been deleted or invalidated."]) }
    }

    @Test("what may not be deleted stays where it lives, however it is taken out")
    func denied() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration(types)), house = house()
        try realm.write {
            realm.add(house)
            let lock = DoorKey(value: [9])
            let locked: [Room?] = [house.hall, house.rooms[1], house.byName["a"] ?? nil, house.floors["up"]?[0]]
            for room in locked { room?.lock = lock }
        }
        for change in [{ house.hall = nil }, { house.hall = Room() }, { house.rooms.removeLast() }, { house.rooms[1] = Room() }, { house.rooms.removeAll() },
                       { house.byName["a"] = nil }, { house.byName["a"] = Room() }, { house.floors["up"] = [] }, { realm.delete(house) }] {
            let error = #expect(throws: Realm.Error.self) { try realm.write { change() } }
            #expect(error?.message.contains("lock") == true)
        }
        #expect(house.hall?.name == "hall" && house.rooms.map(\.name) == ["r0", "r1"] && house.byName["a"]??.name == "ma")
        #expect(house.floors["up"]?.map(\.name) == ["f0"] && realm.objects(Room.self).count == 5)
        try realm.write {
            house.hall?.lock = nil
            house.hall = nil
        }
        #expect(house.hall == nil)
    }

    @Test("classes that hold them where they cannot be are refused")
    func refused() throws {
        let folder = try Folder()
        #expect {
            _ = try Realm(configuration: folder.configuration([WrongHouse.self, Guest.self, Window.self, House.self, Room.self, DoorKey.self]))
        } throws: { error in
            ["'WrongHouse.set' is a set, but objects of class 'Window' live within others", "'WrongHouse.list' cannot be of optional objects",
             "'WrongHouse.map' must be of optional objects: Map<String, Guest?>"].allSatisfy { "\(error)".contains($0) }
        }
        #expect(try Realm(configuration: folder.configuration(types)).objects(House.self).isEmpty)
    }
}
