import Foundation
@testable import Freehold
import Testing

/// What going through a collection takes from Swift's run time: how an instance counts who holds it.
@Suite("Holders of an object")
struct HolderTests {
    @inline(never) private func hold(_ object: ObjectBase) -> Unmanaged<ObjectBase> { .passRetained(object) }

    @Test("a second holder is counted as the run time counts it")
    func second() {
        let made = hold(Dog()), instance = ObjectInstance(made.toOpaque())
        func word() -> UInt { instance.address.load(fromByteOffset: 8, as: UInt.self) }
        let alone = word()
        #expect(instance.isHeldOnce)
        let counted = made.retain(), twice = word()
        #expect(!instance.isHeldOnce)
        counted.release()
        #expect(word() == alone && instance.isHeldOnce)
        let second = Unmanaged.passRetained(instance.forSecondHolder())
        #expect(word() == twice)
        second.release()
        #expect(word() == alone)
        made.release()
    }

    @Test("objects kept on the way are objects of their own")
    func kept() throws {
        let folder = try Folder(), realm = try Realm(configuration: folder.configuration([Person.self, Dog.self]))
        try realm.write { for id in 0..<600 { realm.create(Person.self, value: ["id": id, "age": id]) } }
        var kept: [Person] = [], sum = 0
        weak var last: Person?
        for person in realm.objects(Person.self) {
            sum += person.age
            if person.age % 7 == 0 { kept.append(person) }
            if person.age == 500 { last = person }
        }
        #expect(sum == 600 * 599 / 2)
        #expect(kept.map(\.age) == Array(stride(from: 0, to: 600, by: 7)))
        #expect(last == nil || last?.age == 500)
    }
}
