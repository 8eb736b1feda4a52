// Imports books, in a form that an online shop may send; importing again updates changed books.
//
//     json-import [--file PATH] BOOKS.json      or the JSON on standard input
//
//     [{"isbn": "978-0", "title": "Emma", "year": 1815, "price": 7.5,
//       "authors": [{"name": "Jane Austen", "born": 1775}], "tags": ["novel"]}]
//
// An invalid book is skipped and reported; all others are imported, in one transaction.
import Foundation
import Freehold
import Synchronization

class Author: Object {
    @Persisted(primaryKey: true) var name = ""
    @Persisted var born: Int?
    @Persisted(originProperty: "authors") var books: LinkingObjects<Book>
}

class Book: Object {
    @Persisted(primaryKey: true) var isbn = ""
    @Persisted(indexed: true) var title = ""
    @Persisted var year: Int?
    @Persisted var price = 0.0
    @Persisted var authors: List<Author>
    @Persisted var tags: MutableSet<String>
}

/// An error in the input.
struct Complaint: Error, CustomStringConvertible {
    let description: String
}

@main
enum JSONImport {
    static func main() {
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("json-import: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) throws {
        var words = arguments, path = NSTemporaryDirectory() + "books.freehold"
        if words.first == "--file", words.count > 1 {
            path = words[1]
            words.removeFirst(2)
        }
        let rows = try read(words.first)
        let realm = try Realm(fileURL: URL(fileURLWithPath: path))
        let before = realm.objects(Book.self).count
        var taken = 0
        try realm.write {
            for (place, row) in rows.enumerated() {
                if let reason = take(row, into: realm) { print("row \(place + 1) left out: \(reason)") } else { taken += 1 }
            }
        }
        let added = realm.objects(Book.self).count - before
        print("\(added) books added, \(taken - added) updated, \(rows.count - taken) left out")
        report(realm)
    }

    private static func read(_ path: String?) throws -> [[String: Any]] {
        let data: Data
        do {
            data = try path.map { try Data(contentsOf: URL(fileURLWithPath: $0)) } ?? FileHandle.standardInput.readToEnd() ?? Data()
        } catch {
            throw Complaint(description: "cannot read '\(path ?? "standard input")': \(error.localizedDescription)")
        }
        guard let rows = try? JSONSerialization.jsonObject(with: data) as? [[String: Any]] else {
            throw Complaint(description: "this is no JSON array of objects")
        }
        return rows
    }

    /// Imports a decoded row: keys are the names of properties, unknown ones are ignored, and nested objects become
    /// objects too. Returns the reason if it does not fit.
    ///
    /// A value of the wrong type is usually a mistake of the program, and stops it; here it is an error in the input,
    /// so we listen for it.
    private static func take(_ row: [String: Any], into realm: Realm) -> String? {
        guard row["isbn"] != nil else { return "it has no isbn" }
        let mistakes = Mutex<[String]>([])
        Misuse.listen({ mistake in mistakes.withLock { $0.append(mistake.message) } }) {
            // An existing book or author is updated where the row has another value; properties that the row lacks are
            // kept.
            _ = realm.create(Book.self, value: row, update: .modified)
        }
        return mistakes.withLock { $0.first }
    }

    private static func report(_ realm: Realm) {
        for author in realm.objects(Author.self).sorted(byKeyPath: "name") {
            let titles = author.books.sorted { ($0.year ?? 0, $0.title) < ($1.year ?? 0, $1.title) }.map { book in
                "\(book.title) (\(book.year.map { "\($0)" } ?? "no year"))"
            }
            print("\(author.name): \(titles.joined(separator: ", "))")
        }
        let books = realm.objects(Book.self)
        if let price = books.average(of: \.price) { print(String(format: "%d books, %.2f on average", books.count, price)) }
    }
}
