import Foundation
@testable import Freehold
import FreeholdEngine
import Testing

class Node: Object {
    @Persisted var name = ""
    @Persisted(indexed: true) var number = 0
    @Persisted var link: Node?
    @Persisted var list: List<Node>
    @Persisted var values: List<Int>
    @Persisted var tags: MutableSet<String>
    @Persisted var nodes: MutableSet<Node>
    @Persisted var counts: Map<String, Int>
    @Persisted var byName: Map<String, Node?>
    @Persisted(originProperty: "list") var parents: LinkingObjects<Node>

    /// What shows of it, and of what it links to.
    var image: String { "\(_key) \(name) \(number) \(link.map { "\($0._key) \($0.name) \($0.number)" } ?? "-")" }
}

private final class NodeCard: Projection<Node> {
    @Projected(\Node.name) var title
    @Projected(\Node.number) var number
    @Projected(\Node.link?.name) var linkName
    @Projected(\Node.link?.link?.number) var farNumber
    @Projected(\Node.image) var image
    @Projected(\Node.list.projectTo.name) var names: ProjectedCollection<String>

    var texts: [String: String] {
        func text(_ value: (some CustomStringConvertible)?) -> String { value.map { "\($0)" } ?? "nil" }
        return ["title": title, "number": text(number), "linkName": text(linkName), "farNumber": text(farNumber), "image": image, "names": names.joined()]
    }
}

/// Random writes of several threads, and everybody's copy of what they observe: what is told makes it what there is.
@Suite("What observers are told is what happened")
struct ObservingModelTests {
    private static let seeds: Range<UInt64> = ProcessInfo.processInfo.environment["FREEHOLD_LONG"] == nil ? 0..<4 : 0..<400

    @Test("by seed", arguments: seeds)
    func model(seed: UInt64) throws {
        var model = try Model(seed)
        try model.run(steps: 40)
    }

    private struct Model {
        var random: SeededRandom
        let watch: Watch
        let realm: Realm
        var copies: [any Copy] = []
        let other: RealmQueue

        init(_ seed: UInt64) throws {
            random = SeededRandom(seed)
            watch = try Watch([Node.self])
            realm = watch.realm
            other = RealmQueue("other \(seed)", watch.configuration)
            var random = random
            try realm.write { for _ in 0..<12 { Self.make(realm, &random) } }
            self.random = random
            observe()
        }

        /// Observes about half of what there is to observe.
        private mutating func observe() {
            let all = realm.objects(Node.self), node = all[random.below(all.count)]
            func add(_ copy: @autoclosure () -> any Copy) { if random.below(2) == 0 { copies.append(copy()) } }
            for results in [all, all.filter("number > 4"), all.filter("link.number >= 3").sorted(byKeyPath: "name"), all.sorted(byKeyPath: "number", ascending: false).limit(5),
                            all.sorted(byKeyPath: "link.name").distinct(by: ["number"]), all.filter("ANY list.number == 2 OR name < 'f'")] {
                add(PlaceCopy(results) { $0.image })
            }
            add(SectionCopy(all.sectioned(by: \.number)))
            add(SectionCopy(all.sectioned(by: \.link?.name, ascending: false)))
            add(SectionCopy(all.filter("number > 2").sectioned(by: { ($0.list.first?.number ?? 0) % 3 }, sortDescriptors: ["name"])))
            add(SectionCopy(node.list.sectioned(by: { $0.name < "e" }, sortDescriptors: ["number"])))
            add(OneSectionCopy(all.sectioned(by: \.number)))
            add(OneSectionCopy(all.sectioned(by: { $0.name }, sortDescriptors: ["number", "name"])))
            add(PlaceCopy(node.list) { $0.image })
            add(PlaceCopy(node.list.filter("number != 3").sorted(byKeyPath: "name")) { $0.image })
            add(PlaceCopy(node.values) { "\($0)" })
            add(PlaceCopy(node.values.sorted()) { "\($0)" })
            add(PlaceCopy(node.tags) { $0 })
            add(PlaceCopy(node.nodes) { $0.image })
            add(PlaceCopy(node.parents) { $0.image })
            add(KeyCopy(node.counts) { "\($0)" })
            add(KeyCopy(node.byName) { $0?.image ?? "nil" })
            for object in all.prefix(4) { add(ObjectCopy(object)) }
            for object in all.suffix(3) { add(CardCopy(NodeCard(projecting: object))) }
            add(PlaceCopy(realm.objects(NodeCard.self).filter("number < 6").sorted(by: \.title)) { $0.image })
            add(PlaceCopy(node.list.projectTo.name, { $0 }) { $0.observe($1) })
            add(PlaceCopy(all.sorted(byKeyPath: "name").projectTo.image, { $0 }) { $0.observe($1) })
            add(SectionCopy(all.sorted(byKeyPath: "name").sectioned(by: { $0.name }, sortDescriptors: ["number"])))
        }

