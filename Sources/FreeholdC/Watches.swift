// Following queries, collections, objects and whole databases from version to version.
//
// Safe throughout: an out parameter is NULL or writable memory of the caller; arrays have as many elements as the
// caller states; what a callback receives lives until it returns.
import CFreehold
import FreeholdEngine

/// A watch, held by C programs through a handle.
final class OpenWatch: Handled {
    static let kind = HandleKind.watch
    let watch: LiveWatch
    private var followed: [freehold_answer_t: Subject] = [:]
    private var names: [LiveWatch.Number: freehold_answer_t] = [:]
    private var last: freehold_answer_t = 0
    private(set) var isDelivering = false

    /// What is followed under an answer's number.
    enum Subject {
        case answer(LiveWatch.Number, LiveWatch.Answer)
        /// The database; the version is the last one reported.
        case database(Version)
    }

    init(_ watch: LiveWatch) { self.watch = watch }

    /// Follows a query.
    ///
    /// - Parameters:
    ///   - source: the collection whose elements are queried; nil for all objects of the class.
    ///   - paths: which changes of an object count; nil for all.
    func follow(_ query: ObjectQuery, of name: String, among source: CollectionAddress? = nil, observing paths: [PropertyPath]?)
        throws(FreeholdError) -> freehold_answer_t {
        if source == nil, query.steps.contains(where: { if case .group = $0 { true } else { false } }) {
            guard paths == nil else { throw FreeholdError(.invalidArgument, "paths tell what is observed of objects; this query gives groups") }
            let (number, answer) = try watch.followGroups(query, of: name)
            return add(number, .groups(answer))
        }
        let (number, answer) = try watch.follow(query, of: name, among: source, observing: paths)
        return add(number, .query(answer))
    }

    func follow(_ address: CollectionAddress, observing paths: [PropertyPath]?) throws(FreeholdError) -> freehold_answer_t {
        let (number, answer) = try watch.follow(address, observing: paths)
        return add(number, .collection(answer))
    }

    func follow(_ key: ObjectKey, in name: String) throws(FreeholdError) -> freehold_answer_t {
        let (number, answer) = try watch.follow(key, in: name)
        return add(number, .object(answer))
    }

    func followDatabase() -> freehold_answer_t {
        last += 1
        followed[last] = .database(watch.version)
        return last
    }

    private func add(_ number: LiveWatch.Number, _ answer: LiveWatch.Answer) -> freehold_answer_t {
        last += 1
        followed[last] = .answer(number, answer)
        names[number] = last
        return last
    }

    func stop(_ name: freehold_answer_t) throws(FreeholdError) {
        if case .answer(let number, _) = try found(name) {
            watch.stop(number)
            names[number] = nil
        }
        followed[name] = nil
    }

    func found(_ name: freehold_answer_t) throws(FreeholdError) -> Subject {
        if let found = followed[name] { return found }
        throw FreeholdError(.invalidArgument, "answer \(name) is not followed by this watch")
    }

    /// Delivers pending changes; `body` receives each as a C structure.
    func deliver(_ body: (UnsafePointer<freehold_delivery_t>) -> Void) throws -> Bool {
        guard !isDelivering else { throw FreeholdError(.invalidArgument, "a delivery of this watch is under way") }
        isDelivering = true
        defer { isDelivering = false }
        return try watch.deliver { delivery in
            let before = try delivery.before.map { try LentReader($0) }, after = try LentReader(delivery.after)
            defer {
                before?.end()
                after.end()
            }
            for (name, told) in try told(delivery) where followed[name] != nil {
                let memory = ValueMemory()
                var shown = freehold_delivery_t(told, in: memory)
                shown.answer = name
                shown.before = before?.handle
                shown.after = after.handle
                if case .answer(.failed) = told, case .answer(let number, _)? = followed.removeValue(forKey: name) { names[number] = nil }
                withExtendedLifetime(memory) { withUnsafePointer(to: shown) { body($0) } }
            }
        }
    }

    /// The changes to deliver, in the order in which the answers were added.
    private func told(_ delivery: WatchDelivery) throws -> [(freehold_answer_t, Told)] {
        var all: [(freehold_answer_t, Told)] = delivery.changes.compactMap { change in names[change.number].map { ($0, .answer(change.what)) } }
        var classes: [String]?
        for (name, what) in followed {
            guard case .database(let since) = what, since < delivery.after.version else { continue }
            if classes == nil { classes = try delivery.changedClasses() }
            all.append((name, .database(classes ?? [])))
            followed[name] = .database(delivery.after.version)
        }
        return all.sorted { $0.0 < $1.0 }
    }
}

/// The changes of one answer in a delivery.
private enum Told {
    case answer(WatchDelivery.What)
    case database([String])
}

extension WatchDelivery {
    /// The names of the classes in which something may have changed.
    fileprivate func changedClasses() throws(FreeholdError) -> [String] {
        guard let before else { return try after.classes.map(\.name) }
        return try after.changes(since: before).classes.map(\.name)
    }
}

/// A reader that a callback may use while it runs.
private struct LentReader {
    private let reader: Reader
    let handle: OpaquePointer

    init(_ snapshot: Snapshot) throws(FreeholdError) {
        reader = Reader(snapshot)
        handle = try Handles.make(reader)
    }

    func end() {
        reader.moved(isHeld: false)
        // A callback cannot have ended it: no function ends readers.
        try? Handles.end(handle, Reader.self)
    }
}

