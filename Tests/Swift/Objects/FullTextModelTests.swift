import Foundation
import Freehold
@testable import FreeholdEngine
import Testing

class Scribe: Object {
    @Persisted(name: "full_name") var name = ""
    @Persisted var address: ScribeAddress?
    @Persisted var pages: List<String>
}

class ScribeAddress: EmbeddedObject {
    @Persisted var street = ""
}

enum TractKind: String, PersistableEnum {
    case letter, note
}

class Tract: Object {
    @Persisted(primaryKey: true, fullText: true) var id: String
    @Persisted(indexed: true, fullText: .init(weight: 2), name: "caption") var title: String
    @Persisted(fullText: .init(weight: 0.3)) var body: String?
    @Persisted(fullText: false) var kind = TractKind.note
    @Persisted var year = 0
    @Persisted var author: Scribe?
    @Persisted var place: ScribeAddress?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    override class func fullTextIndexes() -> [Freehold.FullTextIndex] {
        [.init("title", "author.name"), ["place.street", .init("kind", weight: 3)]]
    }
}

class Treatise: Tract {
    @Persisted(fullText: true) var summary = ""
}

class Primer: Object {
    @Persisted(fullText: .init(weight: 2)) var title = ""
    @Persisted(fullText: .init(language: "english")) var body = ""

    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    override class func fullTextIndexes() -> [Freehold.FullTextIndex] { [.init("body", language: "french")] }
}

@Suite("Full-text indexes that models declare")
struct FullTextModelTests {
    private let types: [ObjectBase.Type] = [Tract.self, Treatise.self, Scribe.self, ScribeAddress.self]
    private let marked: FullTextIndex = ["id", .init("caption", weight: 2), .init("body", weight: 0.3)]

    private func database(_ folder: Folder) throws -> Database { try Database.open(folder.path) }

    @Test("the properties that say so are one index of their class, and the class can declare further ones")
    func declared() throws {
        let folder = try Folder(), realm = try Realm(configuration: folder.configuration(types))
        try realm.write {
            let author = Scribe(value: ["name": "Ann Radcliffe"])
            let place = ["street": "Mill Road"]
            realm.create(Tract.self, value: ["id": "first", "title": "A Sicilian Romance", "author": author, "place": place])
            realm.create(Treatise.self, value: ["id": "second", "title": "On Terror", "summary": "The supernatural in poetry"])
            for number in 0..<300 { realm.create(Treatise.self, value: ["id": "key\(number)", "title": "Number \(number)"]) }
        }
        let database = try database(folder), snapshot = try database.snapshot(), all = try snapshot.classes
        let declared = all.first { $0.name == "Tract" }?.fullTextIndexes
        #expect(declared == [marked, ["caption", "author.full_name"], ["place.street", .init("kind", weight: 3)]])
        let inherited = all.first { $0.name == "Treatise" }?.fullTextIndexes
        #expect(inherited == [FullTextIndex(marked.fields + ["summary"])])
        #expect(all.filter { !["Tract", "Treatise"].contains($0.name) }.flatMap(\.fullTextIndexes) == [])
        #expect(realm.objects(Tract.self).filter("author.name TEXT 'radcliffe'").map(\.id) == ["first"])
        #expect(realm.objects(Tract.self).where { $0.title.search("sicil*") }.count == 1)
        let query = realm.objects(Tract.self).filter("author.name, title TEXT 'ann romance'")
        #expect(query.explain().contains("index for") && query.count == 1)
        let treatises = realm.objects(Treatise.self).filter("title, summary TEXT 'terror poetry'")
        #expect(treatises.explain().contains("index for") && treatises.count == 1)
        #expect(try database.check().problems.isEmpty)
    }

