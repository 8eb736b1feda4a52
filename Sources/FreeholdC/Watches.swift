// Queries and collections that are followed from version to version.
//
// Safe throughout: an out parameter is NULL or the caller's to be written; arrays have as many elements as the caller says; what a callback is
// shown lives until it returns.
import CFreehold
import FreeholdEngine

/// A watch that C programs hold.
final class OpenWatch: Handled {
    static let kind = HandleKind.watch
    let watch: LiveWatch
    private var followed: [freehold_answer_t: (number: LiveWatch.Number, answer: LiveWatch.Answer)] = [:]
    private var names: [LiveWatch.Number: freehold_answer_t] = [:]
    private var last: freehold_answer_t = 0
    private(set) var isDelivering = false

    init(_ watch: LiveWatch) { self.watch = watch }

    func follow(_ query: ObjectQuery, of name: String) throws(FreeholdError) -> freehold_answer_t {
        if query.steps.contains(where: { if case .group = $0 { true } else { false } }) {
            let (number, answer) = try watch.followGroups(query, of: name)
            return add(number, .groups(answer))
        }
        let (number, answer) = try watch.follow(query, of: name)
        return add(number, .query(answer))
    }

    func follow(_ address: CollectionAddress) throws(FreeholdError) -> freehold_answer_t {
        let (number, answer) = try watch.follow(address)
        return add(number, .collection(answer))
    }

    private func add(_ number: LiveWatch.Number, _ answer: LiveWatch.Answer) -> freehold_answer_t {
        last += 1
        followed[last] = (number, answer)
        names[number] = last
        return last
    }

    func stop(_ name: freehold_answer_t) throws(FreeholdError) {
        let number = try found(name).number
        watch.stop(number)
        forget(number)
    }

    private func forget(_ number: LiveWatch.Number) {
        if let name = names.removeValue(forKey: number) { followed[name] = nil }
    }

    func found(_ name: freehold_answer_t) throws(FreeholdError) -> (number: LiveWatch.Number, answer: LiveWatch.Answer) {
        if let found = followed[name] { return found }
        throw FreeholdError(.invalidArgument, "answer \(name) is not followed by this watch")
    }

    /// Delivers; `body` gets each change as C sees it.
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
            for change in delivery.changes {
                guard let name = names[change.number] else { continue }
                let memory = ValueMemory()
                var shown = freehold_delivery_t(change.what, in: memory)
                shown.answer = name
                shown.before = before?.handle
                shown.after = after.handle
                if case .failed = change.what { forget(change.number) }
                withExtendedLifetime(memory) { withUnsafePointer(to: shown) { body($0) } }
            }
        }
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
        // A callback cannot have ended it: readers have no such function.
        try? Handles.end(handle, Reader.self)
    }
}

extension freehold_delivery_t {
    fileprivate init(_ what: WatchDelivery.What, in memory: ValueMemory) {
        self.init()
        size = MemoryLayout<freehold_delivery_t>.size
        switch what {
        case .failed(let error): code = error.code.rawValue
        case .positions(let changes): set(changes, memory)
        case .elements(let changes):
            gone = changes.isGone
            set(changes.positions, memory)
        }
    }

    private mutating func set(_ changes: PositionChanges, _ memory: ValueMemory) {
        func given(_ positions: [Int]) -> freehold_positions_t {
            freehold_positions_t(positions: memory.array(positions.map { UInt64($0) }), count: positions.count)
        }
        deletions = given(changes.deletions)
        insertions = given(changes.insertions)
        modifications = given(changes.modifications)
        modified = given(changes.modificationsAfter)
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
    done { version?.pointee = try Handles.object(watch, OpenWatch.self).watch.version.rawValue }
}

@c @implementation
public func freehold_watch_query(
    _ watch: OpaquePointer?, _ class_name: UnsafePointer<CChar>?, _ class_name_length: Int, _ text: UnsafePointer<CChar>?,
    _ text_length: Int, _ argument_count: Int, _ arguments: UnsafePointer<freehold_value_t>?,
    _ answer: UnsafeMutablePointer<freehold_answer_t>?
) -> freehold_error_code_t {
    done {
        let watch = try Handles.object(watch, OpenWatch.self)
        let name = try FreeholdC.text(class_name, class_name_length, "class name")
        let words = try FreeholdC.text(text, text_length, "query")
        var values: [Value] = []
        for value in try Given.array(arguments, argument_count, "arguments") { values.append(try value.classlessValue()) }
        let made = try watch.follow(try ObjectQuery(words, values), of: name)
        answer?.pointee = made
    }
}

@c @implementation
public func freehold_watch_collection(
    _ watch: OpaquePointer?, _ class_name: UnsafePointer<CChar>?, _ class_name_length: Int, _ key: freehold_key_t,
    _ property: UnsafePointer<CChar>?, _ property_length: Int, _ answer: UnsafeMutablePointer<freehold_answer_t>?
) -> freehold_error_code_t {
    done {
        let watch = try Handles.object(watch, OpenWatch.self)
        let address = CollectionAddress(try text(property, property_length, "property name"), of: ObjectKey(key),
                                        in: try text(class_name, class_name_length, "class name"))
        let made = try watch.follow(address)
        answer?.pointee = made
    }
}

@c @implementation
public func freehold_watch_count(
    _ watch: OpaquePointer?, _ answer: freehold_answer_t, _ count: UnsafeMutablePointer<UInt64>?
) -> freehold_error_code_t {
    done {
        let found = switch try Handles.object(watch, OpenWatch.self).found(answer).answer {
        case .query(let query): query.count
        case .groups(let groups): groups.groups.count
        case .collection(let collection): collection.count
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
        guard case .query(let query) = try Handles.object(watch, OpenWatch.self).found(answer).answer else {
            throw FreeholdError(.typeMismatch, "answer \(answer) has groups or elements; only objects have keys")
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
