import Foundation
import Freehold
import FreeholdEngine
import Testing

final class CollatedShelf: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var name: String?
    @Persisted var next: CollatedShelf?
    @Persisted var others: List<CollatedShelf>
    @Persisted var byName: Map<String, CollatedShelf?>
}

/// Sorting in the order of a language.
@Suite struct CollationTests {
    private let realm: Realm

    init() throws {
        realm = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "collation\(UUID())", objectTypes: [CollatedShelf.self]))
        try realm.write {
            var last: CollatedShelf?
            for (number, name) in ["Zoo", "ähre", "Apfel", "file10", "file9", "Ärmel", nil].enumerated() {
                let shelf = CollatedShelf()
                (shelf.number, shelf.name, shelf.next) = (number, name, last)
                realm.add(shelf)
                last = shelf
            }
            let shelf = realm.objects(CollatedShelf.self)[0]
            shelf.others.append(objectsIn: realm.objects(CollatedShelf.self).filter("number < 3"))
            for other in shelf.others { shelf.byName["\(other.number)"] = other }
        }
    }

    private var shelves: Results<CollatedShelf> { realm.objects(CollatedShelf.self) }
    private func names(_ shelves: Results<CollatedShelf>) -> [String?] { shelves.map(\.name) }

    @Test("by key path, by name, by descriptors and by text, all orders are one")
    func spellings() {
        let german: [String?] = [nil, "ähre", "Apfel", "Ärmel", "file10", "file9", "Zoo"]
        #expect(names(shelves.sorted(by: \.name, collation: "de")) == german)
        #expect(names(shelves.sorted(byKeyPath: "name", ascending: false, collation: Collation("de"))) == german.reversed())
        #expect(names(shelves.sorted(by: [SortDescriptor(keyPath: \CollatedShelf.name, collation: "de")])) == german)
        #expect(names(shelves.filter("SORT(name COLLATE %@)", "de")) == german)
        #expect(names(shelves.sorted(by: \.name)) == [nil, "Apfel", "Zoo", "file10", "file9", "Ärmel", "ähre"])
        let swedish: [String?] = [nil, "Apfel", "file9", "file10", "Zoo", "ähre", "Ärmel"]
        #expect(names(shelves.sorted(by: \.name, collation: Collation("sv", numeric: true))) == swedish)
        #expect(shelves.sorted(byKeyPath: "next.name", collation: "de").map(\.number) == [2, 3, 6, 4, 5, 1, 0])
        let shelf = shelves[0]
        #expect(names(shelf.others.sorted(by: \.name, collation: "de")) == ["ähre", "Apfel", "Zoo"])
        let last = SortDescriptor(keyPath: "name", ascending: false, collation: "de")
        #expect(names(shelf.byName.sorted(by: [last])) == ["Zoo", "Apfel", "ähre"])
        #expect(shelves.sorted(by: \.name, collation: "de").explain().contains("SORT(name ASC COLLATE \"de\")"))
    }

    @Test("results and sections stay in the language's order when objects change")
    func live() throws {
        let sorted = shelves.sorted(by: \.name, collation: "de")
        let sections = shelves.sectioned(sortDescriptors: [SortDescriptor(keyPath: "name", collation: "de")]) {
            $0.name?.prefix(1).folding(options: .diacriticInsensitive, locale: nil).uppercased() ?? ""
        }
        #expect(sections.allKeys == ["", "A", "F", "Z"] && sorted.count == 7)
        try realm.write { shelves[0].name = "äpfel" }
        #expect(names(sorted) == [nil, "ähre", "Apfel", "äpfel", "Ärmel", "file10", "file9"] && sections.allKeys == ["", "A", "F"])
    }

    @Test("options become parts of the tag, and descriptors have it in their description")
    func tags() {
        #expect(Collation("de", numeric: true, caseFirst: .upper, strength: .primary).tag == "de-u-kn-kf-upper-ks-level1")
        #expect(Collation("de-u-co-phonebk", numeric: true).tag == "de-u-co-phonebk-kn" && Collation("de").tag == "de")
        #expect(Collation("de", strength: .identical).description == "de-u-ks-identic")
        let descriptor = SortDescriptor(keyPath: "name", collation: "de")
        #expect(descriptor.reversed() == SortDescriptor(keyPath: "name", ascending: false, collation: "de") && descriptor != "name")
        #expect(descriptor.description == "SortDescriptor(keyPath: name, direction: ascending, collation: de)")
        for caseFirst in Collation.CaseFirst.allCases { for strength in Collation.Strength.allCases {
            #expect(shelves.sorted(by: \.name, collation: Collation("de", caseFirst: caseFirst, strength: strength)).count == 7)
        } }
    }

    @Test("a collation that ICU does not have is an error in words")
    func mistakes() {
        let error = #expect(throws: FreeholdError.self) { try shelves.filter(parsing: "SORT(name COLLATE 'xx')") }
        #expect(error?.message.contains("column 19: 'xx' has a language that ICU has no order for") == true)
        #expect(throws: FreeholdError.self) { try shelves.filter(parsing: "SORT(number COLLATE 'de')") }
    }
}