        mutating func run(steps: Int) throws {
            watch.turn()
            for step in 0..<steps {
                try write()
                if random.below(3) == 0 { continue }
                if random.below(2) == 0 { realm.refresh() } else { watch.turn() }
                // What another thread has committed is heard of some time; here it is to be now.
                realm.refresh()
                for (place, copy) in copies.enumerated() { #expect(copy.problem == nil, "step \(step), observer \(place)") }
                if random.below(12) == 0 { observe() }
            }
        }

        private mutating func write() throws {
            var random = random
            if self.random.below(3) == 0 {
                try other.sync { realm in try realm.write { for _ in 0..<1 + random.below(4) { Self.change(realm, &random) } } }
            } else {
                try realm.write { for _ in 0..<1 + random.below(6) { Self.change(realm, &random) } }
                if random.below(5) == 0 {
                    realm.beginWrite()
                    Self.change(realm, &random)
                    realm.cancelWrite()
                }
            }
            self.random = random
        }

        static func make(_ realm: Realm, _ random: inout SeededRandom) {
            realm.create(Node.self, value: ["name": name(&random), "number": random.below(9)])
        }

        static func name(_ random: inout SeededRandom) -> String { String("abcdefghij".randomElement(using: &random)!) }

        // Long because every kind of change is a case.
        static func change(_ realm: Realm, _ random: inout SeededRandom) {
            let all = realm.objects(Node.self)
            guard all.count > 6 else { return make(realm, &random) }
            let node = all[random.below(all.count)], target = all[random.below(all.count)]
            switch random.below(20) {
            case 0: make(realm, &random)
            case 1: if random.below(2) == 0 { realm.delete(node) }
            case 2, 3: node.name = name(&random)
            case 4, 5: node.number = random.below(9)
            case 6, 7: node.link = random.below(4) == 0 ? nil : target
            case 8, 9: node.list.insert(target, at: random.below(node.list.count + 1))
            case 10: if !node.list.isEmpty { node.list.remove(at: random.below(node.list.count)) }
            case 11: if !node.list.isEmpty { node.list[random.below(node.list.count)] = target }
            case 12: if node.list.count > 1 { node.list.move(from: random.below(node.list.count), to: random.below(node.list.count)) }
            case 13: node.values.append(random.below(9))
            case 14: if !node.values.isEmpty { node.values.remove(at: random.below(node.values.count)) }
            case 15: if random.below(3) == 0 { node.tags.remove(name(&random)) } else { node.tags.insert(name(&random)) }
            case 16: if random.below(3) == 0 { node.nodes.remove(target) } else { node.nodes.insert(target) }
            case 17: node.counts[name(&random)] = random.below(3) == 0 ? nil : random.below(9)
            case 18: node.byName[name(&random)] = random.below(4) == 0 ? .none : .some(target)
            default: if random.below(10) == 0 { node.list.removeAll() }
            }
        }
    }

    /// Somebody's copy of what they observe.
    private protocol Copy: AnyObject {
        /// What is wrong with it; nil if nothing is.
        var problem: String? { get }
    }

