import Foundation
@testable import Freehold
import FreeholdEngine
import Testing

class Animal: Object {
    @Persisted(primaryKey: true, autoincrement: true) var id: Int
    @Persisted var name = ""
}

class Cat: Animal {
    @Persisted var lives = 9
}

class Boxed<Value: _Persistable>: Object {
    @Persisted var value: Value
}

class Counted: Object {
    @Persisted(primaryKey: true) var id: Int
    var note = ""
}

private class Hidden: Object {
    @Persisted var value = 0
}

/// Kept away from everything that looks at all classes.
private final class Hermit: Object {
    @Persisted var before: Hermit?
    @Persisted var others: List<Hermit>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Realms")
struct RealmTests {
    private let types: [ObjectBase.Type] = [Person.self, Dog.self]

    @Test("opening again on a thread gives the same realm, and closes it with its last holder")
    func sameInstance() throws {
        let folder = try Folder(), configuration = folder.configuration(types)
        var realm: Realm? = try Realm(configuration: configuration)
        #expect(try Realm(configuration: configuration) == realm)
        var person: Person? = Person()
        try realm?.write { realm?.add(person!) }
        realm = nil
        #expect(try SharedDatabase.isOpen(configuration.terms()))
        #expect(person?.name == "nobody")
        person = nil
        #expect(try !SharedDatabase.isOpen(configuration.terms()))
    }

    @Test("commits of others show after a refresh, in objects read the short way too")
    func refresh() throws {
        let folder = try Folder(), configuration = folder.configuration(types)
        let realm = try Realm(configuration: configuration)
        try realm.write { for id in 0..<600 { realm.create(Person.self, value: ["id": id, "age": id]) } }
        let person = realm.objects(Person.self)[7]
        #expect((0..<3).allSatisfy { _ in person.age == 7 })
        let database = try Database.open(configuration.fileURL!.path)
        try database.write { transaction in
            let table = try transaction.table("Person")
            try transaction.set(ObjectKey(7), in: table, table.column("age"), to: .int(70))
        }
        #expect(person.age == 7)
        #expect(realm.refresh())
        #expect(person.age == 70)
        #expect(!realm.refresh())
    }

