import Foundation
import Freehold
import Testing

/// What docs/from-realm.md calls the same is written here as a program for RealmSwift has it.
@Suite("Names that Realm's users know")
struct ConformanceTests {
    @Test("realms, configurations and files")
    func realms() throws {
        let folder = try Folder()
        var configuration = Realm.Configuration(
            fileURL: folder.url.appendingPathComponent("a.realm"), inMemoryIdentifier: nil, encryptionKey: nil, readOnly: false, schemaVersion: 0,
            migrationBlock: nil, deleteRealmIfMigrationNeeded: false, shouldCompactOnLaunch: nil, objectTypes: Tutorial.types, seedFilePath: nil)
        configuration.maximumNumberOfActiveVersions = nil
        let realm = try Realm(configuration: configuration, queue: nil)
        #expect(realm.configuration == configuration)
        let result: Int = try realm.write {
            realm.add(TDog(value: ["name": "Rex"]))
            realm.add([TDog()], update: .error)
            realm.create(TBook.self, value: ["id": 1], update: .modified)
            return realm.objects(TDog.self).count
        }
        #expect(result == 2 && !realm.isEmpty && !realm.isInWriteTransaction)
        realm.beginWrite()
        realm.delete(realm.objects(TDog.self))
        realm.cancelWrite()
        realm.invalidate()
        #expect(!realm.refresh() && realm.objects(TDog.self).count == 2)
        try realm.writeCopy(toFile: folder.url.appendingPathComponent("b.realm"), encryptionKey: nil)
        #expect(Realm.fileExists(for: configuration))
        do { _ = try Realm.deleteFiles(for: configuration) } catch Realm.Error.alreadyOpen {} catch { Issue.record(error) }
        do { _ = try Realm.deleteFiles(for: configuration) } catch let error as Realm.Error where error.code == .alreadyOpen {
            #expect(error.fileURL?.lastPathComponent == "a.realm")
        }
    }

    @Test("codes of errors have Realm's numbers")
    func codes() {
        let codes: [Realm.Error.Code] = [
            Realm.Error.fail, Realm.Error.fileAccess, Realm.Error.filePermissionDenied, Realm.Error.fileExists, Realm.Error.fileNotFound,
            Realm.Error.fileFormatUpgradeRequired, Realm.Error.incompatibleLockFile, Realm.Error.addressSpaceExhausted, Realm.Error.schemaMismatch,
            Realm.Error.alreadyOpen, Realm.Error.invalidInput, Realm.Error.outOfDiskSpace, Realm.Error.unsupportedFileFormatVersion,
            Realm.Error.fileOperationFailed, Realm.Error.invalidDatabase,
        ]
        #expect(codes.map(\.rawValue) == [1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 13, 14, 16, 19, 20])
        #expect(Realm.Error.callFailed.code == .fail)
    }

    @Test("objects and collections")
    func objects() throws {
        let folder = try Folder(), realm = try Realm(configuration: folder.configuration(Tutorial.types))
        let person = TPerson(value: ["name": "Ann", "dogs": [["name": "Rex", "age": 3], ["name": "Fido", "age": 5]]])
        try realm.write { realm.add(person) }
        #expect(person.realm == realm && !person.isInvalidated && person["name"] as? String == "Ann")
        #expect(person.value(forKeyPath: "name") as? String == "Ann" && TPerson.className() == "TPerson")
        let dogs = person.dogs
        try realm.write {
            dogs.move(from: 0, to: 1)
            dogs.insert(TDog(value: ["Bello", 1]), at: 0)
            dogs.swapAt(0, 2)
            dogs.remove(at: 2)
        }
        #expect(dogs.map(\.name) == ["Rex", "Fido"])
        #expect(dogs.max(ofProperty: "age") as Int? == 5 && dogs.sum(of: \.age) == 8 && dogs.average(ofProperty: "age") as Double? == 4)
        #expect(dogs.index(of: dogs[1]) == 1 && dogs.count == 2 && dogs.first?.owners.count == 1)
    }

    @Test("queries")
    func queries() throws {
        let folder = try Folder(), realm = try Realm(configuration: folder.configuration(Tutorial.types))
        try realm.write {
            for age in 0..<10 { realm.create(TPerson.self, value: ["name": "P\(age)", "age": age, "dogs": [["name": "D\(age)", "age": 9 - age]]]) }
        }
        let persons: Results<TPerson> = realm.objects(TPerson.self)
        #expect(persons.filter("age > %@ AND ANY dogs.age >= 3", 3).count == 3)
        #expect(persons.filter(NSPredicate(format: "age BETWEEN {%@, %@}", 2, 4)).count == 3)
        #expect(persons.where { $0.age > 3 && ($0.dogs.name == "D4" || $0.dogs.age.contains(0...1)) }.map(\.age) == [4, 8, 9])
        #expect(persons.where { ($0.dogs.age > 2 && $0.dogs.name.starts(with: "d", options: .caseInsensitive)).count >= 1 }.count == 7)
        let descriptors = [Freehold.SortDescriptor(keyPath: "age", ascending: false), Freehold.SortDescriptor(keyPath: \TPerson.name)]
        #expect(persons.sorted(by: descriptors).first?.age == 9 && persons.sorted(byKeyPath: "name", ascending: false).first?.age == 9)
        #expect(persons.sorted(by: \.age, ascending: false).last?.age == 0 && descriptors[0].reversed().ascending)
        #expect(persons.distinct(by: ["planet"]).count == 1 && persons.distinct(by: [\TPerson.age]).count == 10)
        #expect(persons.index(matching: "age == %@", 4) == 4 && persons.index(matching: { $0.age == 5 }) == 5)
        #expect(persons.first?.dogs.filter("age > 100").isEmpty == true && realm.objects(TDog.self).where { $0.owners.name == "P1" }.count == 1)
        try realm.write { persons.filter("age < 5").setValue("Mars", forKey: "planet") }
        #expect(persons.filter("planet == 'Mars'").average(ofProperty: "age") as Double? == 2)
    }
}
