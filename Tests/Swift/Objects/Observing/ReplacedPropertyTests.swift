import Foundation
import Freehold
import FreeholdEngine
import Testing

class Mark: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var parent: Mark?
    @Persisted(originProperty: "parent") var children: LinkingObjects<Mark>
    @Persisted var points = 0
}

/// Another program may drop a property and add it again, so that classes read as before: its values are others, and whoever follows it goes on.
@Suite("A property that was dropped and added again")
struct ReplacedPropertyTests {
    @Test("observers of results, objects, links and sections hear of its values, then and later")
    func observers() throws {
        let watch = try Watch([Mark.self]), realm = watch.realm
        try realm.write {
            for id in 0..<4 {
                let parent = realm.object(ofType: Mark.self, forPrimaryKey: 0)
                realm.create(Mark.self, value: ["id": id, "points": id * 3, "parent": parent as Any] as [String: Any])
            }
        }
        let all = realm.objects(Mark.self), first = all[0], last = all[3]
        let high = Heard(), seen = Heard(), object = Heard(), same = Heard(), path = Heard(), children = Heard(), sections = Heard()
        let tokens = [
            all.filter("points > 5").observe { high.add($0) },
            all.observe(keyPaths: ["points"]) { seen.add($0) },
            last.observe { object.add($0) },
            first.observe { same.add($0) },
            last.observe(keyPaths: ["points"]) { path.add($0) },
            first.children.observe(keyPaths: ["points"]) { children.add($0) },
            all.sectioned(by: \.points).observe { sections.add($0) },
        ]
        watch.turn()
        for heard in [high, seen, object, same, path, children, sections] { _ = heard.take() }
        let database = try Database.open(watch.folder.path)
        try database.write { transaction in
            try transaction.dropProperty("points", from: "Mark")
            try transaction.addProperty(PropertySchema("points", .int), to: "Mark")
        }
        watch.turn()
        #expect(high.take() == ["-[0, 1] +[] ~[]"])
        #expect(seen.take() == ["-[] +[] ~[1, 2, 3]"])
        #expect(object.take() == ["points: 9 → 0"] && path.take() == ["points: 9 → 0"] && same.take() == [])
        #expect(children.take() == ["-[] +[] ~[0, 1, 2]"])
        #expect(sections.take().count == 1)
        try database.write { transaction in
            let table = try transaction.table("Mark")
            for key in try table.keys() { try transaction.set(key, in: table, table.column("points"), to: .int(8)) }
        }
        watch.turn()
        #expect(high.take() == ["-[] +[0, 1, 2, 3] ~[]"])
        #expect(seen.take() == ["-[] +[] ~[0, 1, 2, 3]"])
        #expect(object.take() == ["points: 0 → 8"] && path.take() == ["points: 0 → 8"] && same.take() == ["points: 0 → 8"])
        #expect(children.take() == ["-[] +[] ~[0, 1, 2]"])
        #expect(sections.take().count == 1)
        for token in tokens { token.invalidate() }
    }
}
