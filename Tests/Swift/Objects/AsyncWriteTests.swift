import Dispatch
import Foundation
@testable import Freehold
import FreeholdEngine
import Synchronization
import Testing

@Suite("Writing without waiting, on queues")
struct AsyncWriteTests {
    private let types: [ObjectBase.Type] = [Person.self, Dog.self]

    @Test("a block writes on the realm's queue, everybody sees it, and the completion comes after")
    func writes() throws {
        let folder = try Folder(), configuration = folder.configuration(types), queue = RealmQueue("writes", configuration), notes = Notes()
        try queue.sync { realm in
            #expect(!realm.isPerformingAsynchronousWriteOperations)
            let id = realm.writeAsync({
                notes.add("block \(realm.isInWriteTransaction)")
                realm.setAge(1)
            }) { error in notes.add("complete \(error == nil) \(realm.isInWriteTransaction) \(realm.age)") }
            #expect(id != 0 && realm.isPerformingAsynchronousWriteOperations && !realm.isInWriteTransaction)
        }
        try queue.settle()
        #expect(notes.all == ["block true", "complete true false 1"])
        let information = try Database.open(folder.path).information()
        #expect(information.durableVersion == information.version)
        #expect(try Realm(configuration: configuration).age == 1)
    }

    @Test("blocks run in the order in which they were asked for, also those that blocks and writes ask for")
    func order() throws {
        let folder = try Folder(), queue = RealmQueue("order", folder.configuration(types)), notes = Notes()
        try queue.sync { realm in
            try realm.write {
                for number in 0..<3 { realm.writeAsync { notes.add("\(number)") } }
                realm.setAge(0)
                notes.add("first")
            }
            realm.beginAsyncWrite {
                notes.add("3")
                realm.beginAsyncWrite {
                    notes.add("4")
                    #expect(realm.age == 5)
                    try? realm.commitWrite()
                }
                realm.setAge(5)
                realm.commitAsyncWrite()
                #expect(!realm.isInWriteTransaction && realm.age == 5)
            }
        }
        try queue.settle()
        #expect(notes.all == ["first", "0", "1", "2", "3", "4"])
    }

    @Test("asking waits for nobody, though another thread writes")
    func doesNotWait() throws {
        let folder = try Folder(), configuration = folder.configuration(types), queue = RealmQueue("asks", configuration)
        let realm = try Realm(configuration: configuration)
        try realm.write { realm.setAge(1) }
        realm.beginWrite()
        try queue.sync { own in
            own.writeAsync { own.setAge(own.age + 10) }
            #expect(own.age == 1 && own.isPerformingAsynchronousWriteOperations)
        }
        realm.setAge(2)
        try realm.commitWrite()
        try queue.settle()
        realm.refresh()
        #expect(realm.age == 12)
    }

    @Test("a write that waits where a block is to run goes before the block, and both are done")
    func sameQueue() throws {
        let folder = try Folder(), queue = RealmQueue("both", folder.configuration(types))
        for round in 0..<20 {
            try queue.sync { realm in
                realm.writeAsync { realm.setAge(realm.age * 2) }
                try realm.write { realm.setAge(round) }
                #expect(realm.age == round)
            }
            try queue.settle()
            #expect(try queue.sync { $0.age } == round * 2)
        }
    }

    @Test("a queue that does not come to its block keeps nobody from writing, and writes later")
    func comesLate() throws {
        let folder = try Folder(), configuration = folder.configuration(types), queue = RealmQueue("late", configuration)
        try queue.sync { realm in
            realm.writeAsync { realm.setAge(realm.age + 100) }
            queue.queue.suspend()
        }
        let realm = try Realm(configuration: configuration)
        for age in 1...3 { try realm.write { realm.setAge(age) } }
        #expect(realm.age == 3)
        queue.queue.resume()
        try queue.settle()
        #expect(try queue.sync { $0.age } == 103)
    }

    @Test("blocks of a queue that comes late run in the order in which they were asked for")
    func orderAfterComingLate() throws {
        let folder = try Folder(), configuration = folder.configuration(types), notes = Notes()
        let queue = RealmQueue("late order", configuration)
        let realm = try Realm(configuration: configuration)
        for round in 0..<2 {
            try queue.sync { realm in
                for number in 0..<4 { realm.writeAsync { notes.add("\(round).\(number)") } }
                queue.queue.suspend()
            }
            // Each write waits until a request has given the lock back.
            for age in 0..<3 { try realm.write { realm.setAge(age) } }
            if round == 0 { realm.beginWrite() }
            queue.queue.resume()
            queue.queue.sync {}
            if round == 0 { try realm.commitWrite() }
            try queue.settle()
        }
        #expect(notes.all == (0..<8).map { "\($0 / 4).\($0 % 4)" })
    }

    @Test("what a block neither commits nor cancels is undone; what it ended stays so")
    func unended() throws {
        let folder = try Folder(), queue = RealmQueue("unended", folder.configuration(types)), notes = Notes()
        try queue.sync { realm in
            realm.beginAsyncWrite { realm.setAge(1) }
            realm.writeAsync({
                realm.setAge(2)
                try? realm.commitWrite()
            }) { _ in notes.add("committed itself") }
            realm.writeAsync({
                realm.setAge(3)
                realm.cancelWrite()
            }) { _ in notes.add("cancelled itself") }
        }
        try queue.settle()
        #expect(try queue.sync { $0.age } == 2 && notes.all.isEmpty)
    }