    private final class PlaceCopy<Collection: RandomAccessCollection & ThreadConfined>: Copy where Collection.Index == Int {
        private var images: [String] = []
        private var hasBegun = false
        private var isOver = false
        private let collection: Collection
        private let image: (Collection.Element) -> String
        private var token: NotificationToken?

        init(_ collection: Collection, _ image: @escaping (Collection.Element) -> String,
             _ observe: (Collection, @escaping (RealmCollectionChange<Collection>) -> Void) -> NotificationToken) {
            self.collection = collection
            self.image = image
            token = observe(collection) { [unowned self] in hear($0) }
        }

        convenience init(_ collection: Collection, _ image: @escaping (Collection.Element) -> String) where Collection: RealmCollection {
            self.init(collection, image) { $0.observe($1) }
        }

        private func hear(_ change: RealmCollectionChange<Collection>) {
            switch change {
            case .initial(let collection):
                hasBegun = true
                images = collection.map(image)
            case .update(let collection, let deletions, let insertions, let modifications):
                if collection.isInvalidated {
                    isOver = true
                    #expect(deletions == Array(images.indices) && insertions.isEmpty && modifications.isEmpty)
                    return
                }
                let changed = PositionChanges(deletions: deletions, insertions: insertions, modifications: modifications).modificationsAfter
                #expect(Set(deletions).isDisjoint(with: modifications))
                for place in deletions.reversed() { images.remove(at: place) }
                for place in insertions { images.insert(image(collection[place]), at: place) }
                for place in changed { images[place] = image(collection[place]) }
            case .error(let error): Issue.record(error)
            }
        }

        var problem: String? {
            if isOver || collection.isInvalidated { return nil }
            let now: [String] = collection.map(image)
            return hasBegun && now != images ? "\(images) is not \(now)" : nil
        }
    }

    private final class SectionCopy<Key: Hashable>: Copy {
        private var images: [[String]] = []
        private var hasBegun = false
        private let sections: SectionedResults<Key, Node>
        private var token: NotificationToken?

        init(_ sections: SectionedResults<Key, Node>) {
            self.sections = sections
            token = sections.observe { [unowned self] in hear($0) }
        }

        private var all: [[String]] { sections.map { $0.map(\.image) } }

        private func hear(_ change: SectionedResultsChange<SectionedResults<Key, Node>>) {
            switch change {
            case .initial:
                hasBegun = true
                images = all
            case .update(let sections, let deletions, let insertions, let modifications, let made, let gone):
                for paths in [deletions, insertions, modifications] { #expect(paths == paths.sorted() && Set(paths).count == paths.count) }
                #expect(deletions.allSatisfy { !gone.contains($0.section) } && modifications.allSatisfy { !gone.contains($0.section) && !deletions.contains($0) })
                for path in modifications { images[path.section][path.item] = "changed" }
                for path in deletions.reversed() { images[path.section].remove(at: path.item) }
                for section in gone.reversed() { images.remove(at: section) }
                for section in made { images.insert([], at: section) }
                for path in insertions { images[path.section].insert(sections[path].image, at: path.item) }
                for (section, image) in images.enumerated() {
                    for item in image.indices where image[item] == "changed" { images[section][item] = sections[section][item].image }
                }
            }
        }

        var problem: String? { hasBegun && all != images ? "\(images) is not \(all)" : nil }
    }

    /// The first of some sections, which may go and come again.
    private final class OneSectionCopy<Key: Hashable>: Copy {
        private var images: [String] = []
        private var hasBegun = false
        private let section: ResultsSection<Key, Node>
        private var token: NotificationToken?

        init(_ sections: SectionedResults<Key, Node>) {
            section = sections[0]
            token = section.observe { [unowned self] in hear($0) }
        }

        private func hear(_ change: SectionedResultsChange<ResultsSection<Key, Node>>) {
            switch change {
            case .initial:
                hasBegun = true
                images = section.map(\.image)
            case .update(let section, let deletions, let insertions, let modifications, _, let gone):
                if !gone.isEmpty {
                    #expect(deletions.isEmpty && modifications.isEmpty)
                    images = []
                }
                for path in modifications { images[path.item] = "changed" }
                for path in deletions.reversed() { images.remove(at: path.item) }
                for path in insertions { images.insert(section[path.item].image, at: path.item) }
                for item in images.indices where images[item] == "changed" { images[item] = section[item].image }
            }
        }

