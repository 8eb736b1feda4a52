// An address book: people, the companies they work for, and who knows whom.
//
//     address-book [--file PATH]                              everybody, company by company
//     address-book [--file PATH] put NAME [WHAT=VALUE]...     WHAT: company, street, city, phone.KIND; no value: none any more
//     address-book [--file PATH] know NAME OTHER              each of them knows the other
//     address-book [--file PATH] show NAME
//     address-book [--file PATH] remove NAME
//
// Without --file the book is in the folder for temporary files.
import Foundation
import Freehold

/// Embedded in a person: it exists only within its owner and is deleted with it.
class Address: EmbeddedObject {
    @Persisted var street = ""
    @Persisted var city = ""
}

class Company: Object {
    @Persisted(primaryKey: true) var name = ""
    /// The persons whose `company` is this one: computed from the links, and never set.
    @Persisted(originProperty: "company") var staff: LinkingObjects<Person>
}

class Person: Object {
    @Persisted(primaryKey: true) var name = ""
    /// A link; nil once the company is deleted.
    @Persisted var company: Company?
    @Persisted var home: Address?
    @Persisted var phones: Map<String, String>
    /// An ordered list of links. Deleted persons are removed from it.
    @Persisted var friends: List<Person>

    /// Sets the property that `what` names; an empty value clears it.
    func set(_ what: String, to value: String, in realm: Realm) throws {
        switch what {
        case "company": company = value.isEmpty ? nil : realm.create(Company.self, value: [value], update: .modified)
        case "street", "city":
            if home == nil { home = Address() }
            home?[what] = value
        case _ where what.hasPrefix("phone."): phones[String(what.dropFirst(6))] = value.isEmpty ? nil : value
        default: throw Complaint(description: "no '\(what)'; there are company, street, city, and phone.home and its like")
        }
    }
}

/// An error in the command.
struct Complaint: Error, CustomStringConvertible {
    let description: String
}

@main
enum AddressBook {
    static func main() {
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("address-book: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) throws {
        var words = arguments, path = NSTemporaryDirectory() + "address-book.freehold"
        if words.first == "--file", words.count > 1 {
            path = words[1]
            words.removeFirst(2)
        }
        let realm = try Realm(fileURL: URL(fileURLWithPath: path))
        switch words.first {
        case nil: list(realm)
        case "put" where words.count > 1: try put(words[1], words.dropFirst(2), in: realm)
        case "know" where words.count == 3: try know(person(words[1], in: realm), person(words[2], in: realm), in: realm)
        case "show" where words.count == 2: show(try person(words[1], in: realm))
        case "remove" where words.count == 2: try remove(person(words[1], in: realm), from: realm)
        default: throw Complaint(description: "say put NAME, know NAME OTHER, show NAME, remove NAME, or nothing")
        }
    }

    private static func person(_ name: String, in realm: Realm) throws -> Person {
        guard let person = realm.object(ofType: Person.self, forPrimaryKey: name) else {
            throw Complaint(description: "nobody is called '\(name)'")
        }
        return person
    }

    private static func put(_ name: String, _ settings: ArraySlice<String>, in realm: Realm) throws {
        // An error thrown in the block rolls the write back, and is rethrown.
        try realm.write {
            // Creates the person, or returns the existing one unchanged.
            let person = realm.create(Person.self, value: ["name": name], update: .modified)
            for setting in settings {
                guard let equals = setting.firstIndex(of: "=") else { throw Complaint(description: "'\(setting)' has no '='") }
                try person.set(String(setting[..<equals]), to: String(setting[setting.index(after: equals)...]), in: realm)
            }
        }
    }

    private static func know(_ one: Person, _ other: Person, in realm: Realm) throws {
        try realm.write {
            if !one.friends.contains(other) { one.friends.append(other) }
            if !other.friends.contains(one) { other.friends.append(one) }
        }
    }

    private static func remove(_ person: Person, from realm: Realm) throws {
        let company = person.company
        try realm.write {
            realm.delete(person)
            if let company, company.staff.isEmpty { realm.delete(company) }
        }
    }

    private static func list(_ realm: Realm) {
        for company in realm.objects(Company.self).sorted(byKeyPath: "name") {
            print("\(company.name): \(company.staff.sorted(byKeyPath: "name").map(\.name).joined(separator: ", "))")
        }
        let others = realm.objects(Person.self).filter("company == nil").sorted(byKeyPath: "name").map(\.name)
        if !others.isEmpty { print("without a company: \(others.joined(separator: ", "))") }
    }

    private static func show(_ person: Person) {
        print(person.name)
        if let company = person.company { print("  works for \(company.name), with \(company.staff.count - 1) others") }
        if let home = person.home { print("  lives at \(home.street), \(home.city)") }
        for (kind, number) in person.phones.asKeyValueSequence() { print("  \(kind): \(number)") }
        if !person.friends.isEmpty { print("  knows \(person.friends.map(\.name).joined(separator: ", "))") }
    }
}
