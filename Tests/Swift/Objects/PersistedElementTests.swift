import Foundation
@testable import Freehold
import FreeholdEngine
import Testing

enum Grade: Int, PersistableEnum { case low = 1, middle = 5, high = 9, both = 10 }
enum Shade: String, PersistableEnum { case red, green, rose }

struct Label: FailableCustomPersistable, Hashable {
    var text: String
    init(_ text: String) { self.text = text }
    init?(persistedValue: String) { text = persistedValue }
    var persistableValue: String { text }
}

class Crate: Object {
    @Persisted var name = ""
    @Persisted var grades: List<Grade>
    @Persisted var someGrades: List<Grade?>
    @Persisted var shades: MutableSet<Shade>
    @Persisted var shadeOf: Map<String, Shade>
    @Persisted var gradeOf: Map<String, Grade?>
    @Persisted var weights: List<Weight>
    @Persisted var weightOf: Map<String, Weight>
    @Persisted var someWeights: List<Weight?>
    @Persisted var labels: List<Label>
    @Persisted var numbers: List<Int>
    @Persisted var someNumbers: List<Int?>
    @Persisted var numberOf: Map<String, Int?>
    @Persisted var flags: List<Bool>
    @Persisted var shade = Shade.red
    @Persisted var maybe: Shade?
    @Persisted var label = Label("")
    @Persisted var contents: Map<String, Crate?>
    @Persisted var size: Int
    @Persisted var height: Double?
}

/// Collections of enumerations and wrappers, as what the file keeps of them.
@Suite("Enumerations and wrappers in collections")
struct PersistedElementTests {
    private let folder: Folder
    private let realm: Realm

    init() throws {
        folder = try Folder()
        realm = try Realm(configuration: folder.configuration([Crate.self]))
        try realm.write {
            realm.create(Crate.self, value: [
                "name": "full", "grades": [9, 1, 5], "someGrades": [5, nil, 1] as [Int?], "shades": ["red", "rose"],
                "shadeOf": ["a": "red", "b": "green"], "gradeOf": ["x": 9, "y": NSNull()], "weights": [300, 100, 200], "weightOf": ["w": 7],
                "someWeights": [5, nil, 3] as [Int?], "labels": ["b", "a"], "numbers": [1, 2, 3], "someNumbers": [4, nil, 2] as [Int?],
                "numberOf": ["n": 3, "o": NSNull(), "p": 8], "flags": [true, false, true], "shade": "rose", "maybe": "green", "label": "Élan",
            ] as [String: Any])
            realm.create(Crate.self, value: ["name": "empty"])
        }
    }

    private var crate: Crate { realm.objects(Crate.self)[0] }

    private func names(_ isIncluded: (Query<Crate>) -> Query<Bool>) -> [String] { realm.objects(Crate.self).where(isIncluded).map(\.name) }
    private func text(_ isIncluded: (Query<Crate>) -> Query<Bool>) -> String { realm.objects(Crate.self).where(isIncluded).text }

    @Test("raw values of collections are asked for")
    func rawValues() {
        #expect(text { $0.grades.rawValue.contains(1...9) } == "grades.@min >= 1 AND grades.@max <= 9")
        #expect(names { $0.grades.rawValue.contains(1..<9) } == [] && names { $0.grades.rawValue.max == 9 } == ["full"])
        #expect(names { $0.someGrades.rawValue.contains(1...5) } == ["full"] && names { $0.someGrades.rawValue == nil } == ["full"])
        #expect(names { $0.shades.rawValue.contains("rose") } == ["full"] && names { $0.shades.rawValue == "blue" } == [])
        #expect(names { $0.shadeOf.rawValue.contains("green") && $0.shadeOf.values.rawValue.starts(with: "gr") } == ["full"])
        #expect(names { $0.gradeOf.rawValue.contains(9) && $0.gradeOf.rawValue.contains(nil) } == ["full"])
    }

    @Test("what wrappers are kept as is asked for")
    func persistableValues() {
        #expect(names { $0.weights.persistableValue.contains(100...300) && $0.weights.persistableValue.sum == 600 } == ["full"])
        #expect(names { $0.someWeights.persistableValue.contains(3...4) } == [] && names { $0.someWeights.persistableValue == nil } == ["full"])
        #expect(names { $0.weightOf.persistableValue.contains(7) && $0.weightOf["w"].persistableValue > 6 } == ["full"])
        #expect(names { $0.grades.persistableValue.contains(5) && $0.shade.persistableValue == "rose" } == ["full"])
    }

    @Test("a collection compared with a value has one of its elements so")
    func elements() {
        #expect(text { $0.numbers == 3 } == "ANY numbers == 3" && text { $0.numbers != 3 } == "ANY numbers != 3")
        #expect(names { $0.numbers == 3 && $0.numbers != 3 } == ["full"] && names { $0.numbers > 3 } == [])
        #expect(names { $0.numbers >= 3 && $0.numbers < 2 && $0.numbers <= 1 } == ["full"])
        #expect(names { $0.grades == .high && $0.shades == .rose && $0.weights > Weight(grams: 200) } == ["full"])
        #expect(names { $0.someNumbers == nil } == ["full"] && names { $0.grades == .both } == [])
        #expect(names { $0.someNumbers.contains(2...4) } == ["full"] && names { $0.someNumbers.contains(2..<4) } == [])
        #expect(names { $0.numberOf.contains(3...8) && !$0.numberOf.contains(3..<8) } == ["full"])
    }