    @Test("a cancelled write leaves nothing, and what was added is invalid")
    func cancel() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration(types)), ann = Person(value: ["id": 1])
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try realm.write {
                realm.add(ann)
                throw Stop()
            }
        }
        #expect(ann.isInvalidated)
        #expect(realm.isEmpty)
        #expect(!realm.isInWriteTransaction)
    }

    @Test("an object is not taken for another that came under its key")
    func keysOfOthers() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration(types))
        let ann = Person(value: ["id": 1, "name": "Ann"]), bea = Person(value: ["id": 1, "name": "Bea"])
        try realm.write { realm.add(ann) }
        let found = try #require(realm.object(ofType: Person.self, forPrimaryKey: 1))
        try realm.write {
            realm.delete(found)
            realm.add(bea)
        }
        #expect(bea.name == "Bea")
        #expect(ann.isInvalidated && found.isInvalidated)
        #expect(realm.object(ofType: Person.self, forPrimaryKey: 1)?.name == "Bea")
        // Nor is one that a cancelled transaction had added.
        let gone = Dog(value: ["Rex", 1]), dog = Dog(value: ["Fido", 2])
        realm.beginWrite()
        realm.add(gone)
        realm.cancelWrite()
        try realm.write { realm.add(dog) }
        #expect(gone.isInvalidated && !dog.isInvalidated)
        #expect(dog.name == "Fido")
    }

    @Test("going through a class while changing it meets each object once")
    func changeWhileIterating() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration(types))
        try realm.write { for id in 0..<700 { realm.create(Person.self, value: ["id": id]) } }
        try realm.write { for person in realm.objects(Person.self) { person.age += 1 } }
        #expect(realm.objects(Person.self).allSatisfy { $0.age == 1 })
        var seen = 0
        for person in realm.objects(Person.self) {
            seen += 1
            if person.id == 100 { try realm.write { realm.delete(realm.objects(Person.self)[101]) } }
        }
        #expect(seen == 699)
    }

    @Test("an instance held weakly is not used again for another object")
    func weakly() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration(types))
        try realm.write { for id in 0..<600 { realm.create(Person.self, value: ["id": id]) } }
        var held: [Int: WeakPerson] = [:]
        for person in realm.objects(Person.self) { held[person.id] = WeakPerson(person: person) }
        #expect(held.allSatisfy { $1.person == nil || $1.person?.id == $0 })
    }

    @Test("what an instance keeps for itself is not another object's")
    func ownState() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration([Counted.self]))
        try realm.write { for id in 0..<300 { realm.create(Counted.self, value: ["id": id]) } }
        for object in realm.objects(Counted.self) {
            #expect(object.note.isEmpty)
            object.note = "seen \(object.id)"
        }
    }

    @Test("a property that another program adds has its zero in objects made here; one it takes away is told")
    func changedMeanwhile() throws {
        let folder = try Folder(), configuration = folder.configuration(types)
        let realm = try Realm(configuration: configuration), rex = Dog(value: ["Rex", 3])
        try realm.write { realm.add(rex) }
        let database = try Database.open(configuration.fileURL!.path)
        try database.write { transaction in
            try transaction.addProperty(PropertySchema("chip", .string), to: "Dog")
            try transaction.changeType(of: "age", in: "Dog", to: .double)
        }
        realm.refresh()
        var age = -1
        #expect(mistakes { age = rex.age } == ["Property 'Dog.age' is not in the file as this program knows it."])
        #expect(age == 0)
        #expect(rex.name == "Rex")
        try database.write { try $0.changeType(of: "age", in: "Dog", to: .int) }
        realm.refresh()
        try realm.write { realm.add(Dog(value: ["Fido", 4])) }
        #expect(realm.objects(Dog.self).map(\.age) == [3, 4])
    }

    @Test("a file to be read only has to fit the classes")
    func readOnly() throws {
        let folder = try Folder()
        var configuration = folder.configuration([Dog.self, Person.self])
        try Database.open(configuration.fileURL!.path).write { transaction in
            try transaction.createClass(ClassSchema("Dog", [PropertySchema("age", .double)]))
        }
        configuration.readOnly = true
        #expect { _ = try Realm(configuration: configuration) } throws: { ($0 as? Realm.Error)?.code == .schemaMismatch }
    }

    @Test("a class that extends another is found among its objects")
    func hierarchy() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration([Cat.self]))
        try realm.write {
            realm.add(Animal(value: ["name": "Bear"]))
            realm.add(Cat(value: ["name": "Tom", "lives": 7]))
        }
        #expect(realm.objects(Animal.self).map(\.name) == ["Bear", "Tom"])
        #expect(realm.objects(Cat.self).map(\.lives) == [7])
        #expect(realm.objects(Animal.self).compactMap { ($0 as? Cat)?.lives } == [7])
        #expect(realm.objects(Animal.self).map(\.id) == realm.objects(Animal.self).map(\.id).sorted())
    }

    @Test("the fields of classes are those that the run time tells, whoever asks first")
    func fields() throws {
        LinkShape.makeKnown()
        var seen = 0
        for _ in 1...2 {
            for type in ModelDiscovery.classes() {
                #expect(RuntimeClass.name(of: type) == String(describing: type))
                let found = ClassFields.of(type), told = ClassFields.reflected(type)
                #expect(found.map(\.name) == told.map(\.name) && found.map(\.offset) == told.map(\.offset), "\(type)")
                #expect(zip(found, told).allSatisfy { $0.type == $1.type }, "\(type)")
                seen += found.count
            }
        }
        #expect(seen > 200)
        #expect(RuntimeClass.name(of: Boxed<Int>.self) == String(describing: Boxed<Int>.self))
        // What leads to objects is made of their class, as the run time would.
        for shape in LinkShape.allCases {
            let type = try #require(shape.type(for: Dog.self))
            #expect("\(type)".contains("Dog"), "\(type)")
        }
        #expect(LinkShape.linking.type(for: Address.self) == Persisted<LinkingObjects<Address>>.self)
        // Nobody has asked for its fields before, and no other class leads to it.
        _ = ClassFields.of(Dog.self)
        _ = ClassFields.of(Person.self)
        let alone = try #require(ClassFields.found(Hermit.self))
        #expect(alone.map { "\($0.type)" } == ["Persisted<Optional<Hermit>>", "Persisted<List<Hermit>>"])
        // Its fields are of its parameter.
        #expect(ClassFields.of(Boxed<Int>.self).map { "\($0.type)" } == ["Persisted<Int>"])
        #expect(ClassFields.of(Boxed<String>.self).map { "\($0.type)" } == ["Persisted<String>"])
    }

    @Test("a class numbers its objects from 1 on, and gives no number twice")
    func numbers() throws {
        let folder = try Folder(), realm = try Realm(configuration: folder.configuration([Animal.self, Cat.self]))
        func add(_ animal: Animal) throws -> Int {
            try realm.write { realm.add(animal) }
            return animal.id
        }
        #expect(try add(Animal()) == 1)
        #expect(try add(Cat()) == 2)
        try realm.write { realm.deleteAll() }
        #expect(try add(Animal()) == 3)
        #expect(try add(Animal(value: ["id": 10])) == 10)
        #expect(try add(Animal()) == 11)
        #expect(realm.objects(Animal.self).map(\.id) == [3, 10, 11])
    }

    @Test("new properties come by themselves; others are refused with the list of differences")
    func schema() throws {
        let folder = try Folder(), configuration = folder.configuration(types)
        let database = try Database.open(configuration.fileURL!.path)
        try database.write { transaction in
            try transaction.createClass(ClassSchema("Dog", [PropertySchema("name", .string), PropertySchema("age", .string)]))
        }
        #expect { _ = try Realm(configuration: configuration) } throws: { error in
            (error as? Realm.Error)?.message == "Migration is required due to the following errors:\n- Property 'Dog.age' has been changed from 'string' to 'int'."
        }
        try database.write { try $0.dropProperty("age", from: "Dog") }
        let realm = try Realm(configuration: configuration)
        try realm.write { realm.add(Dog(value: ["Rex", 3])) }
        #expect(realm.objects(Dog.self).first?.age == 3)
    }

    @Test("private classes are found, and an instance is as large as its metadata says")
    func metadata() throws {
        #expect(ModelDiscovery.classes().contains { ObjectIdentifier($0) == ObjectIdentifier(Hidden.self) })
        for type in [Person.self, Dog.self, Cat.self, Kennel.self, Hidden.self] as [ObjectBase.Type] {
            #expect(try (end(of: type)..<end(of: type) + 8).contains(RuntimeClass.instanceBytes(of: type)))
        }
    }

    @Test("what a property is of is read from its metadata as the run time says it")
    func propertyMetadata() throws {
        func same<Value: _Persistable>(_ type: Value.Type) -> Bool {
            guard let found = RuntimeClass.persistedValue(of: Persisted<Value>.self) else { return false }
            // The conformance that was found is used, too.
            return found == Value.self && found._kind.type == Value._kind.type && found._kind.collections == Value._kind.collections
        }
        #expect(same(Int.self) && same(String?.self) && same(Dog?.self) && same(List<Dog>.self) && same(Map<String, Pet?>.self))
        #expect(same(LinkingObjects<Owner>.self) && same(AnyRealmValue.self) && same(Date.self) && same(List<List<Int>>.self))
        let others: [any Any.Type] = [Int.self, Int?.self, Dog.self, List<Int>.self, (Int, Int).self, [Int].self, (any Error).self]
        #expect(others.allSatisfy { RuntimeClass.persistedValue(of: $0) == nil })
    }

    @Test("an encrypted file, and one in memory")
    func kinds() throws {
        let folder = try Folder()
        var configuration = folder.configuration(types)
        configuration.encryptionKey = Data(0..<64)
        do {
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.add(Dog(value: ["Rex", 3])) }
        }
        configuration.encryptionKey = Data(1...64)
        #expect { _ = try Realm(configuration: configuration) } throws: { ($0 as? Realm.Error)?.code == .invalidDatabase }
        var inMemory = Realm.Configuration(inMemoryIdentifier: "RealmTests-\(UUID())")
        inMemory.objectTypes = types
        #expect(inMemory.fileURL == nil)
        let realm = try Realm(configuration: inMemory)
        try realm.write { realm.add(Dog(value: ["Rex", 3])) }
        #expect(realm.objects(Dog.self).count == 1)
    }
}

private struct WeakPerson {
    weak var person: Person?
}

/// The byte behind the last stored property of an instance.
private func end(of type: ObjectBase.Type) throws -> Int {
    func size<Value: _Persistable>(_ type: Value.Type) -> Int { MemoryLayout<Persisted<Value>>.size }
    return try ModelClass.of(type).properties.map { $0.offset + size($0.type) }.max() ?? 0
}
