import Dispatch
import Foundation
@testable import Freehold
@testable import FreeholdEngine
import Testing

class Spot: EmbeddedObject {
    @Persisted(name: "type") var kind = "Point"
    @Persisted(name: "coordinates") var numbers: List<Double>

    convenience init(_ latitude: Double, _ longitude: Double) {
        self.init()
        numbers.append(objectsIn: [longitude, latitude])
    }
}

class Town: Object {
    @Persisted(name: "lat") var latitude = 0.0
    @Persisted(name: "lon") var longitude = 0.0
}

class Inn: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted(places: true, name: "place") var spot: Spot?
    @Persisted var second: Spot?
    @Persisted var latitude: Double?
    @Persisted var longitude = 0.0
    @Persisted var town: Town?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    override class func placeIndexes() -> [Freehold.PlaceIndex] {
        [.init(latitude: "latitude", longitude: "longitude"), .init(latitude: "town.latitude", longitude: "town.longitude")]
    }
}

class Lodge: Inn {
    @Persisted(places: true) var garage: Spot?
}

@Suite("Indexes of places that models declare")
struct PlaceModelTests {
    private let types: [ObjectBase.Type] = [Inn.self, Lodge.self, Spot.self, Town.self]
    private let declared: [Freehold.PlaceIndex] = [
        "place", .init(latitude: "latitude", longitude: "longitude"), .init(latitude: "town.lat", longitude: "town.lon"),
    ]

    private func database(_ folder: Folder) throws -> Database { try Database.open(folder.path) }

    private func fill(_ realm: Realm, _ count: Int) throws {
        try realm.write {
            let town = Town(value: ["latitude": 60, "longitude": 10])
            for number in 0..<count {
                let inn = number % 3 == 0 ? Lodge() : Inn()
                inn.id = number
                inn.spot = Spot(Double(number % 90), 10)
                if number % 4 > 0 { inn.latitude = Double(number % 90) }
                if number % 10 == 0 { inn.town = town }
                (inn as? Lodge)?.garage = Spot(1, 1)
                realm.add(inn)
            }
        }
    }

    @Test("properties that say so, and further ones of the class, are indexes that answer")
    func answers() throws {
        let folder = try Folder(), realm = try Realm(configuration: folder.configuration(types))
        try fill(realm, 900)
        let database = try database(folder), all = try database.snapshot().classes
        #expect(all.first { $0.name == "Inn" }?.placeIndexes == declared)
        #expect(all.first { $0.name == "Lodge" }?.placeIndexes == ["garage"])
        #expect(all.filter { !["Inn", "Lodge"].contains($0.name) }.flatMap(\.placeIndexes) == [])
        realm.core.shared.indexes.waitUntilDone()
        realm.refresh()
        let circle = try #require(GeoCircle(center: (20, 10), radius: Distance.kilometers(1)!))
        let found = realm.objects(Inn.self).where { $0.spot.geoWithin(circle) }
        #expect(found.count == 10 && found.explain().contains("index for place GEOWITHIN"), "\(found.explain())")
        for query in ["latitude, longitude GEOWITHIN geoCircle([0, 21], 1e-6)",
                      "town.latitude, town.longitude GEOWITHIN geoCircle([10, 60], 1e-6)", "@distance(spot, [10, 20]) < 10"] {
            let found = realm.objects(Inn.self).filter(query)
            #expect(found.count > 5 && found.explain().contains("index for"), "\(query): \(found.explain())")
        }
        let lodges = realm.objects(Lodge.self).filter("@distance(garage, [1, 1]) < 1 AND @distance(spot, [10, 21]) < 5")
        #expect(lodges.count > 0 && lodges.explain().contains("index for"))
        #expect(try database.check().problems.isEmpty)
    }

    @Test("a schema of the program and one of the file list the indexes of full text and of places, inherited ones too")
    func listed() throws {
        let folder = try Folder(), types = types + [Tract.self, Treatise.self, Scribe.self, ScribeAddress.self]
        let realm = try Realm(configuration: folder.configuration(types))
        let town = Freehold.PlaceIndex(latitude: "town.latitude", longitude: "town.longitude"), byName = ["spot", declared[1], town]
        #expect(realm.schema["Inn"]?.placeIndexes == byName && realm.schema["Spot"]?.placeIndexes == [])
        #expect(Set(realm.schema["Lodge"]?.placeIndexes ?? []) == Set(byName + ["garage"]))
        #expect(realm.storedSchema["Inn"]?.placeIndexes == declared)
        #expect(realm.storedSchema["Lodge"]?.placeIndexes == declared + ["garage"])
        #expect(realm.schema["Inn"]?.description.contains("\tplaces = latitude, longitude;\n") == true)
        #expect(realm.schema["Inn"] != realm.storedSchema["Inn"])
        let text = realm.schema["Tract"]?.fullTextIndexes, stored = realm.storedSchema["Treatise"]?.fullTextIndexes
        #expect(text?.map(\.paths) == ["id, title, body", "title, author.name", "place.street, kind"])
        let inherited = ["id, caption, body", "caption, author.full_name", "place.street, kind"]
        #expect(stored?.map(\.paths) == inherited + ["id, caption, body, summary"])
        #expect(realm.schema["Tract"]?.description.contains("\tfull text = title, author.name;\n") == true)
        try realm.write { realm.create(Tract.self, value: ["id": "one", "title": "A tale of tea"]) }
        #expect(realm.dynamicObjects("Tract").search("tale").count == 1)
        #expect(Tract(value: ["id": "x"]).objectSchema.fullTextIndexes.count == 3)
    }

