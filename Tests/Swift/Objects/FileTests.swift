import Foundation
@testable import Freehold
import FreeholdEngine
import Synchronization
import Testing

@Suite("Whole files")
struct FileTests {
    private let types: [ObjectBase.Type] = [Person.self, Dog.self]

    private func fill(_ configuration: Realm.Configuration, dogs: Int = 3) throws {
        let realm = try Realm(configuration: configuration)
        try realm.write { for age in 0..<dogs { realm.create(Dog.self, value: ["name": "Rex \(age)", "age": age]) } }
    }

    private func ages(_ configuration: Realm.Configuration) throws -> [Int] { try Realm(configuration: configuration).objects(Dog.self).map(\.age) }

    @Test("files are removed with all that stands beside them, and not while they are open")
    func delete() throws {
        let folder = try Folder(), configuration = folder.configuration(types)
        #expect(!Realm.fileExists(for: configuration))
        #expect(try !Realm.deleteFiles(for: configuration))
        do {
            let realm = try Realm(configuration: configuration)
            #expect(Realm.fileExists(for: configuration))
            let error = #expect(throws: Realm.Error.self) { try Realm.deleteFiles(for: configuration) }
            #expect(error?.code == .alreadyOpen)
            #expect(realm.isEmpty)
        }
        #expect(try Realm.deleteFiles(for: configuration))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
        // What is left when somebody removes the file by hand goes too.
        try fill(configuration)
        #expect(FileManager.default.createFile(atPath: configuration.fileURL!.path + ".lock", contents: nil))
        try FileManager.default.removeItem(at: configuration.fileURL!)
        #expect(try Realm.deleteFiles(for: configuration))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
        try fill(configuration)
        #expect(try ages(configuration) == [0, 1, 2])
    }

    @Test("a realm that was let go is closed at once, though other threads open other files and end meanwhile")
    func closedAtOnce() throws {
        let folder = try Folder(), configuration = folder.configuration(types), isOver = Atomic<Bool>(false)
        let others = ["one.freehold", "two.freehold"].map { folder.configuration(types, name: $0) }
        try onThreads(3) { number in
            if number < 2 {
                while !isOver.load(ordering: .relaxed) {
                    try onThread { _ = try Realm(configuration: others[number]).objects(Dog.self).freeze().count }
                }
                return
            }
            defer { isOver.store(true, ordering: .relaxed) }
            for _ in 0..<100 {
                do {
                    let realm = try Realm(configuration: configuration)
                    try realm.write { realm.create(Dog.self, value: ["name": "Rex"]) }
                    #expect(realm.objects(Dog.self).freeze().count == 1)
                }
                try Realm.deleteFiles(for: configuration)
            }
        }
    }

    @Test("a copy holds what the realm shows, also what is not committed yet, plain or under another key")
    func copies() throws {
        let folder = try Folder()
        var configuration = folder.configuration(types)
        configuration.encryptionKey = Realm.generateEncryptionKey()
        try fill(configuration)
        let realm = try Realm(configuration: configuration)
        #expect(realm.objects(Dog.self).count == 3)
        var other = folder.configuration(types, name: "other.freehold")
        try Database.open(configuration.fileURL!.path, SharedDatabase.Terms(path: "", encryptionKey: Array(configuration.encryptionKey!)).options()).write {
            try $0.delete(try $0.table("Dog").keys(), from: try $0.table("Dog"))
        }
        // Somebody deletes all; the realm still shows them.
        try realm.writeCopy(toFile: other.fileURL!)
        #expect(try ages(other) == [0, 1, 2])
        let taken = #expect(throws: Realm.Error.self) { try realm.writeCopy(toFile: other.fileURL!) }
        #expect(taken?.code == .fileExists)
        #expect(throws: (any Error).self) { try realm.writeCopy(toFile: URL(fileURLWithPath: folder.url.path + "/no/x.freehold")) }

        other = folder.configuration(types, name: "within.freehold")
        other.encryptionKey = Data(1...64)
        realm.beginWrite()
        realm.create(Dog.self, value: ["age": 7])
        try realm.writeCopy(configuration: other)
        realm.cancelWrite()
        #expect(try ages(other) == [7])
        #expect(realm.objects(Dog.self).count == 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
        #expect(!names.contains { $0.contains("unfinished") })
    }