extension freehold_delivery_t {
    fileprivate init(_ told: Told, in memory: ValueMemory) {
        self.init()
        size = MemoryLayout<freehold_delivery_t>.size
        switch told {
        case .answer(.failed(let error)): code = error.code.rawValue
        case .answer(.positions(let changes)): set(changes, memory)
        case .answer(.elements(let changes)):
            gone = changes.isGone
            set(changes.positions, memory)
            deleted_keys = memory.texts(changes.deletedKeys)
            inserted_keys = memory.texts(changes.insertedKeys)
            modified_keys = memory.texts(changes.modifiedKeys)
        case .answer(.properties(let changes)):
            gone = changes.isGone
            properties = memory.texts(changes.properties)
        case .database(let names): classes = memory.texts(names)
        }
    }

    private mutating func set(_ changes: PositionChanges, _ memory: ValueMemory) {
        deletions = memory.positions(changes.deletions)
        insertions = memory.positions(changes.insertions)
        modifications = memory.positions(changes.modifications)
        modified = memory.positions(changes.modificationsAfter)
    }
}

@c @implementation
public func freehold_watch_open(_ database: OpaquePointer?, _ watch: UnsafeMutablePointer<OpaquePointer?>?) -> freehold_error_code_t {
    done {
        let place = try Handles.place(watch)
        place.pointee = try Handles.make(OpenWatch(try LiveWatch(try Handles.database(database))))
    }
}

@c @implementation
public func freehold_watch_descriptor(_ watch: OpaquePointer?) -> Int32 {
    var descriptor: Int32 = -1
    _ = done { descriptor = try Handles.object(watch, OpenWatch.self).watch.fileDescriptor }
    return descriptor
}

@c @implementation
public func freehold_watch_version(_ watch: OpaquePointer?, _ version: UnsafeMutablePointer<freehold_version_t>?) -> freehold_error_code_t {
    done { try give(Handles.object(watch, OpenWatch.self).watch.version.rawValue, to: version) }
}

@c @implementation
public func freehold_watch_object(
    _ watch: OpaquePointer?, _ class_name: UnsafePointer<CChar>?, _ class_name_length: Int, _ key: freehold_key_t,
    _ answer: UnsafeMutablePointer<freehold_answer_t>?
) -> freehold_error_code_t {
    done {
        let watch = try Handles.object(watch, OpenWatch.self)
        let made = try watch.follow(ObjectKey(key), in: try text(class_name, class_name_length, "class name"))
        answer?.pointee = made
    }
}

@c @implementation
public func freehold_watch_database(
    _ watch: OpaquePointer?, _ answer: UnsafeMutablePointer<freehold_answer_t>?
) -> freehold_error_code_t {
    done {
        let made = try Handles.object(watch, OpenWatch.self).followDatabase()
        answer?.pointee = made
    }
}

@c @implementation
public func freehold_watch_count(
    _ watch: OpaquePointer?, _ answer: freehold_answer_t, _ count: UnsafeMutablePointer<UInt64>?
) -> freehold_error_code_t {
    done {
        let found = switch try Handles.object(watch, OpenWatch.self).found(answer) {
        case .answer(_, .query(let query)): query.count
        case .answer(_, .groups(let groups)): groups.groups.count
        case .answer(_, .collection(let collection)): collection.count
        case .answer(_, .object(let object)): object.isGone ? 0 : 1
        case .database: throw FreeholdError(.typeMismatch, "answer \(answer) is the database; ask a snapshot how many objects a class has")
        }
        count?.pointee = UInt64(found)
    }
}

@c @implementation
public func freehold_watch_keys(
    _ watch: OpaquePointer?, _ answer: freehold_answer_t, _ first: UInt64, _ capacity: Int, _ keys: UnsafeMutablePointer<freehold_key_t>?,
    _ filled: UnsafeMutablePointer<Int>?
) -> freehold_error_code_t {
    done {
        guard case .answer(_, .query(let query)) = try Handles.object(watch, OpenWatch.self).found(answer) else {
            throw FreeholdError(.typeMismatch, "answer \(answer) is no query's objects; only these have keys here")
        }
        guard capacity >= 0, keys != nil || capacity == 0 else {
            throw FreeholdError(.invalidArgument, "there is no place for \(UInt(bitPattern: capacity)) keys")
        }
        let start = Int(min(first, UInt64(query.count))), range = start..<start + min(capacity, query.count - start)
        for (place, key) in query.keys(in: range).enumerated() { keys?[place] = key.rawValue }
        filled?.pointee = range.count
    }
}

@c @implementation
public func freehold_watch_stop(_ watch: OpaquePointer?, _ answer: freehold_answer_t) -> freehold_error_code_t {
    done { try Handles.object(watch, OpenWatch.self).stop(answer) }
}

@c @implementation
public func freehold_watch_deliver(
    _ watch: OpaquePointer?, _ callback: freehold_delivery_callback_t?, _ context: UnsafeMutableRawPointer?,
    _ moved: UnsafeMutablePointer<Bool>?
) -> freehold_error_code_t {
    done {
        let hasMoved = try Handles.object(watch, OpenWatch.self).deliver { callback?(context, $0) }
        moved?.pointee = hasMoved
    }
}

@c @implementation
public func freehold_watch_close(_ watch: OpaquePointer?) -> freehold_error_code_t {
    done {
        if watch == nil { return }
        guard try !Handles.object(watch, OpenWatch.self).isDelivering else {
            throw FreeholdError(.invalidArgument, "a delivery of this watch is under way; close it afterwards")
        }
        try Handles.end(watch, OpenWatch.self)
    }
}
