import Foundation
import Freehold

/// The classes that the classic tutorials declare, by their own names with a `T` before them.
class TDog: Object {
    @Persisted var name = ""
    @Persisted var age = 0
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<TPerson>
}

class TPerson: Object {
    @Persisted var name = ""
    @Persisted var age = 0
    @Persisted var dogs: List<TDog>
    @Persisted var isFirst = false
    @Persisted var planet = ""

    /// Computed: no column.
    var title: String { "\(name), \(age)" }
}

class TCar: Object {
    @Persisted var carName = ""
    @Persisted var owner: TUser?
}

class TUser: Object {
    @Persisted var name = ""
    @Persisted var cars: List<TCar>
    var session = "not kept"

    convenience init(called name: String) {
        self.init()
        self.name = name
    }
}

class TBook: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var title: String
    @Persisted var price = 0.0
    @Persisted var cover: String?
}

class TChannel: Object {
    @Persisted(primaryKey: true) var channel_id: String
    @Persisted var name = ""
}

class TConsumeType: Object {
    @Persisted var name = ""
}

class TConsumeItem: Object {
    @Persisted var name = ""
    @Persisted var cost = 0.0
    @Persisted var date = Date()
    @Persisted var type: TConsumeType?
}

class TIgnoredKey: Object {
    @Persisted var name = ""
    var ID = 0

    override class func primaryKey() -> String? { "ID" }
    override class func ignoredProperties() -> [String] { ["ID"] }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

enum Tutorial {
    static var types: [ObjectBase.Type] { [TDog.self, TPerson.self, TCar.self, TUser.self, TBook.self, TChannel.self, TConsumeType.self, TConsumeItem.self] }
}