    @Test("a backup opens as the file it was made from, and compacting gives space back meanwhile")
    func backups() throws {
        let folder = try Folder(), configuration = folder.configuration(types)
        try fill(configuration, dogs: 20_000)
        let realm = try Realm(configuration: configuration)
        var told: UInt64 = 0
        let backup = folder.configuration(types, name: "backup.freehold")
        try realm.backup(toFile: backup.fileURL!) { done, total in told = max(told, done * 100 / total) }
        #expect(told == 100)
        #expect(try Realm(configuration: backup).objects(Dog.self).count == 20_000)
        try realm.write { for dog in realm.objects(Dog.self) where dog.age > 9 { realm.delete(dog) } }
        #expect(try mistakes { _ = try realm.write { try realm.compact() } } == ["Cannot compact a Realm within a write transaction."])
        let (before, after) = try realm.compact()
        #expect(after < before / 2)
        #expect(realm.objects(Dog.self).map(\.age) == Array(0...9))
    }

    @Test("a file that wants it is made smaller at its first opening in the process, and only then")
    func compactOnLaunch() throws {
        let folder = try Folder()
        var configuration = folder.configuration(types)
        let asked = Mutex<[(Int, Int)]>([])
        configuration.shouldCompactOnLaunch = { total, used in
            asked.withLock { $0.append((total, used)) }
            return total > 2 * used
        }
        try fill(configuration, dogs: 20_000)
        #expect(asked.withLock { $0.isEmpty })
        do {
            let realm = try Realm(configuration: configuration)
            try realm.write { for dog in realm.objects(Dog.self) where dog.age > 9 { realm.delete(dog) } }
            _ = try Realm(configuration: configuration)
        }
        asked.withLock { $0 = [] }
        // Somebody else has it: asked, and left alone.
        let other = try Database.open(configuration.fileURL!.path)
        do { _ = try Realm(configuration: configuration) }
        let (total, used) = try #require(asked.withLock { $0.first })
        #expect(used > 0 && total > 2 * used)
        #expect(try length(configuration) >= total)
        other.close()
        let realm = try Realm(configuration: configuration), again = try Realm(configuration: configuration)
        #expect(asked.withLock { $0.count } == 2)
        #expect(try length(configuration) < total / 2)
        #expect(again.objects(Dog.self).map(\.age) == Array(0...9))
        #expect(realm == again)
    }

