@testable import Freehold
import FreeholdEngine
import Testing

/// Somebody's copy of what they observe.
protocol ObservedCopy: AnyObject {
    /// What is wrong with it; nil if nothing is.
    var problem: String? { get }
}

final class PlaceCopy<Collection: RandomAccessCollection & ThreadConfined>: ObservedCopy where Collection.Index == Int {
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

final class SectionCopy<Key: Hashable>: ObservedCopy {
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
final class OneSectionCopy<Key: Hashable>: ObservedCopy {
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

final class KeyCopy<Value: RealmCollectionValue>: ObservedCopy {
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

final class ObjectCopy: ObservedCopy {
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

final class CardCopy: ObservedCopy {
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
