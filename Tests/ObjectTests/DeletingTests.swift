import Foundation
import Freehold
import Testing

@Suite("Deleting many objects")
struct DeletingTests {
    private let types: [ObjectBase.Type] = [Shackle.self, DoorKey.self]

    private func withRealm(_ body: (Realm) throws -> Void) throws {
        let folder = try Folder(), realm = try Realm(configuration: folder.configuration(types))
        try realm.write { for id in 0..<3001 { realm.create(Shackle.self, value: ["id": id]) } }
        try body(realm)
    }

    @Test("results of which one object may not go are deleted whole or not at all")
    func refused() throws {
        try withRealm { realm in
            let all = realm.objects(Shackle.self), first = try #require(all.first)
            try realm.write {
                let key = realm.create(DoorKey.self)
                all.first { $0.id == 1500 }?.key = key
                #expect(mistakes { realm.delete(all) }.count == 1)
                #expect(all.count == 3001 && !first.isInvalidated)
                #expect(mistakes { realm.delete(Array(all)) }.count == 1)
                #expect(all.count == 3001 && first.id == 0)
            }
            #expect(all.count == 3001)
        }
    }

    @Test("objects that deny one another's deletion go together")
    func together() throws {
        try withRealm { realm in
            let all = realm.objects(Shackle.self)
            try realm.write {
                for (one, other) in zip(all, all.dropFirst()) { one.next = other }
                let some = [0, 1, 2].compactMap { realm.object(ofType: Shackle.self, forPrimaryKey: $0) }
                #expect(mistakes { realm.delete(some) }.count == 1)
                #expect(some.allSatisfy { !$0.isInvalidated })
                realm.delete(all.suffix(2).reversed() + all.suffix(1))
                #expect(all.count == 2999)
                all.last?.key = realm.create(DoorKey.self)
                #expect(mistakes { realm.delete(all) }.count == 1)
                realm.deleteAll()
                #expect(all.isEmpty && realm.objects(DoorKey.self).isEmpty && some.allSatisfy(\.isInvalidated))
            }
        }
    }
}