    @Test("a block that was dropped does not run; of a commit only the completion is dropped")
    func dropped() throws {
        let folder = try Folder(), queue = RealmQueue("dropped", folder.configuration(types)), notes = Notes()
        try queue.sync { realm in
            let first = realm.writeAsync { notes.add("dropped") }
            realm.writeAsync { realm.setAge(1) }
            try realm.cancelAsyncWrite(first)
            realm.beginAsyncWrite {
                realm.setAge(2)
                let commit = realm.commitAsyncWrite { _ in notes.add("completed") }
                try? realm.cancelAsyncWrite(commit)
            }
            try realm.cancelAsyncWrite(4000)
        }
        try queue.settle()
        #expect(try queue.sync { $0.age } == 2 && notes.all.isEmpty)
    }

    @Test("commits that may share a flush complete together, in order; one that may not makes them complete")
    func grouped() throws {
        let folder = try Folder(), queue = RealmQueue("grouped", folder.configuration(types)), notes = Notes()
        try queue.sync { realm in
            for number in 0..<50 {
                realm.beginAsyncWrite {
                    realm.setAge(number)
                    realm.commitAsyncWrite(allowGrouping: number != 30) { _ in notes.add("\(number)") }
                }
            }
        }
        try queue.settle()
        #expect(notes.all == (0..<50).map(String.init))
        try queue.sync { realm in
            realm.beginWrite()
            realm.setAge(60)
            realm.commitAsyncWrite(allowGrouping: true) { _ in notes.add("alone \(realm.age)") }
        }
        try queue.settle()
        #expect(notes.all.last == "alone 60")
    }

    @Test("what is asked where nothing could come back is told, and so are realms that cannot be written")
    func misuse() throws {
        let folder = try Folder(), configuration = folder.configuration(types)
        let told = try onThread {
            let realm = try Realm(configuration: configuration)
            return mistakes { realm.writeAsync {} } + mistakes { realm.commitAsyncWrite() } + mistakes { realm.freeze().beginAsyncWrite {} }
        }
        #expect(told == ["Cannot schedule async transaction. Make sure you are running from inside a run loop.",
                         "Can't commit a non-existing write transaction", "Can't perform transactions on a frozen Realm"])
    }

    @Test("what the data refuses in a block is given to the completion, whether or not somebody listens to mistakes", arguments: [false, true])
    func refused(isHeard: Bool) throws {
        let folder = try Folder(), queue = RealmQueue("refused", folder.configuration(types)), notes = Notes()
        func refuse(_ realm: Realm) {
            let add = { for id in [1, 1, 2] { realm.add(Person(value: ["id": id])) } }
            if isHeard { #expect(mistakes(add) == []) } else { add() }
        }
        func note(_ error: (any Error)?) { notes.add((error as? Realm.Error).map { "\($0.code)" } ?? "done") }
        try queue.sync { realm in
            realm.writeAsync({ refuse(realm) }, onComplete: note)
            realm.beginAsyncWrite {
                refuse(realm)
                realm.commitAsyncWrite(note)
                #expect(!realm.isInWriteTransaction)
            }
            realm.beginAsyncWrite {
                refuse(realm)
                #expect(refusalCode { try realm.commitWrite() } == .invalidInput)
            }
            realm.writeAsync({ realm.add(Person(value: ["id": 7])) }, onComplete: note)
        }
        try queue.settle()
        #expect(notes.all == ["invalidInput", "invalidInput", "done"])
        #expect(try queue.sync { $0.objects(Person.self).map(\.id) } == [7])
    }

    @Test("a thread with a run loop writes so too")
    func runLoop() throws {
        let folder = try Folder(), configuration = folder.configuration(types)
        let age = try onThread {
            let realm = try Realm(configuration: configuration), age = Atomic<Int>(-1), own = Smuggled(realm)
            RunLoop.current.perform {
                own.value.writeAsync({ own.value.setAge(7) }) { _ in age.store(own.value.age, ordering: .relaxed) }
            }
            while age.load(ordering: .relaxed) < 0 { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
            return age.load(ordering: .relaxed)
        }
        #expect(age == 7)
    }

    @Test("many queues write at once, and nothing is lost")
    func many() throws {
        let folder = try Folder(), configuration = folder.configuration(types)
        let queues = (0..<6).map { RealmQueue("many \($0)", configuration) }
        try queues[0].sync { realm in try realm.write { realm.setAge(0) } }
        for queue in queues {
            try queue.sync { realm in
                for number in 0..<20 {
                    realm.beginAsyncWrite {
                        realm.setAge(realm.age + 1)
                        realm.commitAsyncWrite(allowGrouping: number % 2 == 0)
                    }
                }
            }
        }
        for queue in queues { try queue.settle() }
        #expect(try Realm(configuration: configuration).age == 120)
    }

    @Test("the file is closed once all is written, and not before")
    func closes() throws {
        let folder = try Folder(), configuration = folder.configuration(types), queue = RealmQueue("closes", configuration), notes = Notes()
        try queue.sync { realm in _ = realm.writeAsync({ realm.setAge(4) }) { _ in notes.add("done") } }
        notes.wait(for: 1)
        // The completion let the realm go.
        queue.queue.sync {}
        #expect(try !SharedDatabase.isOpen(configuration.terms()))
        #expect(try queue.sync { $0.age } == 4)
        #expect(try Realm.deleteFiles(for: configuration))
    }
}