    @Test("enumerations and wrappers of strings are compared as strings")
    func strings() {
        #expect(names { $0.shade.starts(with: .rose) && $0.shade.equals(.rose, options: .caseInsensitive) && !$0.shade.contains(.red) } == ["full"])
        #expect(names { $0.maybe.ends(with: .green) || $0.maybe.like(.red) } == ["full"])
        #expect(names { $0.label.contains(Label("elan"), options: [.caseInsensitive, .diacriticInsensitive]) } == ["full"])
        #expect(names { $0.maybe.equals($0.shade) } == [] && names { $0.name.notEquals($0.maybe, options: .caseInsensitive) } == ["full", "empty"])
        #expect(names { $0.label.like(Label("?la*")) && $0.label.notEquals(Label("x"), options: .diacriticInsensitive) } == ["full"])
    }

    @Test("the minimum, maximum, sum, average and order of such collections are those of what is kept")
    func aggregates() {
        #expect(crate.grades.min() == .low && crate.grades.max() == .high && crate.someGrades.min() == .low)
        #expect(crate.weights.min() == Weight(grams: 100) && crate.weights.max() == Weight(grams: 300) && crate.weights.sum() == Weight(grams: 600))
        let mean: Double? = crate.weights.average(), gradesMean: Int? = crate.grades.average()
        #expect(mean == 200 && gradesMean == 5)
        #expect(Array(crate.grades.sorted()) == [.low, .middle, .high] && Array(crate.weights.sorted(ascending: false).map(\.grams)) == [300, 200, 100])
        #expect(Array(crate.someGrades.sorted()) == [nil, .low, .middle] && Array(crate.labels.sorted().map(\.text)) == ["a", "b"])
        #expect(Array(crate.shadeOf.sorted()) == [.green, .red] && crate.weights.sorted().max() == Weight(grams: 300))
        #expect(crate.numberOf.min() == 3 && crate.numberOf.max() == 8 && crate.numberOf.sum() == 11 && crate.numberOf.average() == 5.5)
        #expect(Array(crate.numberOf.sorted()) == [nil, 3, 8] && crate.gradeOf.max() == .high && crate.weightOf.sum() == Weight(grams: 7))
        #expect(crate.someNumbers.min() == 2 && crate.someNumbers.sum() == 6 && crate.numbers.sum() == 6 && crate.numbers.average() == 2.0)
        #expect(Array(crate.flags.sorted()) == [false, true, true])
        let alone = List<Grade>()
        alone.append(objectsIn: [.middle, .low])
        #expect(alone.min() == .low && List<Weight>().max() == nil && List<Weight>().sum() == Weight(grams: 0))
        #expect(mistakes { _ = crate.grades.sum() } == ["The sum 15 is not a value of 'Grade'."])
    }

    @Test("code for any collection can ask for them")
    func generic() {
        func least<Elements: RealmCollection>(_ elements: Elements) -> Elements.Element? where Elements.Element.PersistedType: MinMaxType { elements.min() }
        func total<Elements: RealmCollection>(_ elements: Elements) -> Elements.Element where Elements.Element.PersistedType: AddableType { elements.sum() }
        func total<Elements: RealmKeyedCollection>(_ map: Elements) -> Elements.Value where Elements.Value.PersistedType: AddableType { map.sum() }
        func order<Elements: RealmCollection>(_ elements: Elements) -> [Elements.Element] where Elements.Element.PersistedType: SortableType {
            Array(elements.sorted(ascending: false))
        }
        func keys<Elements: RealmCollection>(_ elements: Elements) -> [Bool] where Elements.Element.PersistedType: SortableType {
            elements.sectioned(by: { "\($0)".count > 3 }).allKeys
        }
        #expect(least(crate.someNumbers) == .some(2) && least(crate.grades) == .low && least(crate.numbers) == 1)
        #expect(total(crate.someNumbers) == 6 && total(crate.weights) == Weight(grams: 600) && total(crate.numberOf) == 11)
        #expect(order(crate.someNumbers) == [4, 2, nil] && order(crate.flags) == [true, true, false])
        #expect(keys(crate.someNumbers) == [false, true] && keys(crate.flags) == [true])
        #expect(crate.flags.sectioned(by: { $0 }).allKeys == [false, true])
    }

    @Test("properties of a map's objects have a minimum, maximum, sum and average, also of a map that is unmanaged")
    func maps() throws {
        try realm.write {
            crate.contents["a"] = realm.create(Crate.self, value: ["name": "a", "size": 3, "height": 1.5])
            crate.contents["b"] = realm.create(Crate.self, value: ["name": "b", "size": 8])
            crate.contents["c"] = .some(nil)
        }
        let map = crate.contents, alone = Map<String, Crate?>()
        alone["x"] = Crate(value: ["size": 3, "height": 1.5])
        alone["y"] = Crate(value: ["size": 8])
        for map in [map, alone] {
            #expect(map.min(of: \.size) == 3 && map.max(of: \.size) == 8 && map.sum(of: \.size) == 11 && map.average(of: \.size) == 5.5)
            #expect(map.min(of: \.height) == 1.5 && map.max(of: \.height) == 1.5 && map.sum(of: \.height) == 1.5 && map.average(of: \.height) == 1.5)
            let least: Int? = map.min(ofProperty: "size"), most: Int? = map.max(ofProperty: "size"), mean: Double? = map.average(ofProperty: "size")
            let total: Int = map.sum(ofProperty: "size")
            #expect(least == 3 && most == 8 && mean == 5.5 && total == 11)
        }
        let found: Results<Crate?> = map.filter("size > 5"), sorted: Results<Crate?> = map.sorted(by: \.size, ascending: false)
        let asked: Results<Crate?> = map.where { (crate: Query<Crate?>) in crate.size < 5 }
        #expect(found.map { $0?.name } == ["b"] && sorted.first??.name == "b" && asked.map { $0?.name } == ["a"])
        #expect(map.filter("size > 5").first?.name == "b" && map.where { $0.size < 5 }.count == 1)
    }
}
