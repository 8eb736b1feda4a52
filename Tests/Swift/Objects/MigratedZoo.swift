import Foundation
import Freehold

// @objc dynamic var inAComment = 1, and the word RealmOptional<Int>
class ZooAnimal: Object {
    @Persisted var id = UUID().uuidString
    @Persisted var name: String = "a \("quoted { name") }"
    @Persisted var weight: Double = 0 {
        didSet { if weight < 0 { weight = 0 } }
    }
    @Persisted var picture: Data?
    let legs = RealmProperty<Int?>()
    let keepers = LinkingObjects(fromType: ZooKeeper.self, property: "animals")
    var cache = [String]()
    var label: String { "\(name), \(legs.value ?? 0) legs" }

    override static func primaryKey() -> String? { return "id" }
    override class func indexedProperties() -> [String] {
        return ["name"]
    }
    override class func ignoredProperties() -> [String] { ["cache"] }
}

class ZooLion: ZooAnimal {
    @Persisted var pride: String? = nil
}

enum ZooShift: Int, PersistableEnum {
    case day, night
}

final class ZooKeeper: Freehold.Object {
    @Persisted public private(set) var name = ""
    @Persisted
    var hired = Date(timeIntervalSince1970: 0)
    @Persisted var boss: ZooKeeper?
    @Persisted var shift = ZooShift.day
    @Persisted var home: ZooAddress?
    let animals = List<ZooAnimal>()
    let days = RealmProperty<Int?>()
    var note = "@objc dynamic var inAText = 1"

    required init() {
        super.init()
        note = "new"
    }

    convenience init(named name: String) {
        self.init()
        self.name = name
    }
}

class ZooAddress: EmbeddedObject {
    @Persisted var street = ""
}

class NotAModel {
    dynamic var plain = 0
}