    /// A file of schema version 1 without indexes of places, but for those in `indexes`.
    private func older(_ folder: Folder, _ indexes: [Freehold.PlaceIndex] = [], _ count: Int = 300) throws -> Database {
        try Realm(configuration: folder.configuration(types, version: 1)).write {}
        let made = try database(folder)
        var classes = try made.snapshot().classes
        made.close()
        _ = try Realm.deleteFiles(for: folder.configuration(types))
        for place in classes.indices { classes[place].placeIndexes = classes[place].name == "Inn" ? indexes : [] }
        return try folder.file(version: 1, []) { transaction in
            var creation = ClassCreation(in: transaction)
            try creation.create(classes)
            for number in 0..<count {
                try transaction.insert(into: "Inn", key: .int(Int64(number)), [("latitude", .double(Double(number % 90)))])
            }
        }
    }

    @Test("a missing index is added without a higher version; what is not declared is kept until the version is raised")
    func adopted() throws {
        let second = Freehold.PlaceIndex("second"), folder = try Folder(), database = try older(folder, [second, declared[1]])
        func indexes() throws -> [Freehold.PlaceIndex] { try database.snapshot().table("Inn").schema.placeIndexes }
        let plan = try Realm.migrationPlan(for: folder.configuration(types, version: 1))
        #expect(plan.outcome == .additions && plan.differences.contains("Class 'Inn' has got an index of places of 'town.lat, town.lon'."))
        #expect(plan.differences.contains { $0.hasPrefix("Class 'Inn' has lost its index of places of 'second'. It is kept until") })
        do { _ = try Realm(configuration: folder.configuration(types, version: 1)) }
        #expect(try indexes() == [second, declared[1], declared[0], declared[2]])
        let before = try database.snapshot().version
        do { _ = try Realm(configuration: folder.configuration(types, version: 1)) }
        #expect(try database.snapshot().version == before)
        do { _ = try Realm(configuration: folder.configuration(types, version: 2)) }
        #expect(try indexes() == [declared[1], declared[0], declared[2]])
        #expect(try database.check().problems.isEmpty)
    }

    @Test("opening builds them in the background, and opening asynchronously waits for it")
    func built() throws {
        for isAsynchronous in [false, true] {
            let folder = try Folder(), database = try older(folder, [], 1200), configuration = folder.configuration(types, version: 1)
            func states() throws -> [DerivedIndexState] { try database.snapshot().derivedStates().map(\.state) }
            // The commit that declares an index builds no more than this of it.
            try DerivedBudget.$standard.withValue(DerivedBudget(objects: 10, bytes: 1 << 20)) {
                try database.write { try $0.places.add(latitude: "latitude", longitude: "longitude", to: "Inn") }
            }
            #expect(try states() != [.complete])
            if isAsynchronous {
                let queue = DispatchQueue(label: "callback"), done = DispatchSemaphore(value: 0)
                let task = Realm.asyncOpen(configuration: configuration, callbackQueue: queue) { _ in done.signal() }
                done.wait()
                queue.sync {}
                withExtendedLifetime(task) {}
            } else {
                let realm = try Realm(configuration: configuration)
                realm.core.shared.indexes.waitUntilDone()
                realm.refresh()
                #expect(realm.objects(Inn.self).filter("@distance(latitude, longitude, [0, 5]) < 1").explain().contains("index for"))
            }
            #expect(try states().allSatisfy { $0 == .complete } && states().count == 4)
        }
    }

    @Test("a property that a migration retypes or renames takes its index along, and that is declared again")
    func migrated() throws {
        let folder = try Folder(), database = try older(folder)
        try database.write { transaction in
            try transaction.renameProperty("latitude", to: "north", in: "Inn")
            try transaction.dropProperty("longitude", from: "Inn")
            try transaction.addProperty(PropertySchema("longitude", .int), to: "Inn")
            try transaction.addProperty(PropertySchema("east", .double), to: "Inn")
            try transaction.places.add(latitude: "north", longitude: "east", to: "Inn")
        }
        let configuration = folder.configuration(types, version: 2) { migration, _ in
            migration.renameProperty(onType: "Inn", from: "north", to: "latitude")
        }
        let realm = try Realm(configuration: configuration)
        #expect(try Set(database.snapshot().table("Inn").schema.placeIndexes) == Set(declared))
        realm.core.shared.indexes.waitUntilDone()
        realm.refresh()
        let found = realm.objects(Inn.self).filter("@distance(latitude, longitude, [0, 5]) < 1")
        #expect(found.count > 1 && found.explain().contains("index for"), "\(found.explain())")
        #expect(try database.check().problems.isEmpty)
    }
}
