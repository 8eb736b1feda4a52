import Foundation
import Freehold
import Testing

class GapDog: Object {
    @Persisted var name = ""
    @Persisted var age: Int?
    @Persisted var inner: GapInner?
    @Persisted var friends: List<GapDog>
    @Persisted var pack: MutableSet<GapDog>
    @Persisted var byName: Map<String, GapDog?>
    @Persisted var best: GapDog?
    @Persisted var inners: List<GapInner>
    @Persisted var innersByName: Map<String, GapInner?>
    @Persisted var ints: List<Int>
    @Persisted var any: List<AnyRealmValue>
    @Persisted(originProperty: "friends") var fans: LinkingObjects<GapDog>
}

class GapInner: EmbeddedObject {
    @Persisted var v = 0
}

/// Properties as before `@Persisted`.
class GapOld: Object {
    let any = RealmProperty<AnyRealmValue>()
    let number = RealmProperty<Int?>()
    let text = RealmProperty<String?>()
    @Persisted var mixed: AnyRealmValue
}

/// What programs written for Realm count on, by topic.
@Suite("As in Realm")
struct RealmGapsTests {
    /// A realm of its own, in memory.
    static func realm(_ types: [ObjectBase.Type] = [GapDog.self, GapInner.self, GapOld.self]) throws -> Realm {
        try Realm(configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: types))
    }

    static func dog(_ realm: Realm, _ friends: Int = 0) throws -> GapDog {
        try realm.write { realm.create(GapDog.self, value: ["friends": (0..<friends).map { ["name": "f\($0)"] }]) }
    }
}