    @Test("a search is about the properties that it names, or those of the class's index")
    func searching() throws {
        let folder = try Folder(), realm = try Realm(configuration: folder.configuration(types))
        try realm.write {
            let author = Scribe(value: ["name": "Ann Radcliffe"])
            realm.create(Tract.self, value: ["id": "first", "title": "A Sicilian Romance", "body": "of the castle", "author": author])
            realm.create(Treatise.self, value: ["id": "second", "title": "On Terror", "summary": "The supernatural in romance"])
        }
        let all = realm.objects(Tract.self)
        #expect(all.search("romance").map(\.id) == ["first"] && all.search("castle romance").count == 1)
        #expect(realm.objects(Treatise.self).search("romance").map(\.id) == ["second"])
        #expect(all.search("ann sicil*", in: \.title, \.author?.name).count == 1 && all.search("ann sicil*").isEmpty)
        #expect(all.search("castle", in: \.title).isEmpty && all.search("castle -romance").isEmpty)
        let best = all.search("romance OR sicilian OR ann", in: \.title, \.author?.name).sortedByScore()
        let scores: [Double] = Array(best).map { best.score(of: $0) }
        #expect(best.count > 0 && scores.allSatisfy { $0 > 0 } && scores == scores.sorted(by: >))
        let hits = best.first.map { best.hits(in: $0) } ?? [], parts = hits.map { hit in hit.ranges.map { String(hit.text[$0]) } }
        #expect(hits.map(\.keyPath) == ["title", "author.name"] && parts == [["Sicilian", "Romance"], ["Ann"]], "\(hits)")
        #expect(hits.first?.snippet(words: 1).text == "Sicilian" && all.where { $0.year > 0 }.hits(in: all[0]).isEmpty)
        let fused = all.filter("FUSE(title TEXT %@ SORT(@score DESC), author.name TEXT 'ann' SORT(id ASC) WEIGHT 2, 5)", "romance")
        #expect(fused.map(\.id) == ["first"] && fused.score(of: all[0]) == 3 / 61.0, "\(fused)")
        #expect(fused.first.map { fused.hits(in: $0) }?.map(\.keyPath) == ["title", "author.name"])
        #expect(fused.filter("id == 'first'").count == 1 && fused.filter("id == 'second'").isEmpty)
        #expect(mistakes { _ = all.score(of: all[0]) }.first?.contains("no TEXT") == true)
        #expect(all.search("romance").sorted(by: \.id).search("sicilian").count == 1)
        let told = mistakes { _ = realm.objects(Scribe.self).search("ann") }
        #expect(told.count == 1 && told[0].contains("Class 'Scribe' declares no full-text index"))
        #expect(mistakes { _ = all.search("\"open") }.count == 1)
    }

