import Foundation
import Freehold
import Testing

/// Texts that Swift takes for equal and that are different bytes.
@Suite("Spellings of one text")
struct SpellingTests {
    private let composed = "caf\u{E9}", decomposed = "cafe\u{301}"

    @Test("maps and sets by themselves keep both, as those of a file do")
    func collections() throws {
        let folder = try Folder(), realm = try Realm(configuration: folder.configuration([Owner.self, Pet.self]))
        let owner = Owner()
        owner.phones[composed] = "1"
        owner.phones[decomposed] = "2"
        owner.tags.insert(objectsIn: [composed, decomposed, composed])
        #expect(owner.phones.count == 2 && owner.phones[composed] == "1" && owner.tags.count == 2)
        try realm.write { realm.add(owner) }
        #expect(owner.phones.count == 2 && owner.phones[composed] == "1" && owner.phones[decomposed] == "2")
        #expect(owner.tags.count == 2 && owner.tags.contains(decomposed))
        let copy = Owner(value: owner)
        #expect(copy.phones.count == 2 && copy.tags.count == 2)
        copy.tags.remove(composed)
        copy.phones.removeObject(for: composed)
        #expect(copy.phones.keys.map { Array($0.utf8) } == [Array(decomposed.utf8)] && copy.tags.count == 1)
        try realm.write { owner.phones[composed] = nil }
        #expect(owner.phones.count == 1 && owner.phones[decomposed] == "2")
    }
}
