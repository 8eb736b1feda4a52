import Foundation
@testable import Freehold
import FreeholdEngine
import Testing

/// A realm of this thread, which does what is due when it is told to, and others who write into its file.
final class Watch {
    let folder: Folder
    let configuration: Realm.Configuration
    let loop: HostLoop
    let realm: Realm

    init(_ types: [ObjectBase.Type] = [Owner.self, Pet.self, Person.self, Dog.self, Kennel.self, Address.self]) throws {
        folder = try Folder()
        configuration = folder.configuration(types)
        loop = try HostLoop()
        realm = try Realm(configuration: configuration)
        realm.attach(to: loop)
        loop.deliver()
    }

    /// A later turn of the thread, whether or not what calls for one has come here yet.
    func turn() {
        loop.deliver()
        realm.core.follow()
    }

    /// Writes on a thread of its own, with a realm of its own.
    func elsewhere(_ body: @escaping @Sendable (Realm) throws -> Void) throws {
        let configuration = configuration
        try onThread {
            let realm = try Realm(configuration: configuration)
            try realm.write { try body(realm) }
        }
    }

    /// Waits until the descriptor says that something is due, and does it.
    func wait() {
        var entry = pollfd(fd: loop.fileDescriptor, events: Int16(POLLIN), revents: 0)
        while poll(&entry, 1, -1) < 0 {}
        loop.deliver()
    }
}

/// What somebody was told, in order.
final class Heard {
    var texts: [String] = []
    func add(_ text: String) { texts.append(text) }
    /// What was told since this was asked last.
    func take() -> [String] {
        defer { texts = [] }
        return texts
    }

    func add<Collection: Sequence>(_ change: RealmCollectionChange<Collection>) {
        switch change {
        case .initial(let collection): add("initial \(Array(collection).count)")
        case .update(_, let deletions, let insertions, let modifications): add("-\(deletions) +\(insertions) ~\(modifications)")
        case .error(let error): add("error \(error)")
        }
    }

    func add<Map: RealmKeyedCollection>(_ change: RealmMapChange<Map>) {
        switch change {
        case .initial(let map): add("initial \(map.count)")
        case .update(_, let deletions, let insertions, let modifications): add("-\(deletions) +\(insertions) ~\(modifications)")
        case .error(let error): add("error \(error)")
        }
    }

    func add<Sections: RealmSectionedResult>(_ change: SectionedResultsChange<Sections>) {
        func text(_ paths: [IndexPath]) -> String { "[\(paths.map { "\($0.section).\($0.item)" }.joined(separator: " "))]" }
        switch change {
        case .initial(let sections): add("initial \(sections.count)")
        case .update(_, let deletions, let insertions, let modifications, let made, let gone):
            add("-\(text(deletions)) +\(text(insertions)) ~\(text(modifications)) -\(Array(gone)) +\(Array(made))")
        }
    }

    func add<Shown>(_ change: Freehold.ObjectChange<Shown>) {
        switch change {
        case .change(_, let properties):
            add(properties.map { "\($0.name): \($0.oldValue.map { "\($0)" } ?? "nil") → \($0.newValue.map { "\($0)" } ?? "nil")" }.joined(separator: ", "))
        case .deleted: add("deleted")
        case .error(let error): add("error \(error)")
        }
    }
}

extension Realm {
    /// A dog with a name and an age.
    @discardableResult
    func dog(_ name: String, _ age: Int = 0) -> Dog { create(Dog.self, value: ["name": name, "age": age]) }
}
