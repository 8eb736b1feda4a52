import Dispatch
import Foundation
@testable import Freehold
@testable import FreeholdEngine
import Testing

class Pamphlet: Object {
    @Persisted(fullText: true) var text = ""

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Building the indexes that models declare")
struct FullTextBuildingTests {
    private static let count = 1200

    /// A file of pamphlets without an index, and what opens it.
    private func older(_ folder: Folder) throws -> Realm.Configuration {
        let database = try folder.file([ClassSchema("Pamphlet", [PropertySchema("text", .string)])]) { transaction in
            for number in 0..<Self.count { try transaction.insert(into: "Pamphlet", [("text", .string("number \(number)"))]) }
        }
        database.close()
        return folder.configuration([Pamphlet.self])
    }

    private func withSlices<Result>(of objects: Int, _ body: () throws -> Result) rethrows -> Result {
        try DerivedBudget.$standard.withValue(DerivedBudget(objects: objects, bytes: 1 << 20), operation: body)
    }

    private func states(_ folder: Folder) throws -> [DerivedIndexState] {
        let database = try Database.open(folder.path)
        defer { database.close() }
        return try database.snapshot().derivedStates().map(\.state)
    }

    @Test("opening returns once the index is declared; it is built in the background, and answers then")
    func background() throws {
        let folder = try Folder(), configuration = try older(folder)
        let realm = try withSlices(of: 100) { try Realm(configuration: configuration) }
        let found = realm.objects(Pamphlet.self).filter("text TEXT '1199'")
        #expect(found.count == 1)
        realm.core.shared.indexes.waitUntilDone()
        realm.refresh()
        #expect(found.count == 1 && found.explain().contains("index for"))
        #expect(try states(folder) == [.complete])
    }

    @Test("a realm that is closed meanwhile closes its file, and the next one goes on")
    func closing() throws {
        let folder = try Folder(), configuration = try older(folder)
        try withSlices(of: 1) { try autoreleasepool { _ = try Realm(configuration: configuration) } }
        // Nothing has the file open any more.
        let report = try Database.compactFile(at: folder.path, OpenOptions())
        #expect(report.lengthAfter > 0)
        let realm = try Realm(configuration: configuration)
        realm.core.shared.indexes.waitUntilDone()
        #expect(try states(folder) == [.complete])
    }

    @Test("opening in the background waits until the index is built, and says how far it is")
    func waiting() throws {
        let folder = try Folder(), configuration = try older(folder), queue = DispatchQueue(label: "callback"), notes = Notes()
        let database = try Database.open(folder.path), done = DispatchSemaphore(value: 0)
        try withSlices(of: 100) { try database.write { try $0.fullText.add(["text"], to: "Pamphlet") } }
        queue.suspend()
        let task = Realm.asyncOpen(configuration: configuration, callbackQueue: queue) { result in
            if case .failure(let error) = result { notes.add("\(error)") }
            done.signal()
        }
        task.addProgressNotification(queue: queue) { progress in
            if progress.step == .indexing { notes.add("indexing \(progress.stepFraction)") }
        }
        queue.resume()
        done.wait()
        queue.sync {}
        #expect(notes.all.last == "indexing 1.0", "\(notes.all)")
        #expect(try database.snapshot().derivedStates().map(\.state) == [.complete])
    }
}
