// A to-do list that is kept between runs.
//
//     to-do [--file PATH]                             shows the list
//     to-do [--file PATH] add TITLE [DAY] [URGENCY]   DAY: 2026-12-24; URGENCY: whenever, soon, now
//     to-do [--file PATH] done NUMBER
//     to-do [--file PATH] remove NUMBER
//     to-do [--file PATH] sweep                       removes what is done
//
// Without --file the list is in the folder for temporary files. Several of these programs may use one list at the same
// time.
import Foundation
import Freehold

/// The urgency of a task. The file stores the strings.
enum Urgency: String, PersistableEnum {
    case whenever, soon, now
}

/// A task to do.
class Duty: Object {
    /// Numbers are assigned automatically, also if several programs add at the same time, and are never reused.
    @Persisted(primaryKey: true, autoincrement: true) var number: Int
    @Persisted var title = ""
    @Persisted var due: Date?
    @Persisted var urgency = Urgency.soon
    @Persisted var isDone = false

    /// Not marked with `@Persisted`, so it is not stored but computed.
    var line: String {
        let day = due.map { " by \($0.formatted(ToDoList.day))" } ?? ""
        return "\(isDone ? "[x]" : "[ ]") \(number). \(title)\(day)\(urgency == .now ? " (now!)" : "")"
    }
}

/// An error in the command.
struct Complaint: Error, CustomStringConvertible {
    let description: String
}

@main
enum ToDoList {
    static let day = Date.ISO8601FormatStyle().year().month().day()

    static func main() {
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("to-do: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) throws {
        var words = arguments[...], path = NSTemporaryDirectory() + "to-do.freehold"
        if words.first == "--file", words.count > 1 {
            path = words[1]
            words.removeFirst(2)
        }
        // The program's classes are found automatically. Opening creates the file if it does not exist.
        let realm = try Realm(fileURL: URL(fileURLWithPath: path))
        switch words.popFirst() {
        case nil: show(realm)
        case "add": try add(Array(words), to: realm)
        case "done": try finish(words.first, in: realm)
        case "remove": try remove(words.first, from: realm)
        case "sweep": try sweep(realm)
        case let word?: throw Complaint(description: "no command '\(word)'; there are add, done, remove and sweep")
        }
    }

    private static func show(_ realm: Realm) {
        // Results are live: nothing is read before it is accessed.
        let duties = realm.objects(Duty.self)
        for duty in duties { print(duty.line) }
        print("\(duties.count { !$0.isDone }) of \(duties.count) to do")
    }

    private static func add(_ words: [String], to realm: Realm) throws {
        guard let title = words.first, !title.isEmpty else { throw Complaint(description: "add what?") }
        let duty = Duty()
        duty.title = title
        for word in words.dropFirst() {
            if let urgency = Urgency(rawValue: word) {
                duty.urgency = urgency
            } else if let due = try? day.parse(word) {
                duty.due = due
            } else {
                throw Complaint(description: "'\(word)' is no day such as 2026-12-24, and none of whenever, soon, now")
            }
        }
        // A write is done as a whole or not at all; other processes see it once it is on disk. This instance is managed
        // from now on.
        try realm.write { realm.add(duty) }
        print("added \(duty.number)")
    }

    private static func finish(_ number: String?, in realm: Realm) throws {
        let duty = try duty(number, in: realm)
        try realm.write { duty.isDone = true }
        print(duty.line)
    }

    private static func remove(_ number: String?, from realm: Realm) throws {
        let duty = try duty(number, in: realm), title = duty.title
        try realm.write { realm.delete(duty) }
        print("removed \(title)")
    }

    private static func sweep(_ realm: Realm) throws {
        // Results are always up to date: once their objects are deleted, they are empty.
        let finished = realm.objects(Duty.self).filter("isDone == true"), count = finished.count
        try realm.write { realm.delete(finished) }
        print("removed \(count)")
    }

    private static func duty(_ number: String?, in realm: Realm) throws -> Duty {
        guard let number, let key = Int(number) else { throw Complaint(description: "say the number, as the list shows it") }
        guard let duty = realm.object(ofType: Duty.self, forPrimaryKey: key) else { throw Complaint(description: "there is no \(key)") }
        return duty
    }
}
