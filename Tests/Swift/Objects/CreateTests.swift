import Foundation
import Freehold
import Testing

class Book: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var title = "untitled"
    @Persisted var price = 1.5
    @Persisted var copies: Int?
    @Persisted var isNew = true
    @Persisted var author: Author?
    @Persisted var others: List<Author>
    @Persisted var tags: MutableSet<String>
    @Persisted var notes: Map<String, String>
    @Persisted var shelf: Shelf?
    @Persisted var shelves: List<Shelf>
    @Persisted var shelfBy: Map<String, Shelf?>
    @Persisted var scores: List<Int>
}

class Author: Object {
    @Persisted(primaryKey: true) var name = ""
    @Persisted var age = 0
    @Persisted var books: Int?
}

class Shelf: EmbeddedObject {
    @Persisted var room = ""
    @Persisted var row = 0
}

@Suite("Objects made of values")
struct CreateTests {
    private let types: [ObjectBase.Type] = [Book.self, Author.self, Shelf.self]

    private func json(_ text: String) throws -> Any { try JSONSerialization.jsonObject(with: Data(text.utf8)) }

    @Test("decoded JSON becomes objects, nested ones too; unknown keys are ignored")
    func fromJSON() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration(types))
        let value = try json("""
            {"id": 1, "title": "Waves", "price": 20, "copies": 3.0, "isNew": false, "unknown": [1], "author": {"name": "Ann", "age": 40},
             "others": [{"name": "Bob"}, ["Cy", 7, null]], "tags": ["a", "b", "a"], "notes": {"k": "v"}, "shelf": {"room": "A", "row": 2},
             "shelves": [["B", 3]], "shelfBy": {"x": {"room": "C"}, "y": null}, "scores": [1, 2.0, 3]}
            """)
        func check(_ book: Book) {
            #expect(book.id == 1 && book.title == "Waves" && book.price == 20 && book.copies == 3 && !book.isNew)
            #expect(book.author?.name == "Ann" && book.author?.age == 40 && book.author?.books == nil)
            #expect(book.others.map(\.name) == ["Bob", "Cy"] && book.others.map(\.age) == [0, 7])
            #expect(book.tags.sorted() == ["a", "b"] && book.notes == ["k": "v"] && book.scores == [1, 2, 3])
            #expect(book.shelf?.room == "A" && book.shelves[0].row == 3 && book.shelfBy["x"]??.room == "C" && book.shelfBy["y"] == .some(nil))
        }
        check(Book(value: value))
        var made: Book?
        try realm.write {
            made = realm.create(Book.self, value: value)
            made.map(check)
        }
        check(try #require(made))
        #expect(realm.objects(Author.self).count == 3 && realm.objects(Shelf.self).count == 3)
    }

    @Test("what does not fit is refused by class and property, and nothing is made")
    func refused() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration(types))
        try realm.write {
            func told(_ value: Any) -> [String] { mistakes { realm.create(Book.self, value: value) } }
            #expect(told(["id": 1, "copies": 1.5]) == ["Invalid value '1.5' of type 'Double' for 'int?' property 'Book.copies'."])
            #expect(told(["id": "1"]) == ["Invalid value '1' of type 'String' for 'int' property 'Book.id'."])
            #expect(told(["title": NSNull()]) == ["Invalid value '<null>' of type 'NSNull' for 'string' property 'Book.title'."])
            #expect(told(["title": 5]) == ["Invalid value '5' of type 'Int' for 'string' property 'Book.title'."])
            #expect(told(["copies": true]) == ["Invalid value 'true' of type 'Bool' for 'int?' property 'Book.copies'."])
            #expect(told(["isNew": 2]) == ["Invalid value '2' of type 'Int' for 'bool' property 'Book.isNew'."])
            #expect(told(["scores": [1, "two"]]) == ["Invalid value 'two' of type 'String' for 'array of int' property 'Book.scores'."])
            #expect(told(["notes": ["k": 1]]) == ["Invalid value '1' of type 'Int' for 'dictionary of string' property 'Book.notes'."])
            #expect(told(["author": "Ann"]) == ["Invalid value 'Ann' of type 'String' for 'Author' property 'Book.author'."])
            #expect(told(["author": ["name": "Ann", "age": "old"]]) == ["Invalid value 'old' of type 'String' for 'int' property 'Author.age'."])
            #expect(told(["author": Shelf()]).count == 1)
            #expect(told([1, "T", 2.0, 3, true, NSNull(), [], [], [:], NSNull(), [], [:], [], 14] as [Any])
                == ["Invalid array input: more values (14) than properties (13)."])
            #expect(told(5).first?.hasPrefix("Invalid value '5' to initialize object of type 'Book'") == true)
            let large = try json(#"{"id": 12345678901234567890}"#)
            #expect(told(large) == ["Invalid value '12345678901234567890' of type 'NSNumber' for 'int' property 'Book.id'."])
        }
        #expect(realm.objects(Book.self).isEmpty && realm.objects(Author.self).isEmpty)
    }

    @Test("an update leaves what it does not name, clears what is nil, at every depth", arguments: [Realm.UpdatePolicy.modified, .all])
    func partial(policy: Realm.UpdatePolicy) throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration(types))
        try realm.write {
            realm.create(Book.self, value: ["id": 1, "title": "Waves", "price": 20.0, "copies": 3, "author": ["name": "Ann", "age": 40, "books": 2],
                                            "tags": ["a"], "notes": ["k": "v"], "scores": [1, 2, 3], "shelf": ["room": "A", "row": 5]])
        }
        let book = realm.objects(Book.self)[0], ann = try #require(book.author)
        try realm.write {
            let same = realm.create(Book.self, value: ["id": 1, "price": 21.0, "author": ["name": "Ann", "age": 41]], update: policy)
            #expect(same.isSameObject(as: book))
        }
        #expect(book.title == "Waves" && book.price == 21 && book.copies == 3 && ann.age == 41 && ann.books == 2)
        #expect(book.tags == ["a"] && book.notes == ["k": "v"] && book.scores == [1, 2, 3] && book.shelf?.row == 5)
        try realm.write {
            let value: [String: Any?] = ["id": 1, "copies": nil, "author": nil, "tags": nil, "notes": NSNull(), "scores": nil, "shelf": nil]
            realm.create(Book.self, value: value.mapValues { $0 as Any }, update: policy)
        }
        #expect(book.copies == nil && book.author == nil && book.tags.isEmpty && book.notes.isEmpty && book.scores.isEmpty && book.shelf == nil)
        #expect(book.title == "Waves" && ann.age == 41 && realm.objects(Shelf.self).isEmpty)
        try realm.write { realm.create(Book.self, value: [1, "Tides"], update: policy) }
        #expect(book.title == "Tides" && book.price == 21)
        try realm.write { realm.create(Book.self, value: ["id": 2, "title": "New"], update: policy) }
        #expect(realm.objects(Book.self).map(\.title) == ["Tides", "New"] && realm.objects(Book.self)[1].price == 1.5)
    }

    @Test("a whole object under .modified changes what differs, under .all it makes collections anew")
    func whole() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration(types))
        let first: [String: Any] = ["id": 1, "tags": ["a"], "notes": ["k": "v", "m": "w"], "scores": [1, 2, 3], "shelf": ["room": "A"],
                                    "shelves": [["room": "S0"], ["room": "S1"]], "shelfBy": ["x": ["room": "X"], "z": ["room": "Z"]]]
        let second: [String: Any] = ["id": 1, "tags": ["b"], "notes": ["k": "u"], "scores": [1, 5], "shelf": ["room": "B"],
                                     "shelves": [["room": "T0"]], "shelfBy": ["x": ["room": "Y"]]]
        for policy in [Realm.UpdatePolicy.modified, .all] {
            try realm.write {
                realm.deleteAll()
                realm.add(Book(value: first))
            }
            let book = realm.objects(Book.self)[0], shelf = try #require(book.shelf), inList = book.shelves[0], inMap = try #require(book.shelfBy["x"] ?? nil)
            try realm.write { realm.add(Book(value: second), update: policy) }
            let isMerged = policy == .modified
            #expect(book.tags.sorted() == (isMerged ? ["a", "b"] : ["b"]))
            #expect(book.notes == (isMerged ? ["k": "u", "m": "w"] : ["k": "u"]))
            #expect(book.scores == [1, 5])
            #expect(book.shelf?.room == "B" && book.shelves.map(\.room) == ["T0"] && book.shelfBy["x"]??.room == "Y")
            #expect(book.shelfBy.keys == (isMerged ? ["x", "z"] : ["x"]))
            // What lives within the object is changed in place, or is another one.
            #expect([shelf, inList, inMap].map(\.isInvalidated) == Array(repeating: !isMerged, count: 3))
            #expect(realm.objects(Shelf.self).count == (isMerged ? 4 : 3))
            #expect(book.title == "untitled")
        }
    }

    @Test("what is handed over is copied, but for what the realm has; circles are copied once")
    func copies() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration(types + [Dog.self, Person.self]))
        let other = try Realm(configuration: folder.configuration(types + [Dog.self, Person.self], name: "other.freehold"))
        let ann = Author(value: ["Ann", 40]), book = Book(value: ["id": 1, "author": ann, "others": [ann], "shelf": ["room": "A"]])
        #expect(book.author === ann)
        try realm.write {
            let made = realm.create(Book.self, value: book)
            #expect(made !== book && book.realm == nil && ann.realm == nil)
            #expect(made.author?.name == "Ann" && made.others[0].isSameObject(as: made.author) && made.shelf?.room == "A")
            #expect(realm.create(Book.self, value: made, update: .modified) === made)
            let second = realm.create(Book.self, value: ["id": 2, "author": made.author as Any])
            #expect(second.author?.isSameObject(as: made.author) == true)
        }
        let managed = realm.objects(Book.self)[0]
        try other.write { other.create(Book.self, value: managed) }
        #expect(other.objects(Book.self)[0].author?.age == 40 && other.objects(Shelf.self).count == 1)
        let circle = Dog(value: ["name": "Rex"]), person = Person(value: ["id": 1])
        circle.owner = person
        person.friend = person
        try realm.write { realm.create(Dog.self, value: circle) }
        #expect(realm.objects(Person.self).count == 1 && realm.objects(Person.self)[0].friend?.id == 1 && person.realm == nil)
        try realm.write { realm.delete(managed) }
        #expect(try mistakes { try other.write { _ = other.create(Book.self, value: managed) } } == ["Object has been deleted or invalidated."])
    }

    @Test("a copy of an object has its nil values, and its own of what lives within it")
    func initializing() throws {
        let folder = try Folder()
        let realm = try Realm(configuration: folder.configuration(types)), book = Book(value: ["id": 1, "copies": 4, "shelves": [["room": "A"]]])
        try realm.write { realm.add(book) }
        let copy = Book(value: book)
        #expect(copy.realm == nil && copy.copies == 4 && copy.shelves[0].room == "A" && copy.shelves[0].realm == nil)
        try realm.write { book.copies = nil }
        #expect(Book(value: book).copies == nil)
        copy.id = 2
        try realm.write { realm.add(copy) }
        #expect(realm.objects(Shelf.self).count == 2)
        #expect(Book(value: book.notes).title == "untitled")
    }
}