    @Test("a marked property says the language of the index, and a declared index has its own; another one is taken over at once")
    func languages() throws {
        let folder = try Folder(), types = [Primer.self]
        let english = FullTextIndex([.init("title", weight: 2), "body"], language: "english")
        do { _ = try Realm(configuration: folder.configuration(types)) }
        let database = try database(folder)
        func indexes() throws -> [FullTextIndex] { try database.snapshot().table("Primer").fullTextIndexes }
        #expect(try indexes() == [english, .init("body", language: "french")])
        try database.write { transaction in
            try transaction.fullText.add(.init([.init("title", weight: 2), "body"], language: "german"), to: "Primer")
        }
        let realm = try Realm(configuration: folder.configuration(types)), own = try indexes()
        #expect(own == [.init("body", language: "french"), english])
        try realm.write { realm.create(Primer.self, value: ["title": "Houses", "body": "two running dogs"]) }
        guard try database.snapshot().fullTextIndexes().allSatisfy({ $0.state != .unavailable }) else { return }
        let found = realm.objects(Primer.self).search("house \"run dog\"")
        #expect(found.count == 1 && found.first.map { found.hits(in: $0) }?.map { hit in hit.ranges.map { String(hit.text[$0]) } }
            == [["Houses"], ["running dogs"]])
    }

    /// A file of tracts without full-text indexes, of schema version 1.
    private func older(_ folder: Folder, _ change: (inout [ClassSchema]) -> Void = { _ in }) throws -> Database {
        try Realm(configuration: folder.configuration(types, version: 1)).write {}
        let database = try database(folder)
        var classes = try database.snapshot().classes
        database.close()
        _ = try Realm.deleteFiles(for: folder.configuration(types))
        for place in classes.indices { classes[place].fullTextIndexes = [] }
        change(&classes)
        return try folder.file(version: 1, []) { transaction in
            var creation = ClassCreation(in: transaction)
            try creation.create(classes)
            for number in 0..<300 {
                try transaction.insert(into: "Tract", key: .string("key\(number)"), [("year", .int(Int64(number)))])
            }
        }
    }

    @Test("a missing index is added without a higher version; what is not declared is kept until the version is raised")
    func adopted() throws {
        let folder = try Folder(), database = try older(folder) { classes in
            let tract = classes.firstIndex { $0.name == "Tract" }!
            classes[tract].fullTextIndexes = [["body"], [.init("caption", weight: 9), "author.full_name"]]
        }
        do { _ = try Realm(configuration: folder.configuration(types, version: 1)) }
        func indexes() throws -> [FullTextIndex] { try database.snapshot().table("Tract").fullTextIndexes }
        let wanted: [Freehold.FullTextIndex] = [["caption", "author.full_name"], marked, ["place.street", .init("kind", weight: 3)]]
        let before = try database.snapshot().version, first = try indexes()
        #expect(first == [["body"]] + wanted)
        do { _ = try Realm(configuration: folder.configuration(types, version: 1)) }
        #expect(try database.snapshot().version == before)
        // Another program's models, which declare none, leave them alone.
        do { _ = try Realm(configuration: folder.configuration([Scribe.self, ScribeAddress.self], version: 1)) }
        var readOnly = folder.configuration(types, version: 1)
        readOnly.readOnly = true
        do { #expect(try Realm(configuration: readOnly).objects(Tract.self).filter("id TEXT 'key7'").count == 1) }
        do { _ = try Realm(configuration: folder.configuration(types, version: 2)) }
        #expect(try indexes() == wanted)
        #expect(try database.check().problems.isEmpty)
    }

    @Test("a property that a migration drops, renames or retypes takes its index along, and that is declared again")
    func migrated() throws {
        let folder = try Folder(), database = try older(folder) { classes in
            let tract = classes.firstIndex { $0.name == "Tract" }!, author = classes.firstIndex { $0.name == "Scribe" }!
            classes[tract].properties.removeAll { $0.name == "caption" || $0.name == "body" }
            classes[tract].properties += [PropertySchema("heading", .string), PropertySchema("body", .int), PropertySchema("old", .string)]
            classes[author].properties.removeAll { $0.name == "full_name" }
            classes[author].properties += [PropertySchema("full_name", .string, isNullable: true), PropertySchema("alias", .string)]
            classes[tract].fullTextIndexes = [["heading", "author.alias"], ["heading", "id"], ["old"], ["heading", "author.full_name"]]
        }
        try database.write { transaction in
            let table = try transaction.table("Tract"), key = try #require(try table.keys().first)
            let author = try transaction.insert(into: "Scribe", [("full_name", .string("Ann"))])
            try transaction.set(key, in: table, table.column("heading"), to: .string("One Heading"))
            try transaction.set(key, in: table, table.column("body"), to: .int(42))
            try transaction.set(key, in: table, table.column("author"), to: .link(author))
        }
        let number = try database.snapshot().table("Tract").state.stored.derived[3].number
        let configuration = folder.configuration(types, version: 2) { migration, _ in
            migration.renameProperty(onType: "Tract", from: "heading", to: "caption")
        }
        let realm = try Realm(configuration: configuration)
        let table = try database.snapshot().table("Tract")
        #expect(table.fullTextIndexes == [["caption", "author.full_name"], marked, ["place.street", .init("kind", weight: 3)]])
        // That of what was renamed and made required is the same index.
        #expect(table.state.stored.derived[0].number == number)
        for query in ["title, author.name TEXT 'heading ann'", "body TEXT '42'"] {
            let found = realm.objects(Tract.self).filter(query)
            #expect(found.count == 1 && found.explain().contains("index for"), "\(query): \(found.explain())")
        }
        #expect(try database.check().problems.isEmpty)
    }
}
