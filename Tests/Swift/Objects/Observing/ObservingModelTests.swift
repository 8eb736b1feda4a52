import Foundation
@testable import Freehold
import FreeholdEngine
import TestKit
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
    @Persisted var anys: List<AnyRealmValue>
    @Persisted var anySet: MutableSet<AnyRealmValue>
    @Persisted var anyByName: Map<String, AnyRealmValue>
    @Persisted(originProperty: "list") var parents: LinkingObjects<Node>

    /// What shows of it, and of what it links to.
    var image: String { "\(_key) \(name) \(number) \(link.map { "\($0._key) \($0.name) \($0.number)" } ?? "-")" }
}

extension AnyRealmValue {
    /// What shows of it: of an object its image, of a collection what is in it.
    fileprivate var image: String {
        switch self {
        case .none: "none"
        case .int(let value): "\(value)"
        case .string(let value): value
        case .object(let node as Node): node.image
        case .list(let list): "[" + list.map { $0.image }.joined(separator: ", ") + "]"
        case .dictionary(let map): "[" + map.entries.map { "\($0.key): \($0.value.image)" }.sorted().joined(separator: ", ") + "]"
        default: "\(self)"
        }
    }
}

final class NodeCard: Projection<Node> {
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
    /// `FREEHOLD_LONG=20` makes 10,000 of them.
    private static let seeds: Range<UInt64> = 0..<(ProcessInfo.processInfo.environment["FREEHOLD_LONG"].flatMap { UInt64($0) }.map { $0 * 500 } ?? 4)

    @Test("by seed", arguments: seeds)
    func model(seed: UInt64) throws {
        var model = try Model(seed)
        try model.run(steps: 40)
    }

    private struct Model {
        var random: SeededRandom
        let watch: Watch
        let realm: Realm
        var copies: [any ObservedCopy] = []
        let other: RealmQueue

        init(_ seed: UInt64) throws {
            random = SeededRandom(seed: seed)
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
            func add(_ copy: @autoclosure () -> any ObservedCopy) { if random.below(2) == 0 { copies.append(copy()) } }
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
            add(PlaceCopy(node.anys) { $0.image })
            add(PlaceCopy(node.anySet) { $0.image })
            add(KeyCopy(node.anyByName) { $0.image })
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
            switch random.below(24) {
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
            case 19: node.anys.insert(any(realm, &random), at: random.below(node.anys.count + 1))
            case 20: changeAnys(of: node, realm, &random)
            case 21: if random.below(3) == 0 { node.anySet.remove(any(realm, &random, isNested: false)) } else { node.anySet.insert(any(realm, &random, isNested: false)) }
            case 22: node.anyByName[name(&random)] = random.below(4) == 0 ? nil : any(realm, &random)
            default: if random.below(10) == 0 { node.list.removeAll() }
            }
        }

        /// An element goes, becomes another one, or, of a collection, changes within.
        private static func changeAnys(of node: Node, _ realm: Realm, _ random: inout SeededRandom) {
            if node.anys.isEmpty { return }
            let place = random.below(node.anys.count)
            switch (node.anys[place], random.below(3)) {
            case (_, 0): node.anys.remove(at: place)
            case (.list(let inner), _): inner.append(any(realm, &random, isNested: false))
            case (.dictionary(let inner), _): inner[name(&random)] = any(realm, &random, isNested: false)
            default: node.anys[place] = any(realm, &random)
            }
        }

        /// A value of any kind.
        private static func any(_ realm: Realm, _ random: inout SeededRandom, isNested: Bool = true) -> AnyRealmValue {
            let all = realm.objects(Node.self)
            switch random.below(isNested ? 7 : 5) {
            case 0: return .none
            case 1: return .int(random.below(9))
            case 2: return .string(name(&random))
            case 3, 4: return .object(all[random.below(all.count)])
            case 5: return .fromArray([any(realm, &random, isNested: false), .int(random.below(3))])
            default: return .fromDictionary([name(&random): any(realm, &random, isNested: false)])
            }
        }
    }
}