    private func length(_ configuration: Realm.Configuration) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: configuration.fileURL!.path)[.size] as? Int)
    }

    @Test("a new file begins as a copy of its seed; a file that is there stays")
    func seeds() throws {
        let folder = try Folder(), seed = folder.configuration(types, name: "seed.freehold")
        try fill(seed)
        var configuration = folder.configuration(types)
        configuration.seedFilePath = seed.fileURL
        #expect(try ages(configuration) == [0, 1, 2])
        try fill(seed)
        #expect(try ages(configuration) == [0, 1, 2])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).allSatisfy { !$0.contains("seed-") })
        // What a run that was killed has left is removed by the next one.
        let left = configuration.fileURL!.path + ".unfinished-0123abcd"
        #expect(FileManager.default.createFile(atPath: left, contents: Data()))
        #expect(try Realm.deleteFiles(for: configuration))
        #expect(try ages(configuration) == [0, 1, 2, 0, 1, 2])
        #expect(!FileManager.default.fileExists(atPath: left))
        var other = folder.configuration(types, name: "other.freehold")
        other.seedFilePath = folder.url.appendingPathComponent("none.freehold")
        let error = #expect(throws: Realm.Error.self) { _ = try Realm(configuration: other) }
        #expect(error?.code == .fileNotFound && error?.message.contains("none.freehold") == true)
        #expect(!Realm.fileExists(for: other))
    }

    @Test("too many versions held are told when a write begins")
    func versions() throws {
        let folder = try Folder()
        var configuration = folder.configuration(types)
        configuration.maximumNumberOfActiveVersions = 2
        let realm = try Realm(configuration: configuration), database = try Database.open(configuration.fileURL!.path)
        var held: [Snapshot] = []
        #expect(try mistakes {
            try realm.write {}
            held.append(try database.snapshot())
            try realm.write { realm.create(Dog.self) }
        } == [])
        held.append(try database.snapshot())
        try database.write { try $0.addProperty(PropertySchema("more", .int), to: "Dog") }
        #expect(try mistakes { try realm.write { _ = realm.create(Dog.self) } }.first == "Number of active versions (3) in the Realm exceeded the limit of 2")
        held = []
        #expect(try mistakes { _ = try realm.write { realm.create(Dog.self) } } == [])
        #expect(realm.objects(Dog.self).count == 2)
    }

    @Test("one in memory is shared by its name, is no file, and goes with its last realm")
    func inMemory() throws {
        var configuration = Realm.Configuration(inMemoryIdentifier: "FileTests-\(UUID())")
        configuration.objectTypes = types
        do {
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.create(Dog.self) }
            #expect(try Realm(configuration: configuration) == realm)
            #expect(Realm.fileExists(for: configuration))
            #expect(realm.configuration.fileURL == nil)
            let copy = #expect(throws: Realm.Error.self) { try realm.writeCopy(configuration: configuration) }
            #expect(copy?.code == .invalidInput)
        }
        #expect(!Realm.fileExists(for: configuration))
        #expect(try Realm(configuration: configuration).isEmpty)
    }

    @Test("a symbolic link leads to the same realm, and settings that differ are refused")
    func links() throws {
        let folder = try Folder(), configuration = folder.configuration(types)
        var linked = folder.configuration(types, name: "link.freehold")
        let realm = try Realm(configuration: configuration)
        try FileManager.default.createSymbolicLink(at: linked.fileURL!, withDestinationURL: configuration.fileURL!)
        #expect(try Realm(configuration: linked) == realm)
        for change: (inout Realm.Configuration) -> Void in [{ $0.readOnly = true }, { $0.encryptionKey = Data(0..<64) }] {
            linked = configuration
            change(&linked)
            let error = #expect(throws: Realm.Error.self) { _ = try Realm(configuration: linked) }
            #expect(error?.code == .alreadyOpen || error?.code == .invalidDatabase)
        }
        linked = configuration
        linked.readOnly = true
        #expect { _ = try Realm(configuration: linked) } throws: {
            "\($0)" == "Realm at path '\(configuration.fileURL!.path)' already opened with different read permissions."
        }
    }

    @Test("a file to be read only cannot be made smaller, nor written")
    func readOnly() throws {
        let folder = try Folder()
        var configuration = folder.configuration(types)
        try fill(configuration)
        configuration.readOnly = true
        configuration.shouldCompactOnLaunch = { _, _ in true }
        #expect(try mistakes { _ = try Realm(configuration: configuration) } == ["Cannot set `shouldCompactOnLaunch` when `readOnly` is set."])
        configuration.shouldCompactOnLaunch = nil
        let realm = try Realm(configuration: configuration)
        #expect(realm.objects(Dog.self).map(\.age) == [0, 1, 2])
        #expect(mistakes { realm.beginWrite() } == ["Can't perform transactions on read-only Realms."])
    }

    @Test("a class that a file to be read only does not have has no objects")
    func absentClass() throws {
        let folder = try Folder()
        var configuration = folder.configuration(types)
        try fill(configuration)
        configuration.readOnly = true
        configuration.objectTypes = [Dog.self, Person.self, Animal.self, Kennel.self, Address.self]
        let realm = try Realm(configuration: configuration)
        let told = mistakes {
            #expect(realm.objects(Animal.self).isEmpty && realm.objects(Animal.self).first == nil)
            #expect(realm.object(ofType: Kennel.self, forPrimaryKey: "x") == nil && realm.object(ofType: Animal.self, forPrimaryKey: 1) == nil)
            #expect(!realm.isEmpty && realm.objects(Dog.self).count == 3)
        }
        #expect(told == [])
    }
}
