import Foundation
@testable import Freehold
@testable import FreeholdEngine
import Testing

/// What a file can refuse, each as its user meets it.
@Suite("Files that refuse")
struct FileErrorTests {
    private let types: [ObjectBase.Type] = [Person.self, Dog.self]

    private func refusal(_ configuration: Realm.Configuration) -> Realm.Error? {
        #expect(throws: Realm.Error.self) { _ = try Realm(configuration: configuration) }
    }

    @Test("a folder that is not there, a file that is only to be read and is not there")
    func missing() throws {
        let folder = try Folder()
        var configuration = folder.configuration(types, name: "no/test.freehold")
        #expect(refusal(configuration)?.code == .fileNotFound)
        configuration = folder.configuration(types)
        configuration.readOnly = true
        let error = refusal(configuration)
        #expect(error?.code == .fileNotFound)
        #expect(error?.message.contains("test.freehold") == true)
        #expect(error?.fileURL?.lastPathComponent == "test.freehold")
        do { _ = try Realm(configuration: configuration) } catch Realm.Error.fileNotFound {} catch { Issue.record("not by its name: \(error)") }
    }

    @Test("what is no database, a folder, and a database cut short")
    func noDatabase() throws {
        let folder = try Folder(), configuration = folder.configuration(types)
        let path = configuration.fileURL!.path
        try Data(repeating: 7, count: 100_000).write(to: configuration.fileURL!)
        #expect(refusal(configuration)?.code == .invalidDatabase)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(refusal(configuration)?.code == .invalidDatabase)
        try FileManager.default.removeItem(atPath: path)
        do {
            let realm = try Realm(configuration: configuration)
            try realm.write { for age in 0..<5000 { realm.create(Dog.self, value: ["age": age]) } }
        }
        let bytes = try Data(contentsOf: configuration.fileURL!)
        try bytes.prefix(bytes.count / 2).write(to: configuration.fileURL!)
        #expect(refusal(configuration)?.code == .invalidDatabase)
    }

    @Test("another key, no key, and a key for a plain file")
    func keys() throws {
        let folder = try Folder()
        var configuration = folder.configuration(types)
        let key = Realm.generateEncryptionKey()
        #expect(key.count == 64 && key != Realm.generateEncryptionKey())
        configuration.encryptionKey = key
        do { _ = try Realm(configuration: configuration) }
        for wrong in [Realm.generateEncryptionKey(), nil] {
            configuration.encryptionKey = wrong
            let error = refusal(configuration)
            #expect(error?.code == .invalidDatabase)
            #expect(error?.message.contains("key") == true)
        }
        configuration.encryptionKey = key
        #expect(try Realm(configuration: configuration).isEmpty)
        var plain = folder.configuration(types, name: "plain.freehold")
        do { _ = try Realm(configuration: plain) }
        plain.encryptionKey = key
        #expect(refusal(plain)?.code == .invalidDatabase)
    }

    @Test("a file of a newer version")
    func newer() throws {
        let folder = try Folder(), configuration = folder.configuration(types)
        do { _ = try Realm(configuration: configuration) }
        var bytes = try Data(contentsOf: configuration.fileURL!)
        var header = try #require(bytes.withUnsafeBytes { $0.baseAddress.flatMap { FileHeader.read(at: $0) } })
        header.formatVersion = 99
        for place in FileLayout.headerCopies { header.withBytes { bytes.replaceSubrange(place..<place + $0.count, with: $0) } }
        try bytes.write(to: configuration.fileURL!)
        let error = refusal(configuration)
        #expect(error?.code == .unsupportedFileFormatVersion)
        #expect(error?.message.contains("newer Freehold") == true)
    }

    @Test("a file and a folder that belong to others")
    func permission() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try Folder(), configuration = folder.configuration([Dog.self, Person.self])
            do { _ = try Realm(configuration: configuration) }
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: configuration.fileURL!.path)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.url.path)
            let other = folder.configuration([Dog.self, Person.self], name: "other.freehold")
            becomeNobody(owning: configuration.fileURL!.path, folder.url.path)
            for configuration in [configuration, other] {
                let error = #expect(throws: Realm.Error.self) { _ = try Realm(configuration: configuration) }
                #expect(error?.code == .filePermissionDenied)
                #expect(error?.message.contains("permission") == true)
            }
        }
    }

    @Test("a full disk: nothing is changed, and there is room again later")
    func fullDisk() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try Folder(), configuration = folder.configuration([Dog.self, Person.self])
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.create(Dog.self, value: ["age": 1]) }
            limitFiles(to: 1 << 17)
            for isHeard in [false, true] {
                if isHeard { Misuse.listenEverywhere { Issue.record("a full disk was reported as misuse: \($0)") } }
                let error = #expect(throws: Realm.Error.self) {
                    try realm.write { for age in 0..<50_000 { realm.create(Dog.self, value: ["name": "\(age)", "age": age * age]) } }
                }
                #expect(error?.code == .outOfDiskSpace)
                #expect(realm.objects(Dog.self).map(\.age) == [1])
            }
            limitFiles(to: .max)
            try realm.write { realm.create(Dog.self, value: ["age": 2]) }
            #expect(realm.objects(Dog.self).map(\.age) == [1, 2])
        }
    }

    @Test("no address space", .enabled(if: ProcessInfo.processInfo.environment["FREEHOLD_SANITIZER"] == nil))
    func addressSpace() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try Folder(), configuration = folder.configuration([Dog.self, Person.self])
            _ = ModelDiscovery.classes()
            limitAddressSpace()
            let error = #expect(throws: Realm.Error.self) { _ = try Realm(configuration: configuration) }
            #expect(error?.code == .addressSpaceExhausted)
        }
    }

    @Test("every reason of the engine has its code, and the message names the file")
    func codes() {
        func code(_ engine: FreeholdError.Code) -> Realm.Error.Code { Realm.Error(FreeholdError(engine, "it broke", path: "/a")).code }
        #expect(code(.readOnly) == .filePermissionDenied)
        #expect(code(.io) == .fileAccess && code(.fileReplaced) == .fileAccess && code(.unsupportedFileSystem) == .fileAccess)
        #expect(code(.corrupt) == .invalidDatabase && code(.copiedWhileOpen) == .invalidDatabase)
        #expect(code(.system) == .fileOperationFailed)
        #expect(code(.invalidArgument) == .invalidInput)
        #expect(code(.busy) == .fail)
        let error = Realm.Error(FreeholdError(.io, "it broke", path: "/a"))
        #expect(error.localizedDescription == "it broke (/a)")
        #expect((error as NSError).code == Realm.Error.Code.fileAccess.rawValue)
        #expect(error.userInfo[NSFilePathErrorKey] as? String == "/a")
    }
}
