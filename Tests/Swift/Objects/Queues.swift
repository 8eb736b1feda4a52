import Dispatch
import Foundation
@testable import Freehold
import Synchronization
import Testing

/// A queue that has a realm of its own, and goes on until the realm has shown or done something.
struct RealmQueue: Sendable {
    let queue: DispatchQueue
    let configuration: Realm.Configuration

    init(_ name: String, _ configuration: Realm.Configuration) {
        queue = DispatchQueue(label: name)
        self.configuration = configuration
    }

    /// Runs the body on the queue, with the queue's realm.
    func sync<Result>(_ body: (Realm) throws -> Result) throws -> Result {
        try queue.sync { try body(Realm(configuration: configuration, queue: queue)) }
    }

    /// Lets the queue work until the body, which runs on it, is true.
    func work(until isDone: (Realm) throws -> Bool) throws { while try !sync(isDone) { sched_yield() } }

    /// Lets the queue work until its realm has nothing under way.
    func settle() throws { try work { !$0.isPerformingAsynchronousWriteOperations } }
}

/// What was noted, in order, wherever.
final class Notes: Sendable {
    private let texts = Mutex<[String]>([])
    func add(_ text: String) { texts.withLock { $0.append(text) } }
    var all: [String] { texts.withLock { $0 } }
    /// Counted under the lock: an array that is still looked at when another thread appends to it looks like a race to the thread sanitizer.
    var count: Int { texts.withLock { $0.count } }

    /// Waits until there are so many, for a minute at most.
    func wait(for number: Int, at place: SourceLocation = #_sourceLocation) {
        let end = ContinuousClock.now + .seconds(60)
        while count < number {
            if ContinuousClock.now > end {
                Issue.record("\(number) notes were waited for, and \(count) came", sourceLocation: place)
                return
            }
            sched_yield()
        }
    }
}

extension Realm {
    /// The age of the first person.
    var age: Int { objects(Person.self).first?.age ?? -1 }

    func setAge(_ age: Int) {
        if let first = objects(Person.self).first { first.age = age } else { create(Person.self, value: ["id": 1, "age": age]) }
    }
}
