import Foundation
import RealmSwift
import Realm

// @objc dynamic var inAComment = 1, and the word RealmOptional<Int>
@objcMembers
class ZooAnimal: Object {
    dynamic var id = UUID().uuidString
    dynamic var name: String = "a \("quoted { name") }"
    dynamic var weight: Double = 0 {
        didSet { if weight < 0 { weight = 0 } }
    }
    dynamic var picture: Data?
    let legs = RealmOptional<Int>()
    let keepers = LinkingObjects(fromType: ZooKeeper.self, property: "animals")
    dynamic var cache = [String]()
    dynamic var label: String { "\(name), \(legs.value ?? 0) legs" }

    override static func primaryKey() -> String? { return "id" }
    override class func indexedProperties() -> [String] {
        return ["name"]
    }
    override class func ignoredProperties() -> [String] { ["cache"] }
}

class ZooLion: ZooAnimal {
    @objc dynamic var pride: String? = nil
}

@objc enum ZooShift: Int, RealmEnum {
    case day, night
}

final class ZooKeeper: RealmSwift.Object {
    @objc public private(set) dynamic var name = ""
    @objc
    dynamic var hired = Date(timeIntervalSince1970: 0)
    @objc dynamic var boss: ZooKeeper?
    @objc dynamic var shift = ZooShift.day
    @objc dynamic var home: ZooAddress?
    let animals = List<ZooAnimal>()
    let days = RealmProperty<Int?>()
    var note = "@objc dynamic var inAText = 1"

    override init() {
        super.init()
        note = "new"
    }

    convenience init(named name: String) {
        self.init()
        self.name = name
    }
}

class ZooAddress: EmbeddedObject {
    @objc dynamic var street = ""
}

class NotAModel {
    dynamic var plain = 0
}
