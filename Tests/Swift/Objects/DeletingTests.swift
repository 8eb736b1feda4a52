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
            try realm.write { all.first { $0.id == 1500 }?.key = realm.create(DoorKey.self) }
            for delete in [{ realm.delete(all) }, { realm.delete(Array(all)) }] {
                let code = refusalCode {
                    try realm.write {
                        delete()
                        #expect(all.count == 3001 && !first.isInvalidated && first.id == 0)
                    }
                }
                #expect(code == .invalidInput && all.count == 3001)
            }
        }
    }

    @Test("objects that deny one another's deletion go together")
    func together() throws {
        try withRealm { realm in
            let all = realm.objects(Shackle.self)
            try realm.write {
                for (one, other) in zip(all, all.dropFirst()) { one.next = other }
            }
            let some = [0, 1, 2].compactMap { realm.object(ofType: Shackle.self, forPrimaryKey: $0) }
            let code = refusalCode {
                try realm.write {
                    realm.delete(some)
                    #expect(some.allSatisfy { !$0.isInvalidated })
                }
            }
            #expect(code == .invalidInput)
            try realm.write {
                realm.delete(all.suffix(2).reversed() + all.suffix(1))
                #expect(all.count == 2999)
                all.last?.key = realm.create(DoorKey.self)
            }
            #expect(refusalCode { try realm.write { realm.delete(all) } } == .invalidInput)
            try realm.write {
                realm.deleteAll()
                #expect(all.isEmpty && realm.objects(DoorKey.self).isEmpty && some.allSatisfy(\.isInvalidated))
            }
        }
    }
}