        var problem: String? { hasBegun && section.map(\.image) != images ? "\(images) is not \(section.map(\.image))" : nil }
    }

    private final class KeyCopy<Value: RealmCollectionValue>: Copy {
        private var images: [String: String] = [:]
        private var hasBegun = false
        private let map: Map<String, Value>
        private let image: (Value) -> String
        private var token: NotificationToken?

        init(_ map: Map<String, Value>, _ image: @escaping (Value) -> String) {
            self.map = map
            self.image = image
            token = map.observe { [unowned self] in hear($0) }
        }

        private var all: [String: String] { Dictionary(uniqueKeysWithValues: map.entries.map { ($0.key, image($0.value)) }) }

        private func hear(_ change: RealmMapChange<Map<String, Value>>) {
            switch change {
            case .initial:
                hasBegun = true
                images = all
            case .update(let map, let deletions, let insertions, let modifications):
                if map.isInvalidated { return #expect(deletions.sorted() == images.keys.sorted()) }
                for key in deletions { #expect(images.removeValue(forKey: key) != nil) }
                for key in insertions { #expect(images.updateValue(map[key].map(image) ?? "", forKey: key) == nil) }
                for key in modifications { #expect(images.updateValue(map[key].map(image) ?? "", forKey: key) != nil) }
            case .error(let error): Issue.record(error)
            }
        }

        var problem: String? {
            if map.isInvalidated { return nil }
            return hasBegun && all != images ? "\(images) is not \(all)" : nil
        }
    }

    private final class ObjectCopy: Copy {
        private let node: Node
        private var name: String
        private var number: Int
        private var isDeleted = false
        private var token: NotificationToken?

        init(_ node: Node) {
            self.node = node
            (name, number) = (node.name, node.number)
            token = node.observe { [unowned self] in hear($0) }
        }

        private func hear(_ change: Freehold.ObjectChange<Node>) {
            switch change {
            case .change(let node, let properties):
                #expect(!properties.isEmpty && !node.isInvalidated)
                for property in properties {
                    if property.name == "name" {
                        #expect(property.oldValue as? String == name)
                        name = property.newValue as? String ?? ""
                    } else if property.name == "number" {
                        #expect(property.oldValue as? Int == number)
                        number = property.newValue as? Int ?? -1
                    }
                }
            case .deleted: isDeleted = true
            case .error(let error): Issue.record(error)
            }
        }

        var problem: String? {
            if node.isInvalidated { return isDeleted ? nil : "its end was not told" }
            return name == node.name && number == node.number ? nil : "\(name) \(number) is not \(node.image)"
        }
    }

    private final class CardCopy: Copy {
        private let card: NodeCard
        private var texts: [String: String]
        private var isDeleted = false
        private var token: NotificationToken?

        init(_ card: NodeCard) {
            self.card = card
            texts = card.texts
            token = card.observe { [unowned self] in hear($0) }
        }

        private func hear(_ change: Freehold.ObjectChange<NodeCard>) {
            switch change {
            case .change(let card, let properties):
                let now = card.texts
                #expect(!properties.isEmpty)
                for property in properties {
                    if property.name != "names" {
                        #expect(property.oldValue.map { "\($0)" } ?? "nil" == texts[property.name])
                        #expect(property.newValue.map { "\($0)" } ?? "nil" == now[property.name])
                    }
                    texts[property.name] = now[property.name]
                }
            case .deleted: isDeleted = true
            case .error(let error): Issue.record(error)
            }
        }

        var problem: String? {
            if card.isInvalidated { return isDeleted ? nil : "its end was not told" }
            return texts == card.texts ? nil : "\(texts) is not \(card.texts)"
        }
    }
}

/// Numbers that a seed decides.
private struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
