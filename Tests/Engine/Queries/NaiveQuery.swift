@testable import FreeholdEngine

/// Answers queries from dictionaries, the plain way: each object is asked, each path followed, each list walked.
struct NaiveQuery {
    let kennel: Kennel
    /// The keys of all people and of all dogs, ascending.
    let people: [Int64], dogs: [Int64]
    let folds = FoldedTexts()

    init(kennel: Kennel) {
        self.kennel = kennel
        people = kennel.people.keys.sorted()
        dogs = kennel.dogs.keys.sorted()
    }

    /// An object of a class, or a value.
    private indirect enum Item {
        case object(String, Int64)
        case value(Value)
    }

    private typealias Variables = [String: Item]

    func matches(_ condition: QueryCondition, person key: Int64) -> Bool { holds(condition, ["": .object("Person", key)]) }

    private func holds(_ condition: QueryCondition, _ variables: Variables) -> Bool {
        switch condition {
        case .constant(let flag): flag
        case .all(let parts): !parts.contains { !holds($0, variables) }
        case .any(let parts): parts.contains { holds($0, variables) }
        case .not(let part): !holds(part, variables)
        case .comparison(let comparison): holds(comparison, variables)
        }
    }

    private func holds(_ comparison: QueryComparison, _ variables: Variables) -> Bool {
        if comparison.relation == .text, case .value(.string(let search)) = comparison.right {
            return NaiveWords(folds: folds).holds(search, values(comparison.left, variables))
        }
        if comparison.relation == .within, case .shape(let shape) = comparison.right {
            return NaivePlaces.holds(shape, values(comparison.left, variables))
        }
        var quantifier = comparison.quantifier, relation = comparison.relation
        if quantifier == nil, relation == .contains, case .path(let path) = comparison.left, isToMany(path, variables) { (quantifier, relation) = (.any, .equal) }
        let left = values(comparison.left, variables, beside: comparison.right)
        let rights: [Value]
        if case .list(let elements) = comparison.right {
            rights = elements.flatMap { values($0, variables, beside: comparison.left) }
        } else {
            rights = values(comparison.right, variables, beside: comparison.left)
        }
        let each = left.map { one($0, relation, rights, comparison.options) }
        switch quantifier {
        case .any: return each.contains(true)
        case .all: return !each.contains(false)
        case .some(.none): return !each.contains(true)
        default: return each[0]
        }
    }

    private func isToMany(_ path: PropertyPath, _ variables: Variables) -> Bool {
        guard case .property(let name) = path.steps.first else { return false }
        if path.steps.contains(where: { [.size, .type, .first, .last].contains($0) }) { return false }
        for step in path.steps { if case .aggregate = step { return false } }
        return ["dogs", "friends", "pets", "tags", "numbers", "marks", "notes", "grid"].contains(name) && path.steps.count == 1
    }

    // MARK: values

    /// Of a number beside a float property what a float keeps of it.
    private func values(_ expression: QueryExpression, _ variables: Variables, beside other: QueryExpression) -> [Value] {
        guard case .value(let value) = expression, case .path(let path) = other, path.steps == [.property("ratio")] else { return values(expression, variables) }
        switch value {
        case .double(let number): return [.float(Float(number))]
        case .decimal(let number): return [.float(Float(Double(number)))]
        default: return [value]
        }
    }

    private func values(_ expression: QueryExpression, _ variables: Variables) -> [Value] {
        switch expression {
        case .value(let value): return [value]
        case .list(let elements): return elements.flatMap { values($0, variables) }
        case .path(let path): return values(path, variables)
        case .subquery(let path, let variable, let condition):
            let hits = items(path, variables).filter { item in
                var inner = variables
                inner[variable] = item
                return holds(condition, inner)
            }
            return [.int(Int64(hits.count))]
        case .arithmetic(let sign, let left, let right): return [calculated(sign, values(left, variables)[0], values(right, variables)[0])]
        case .negation(let inner): return [calculated(.subtract, .int(0), values(inner, variables)[0])]
        case .shape: return [.null]
        case .distance(let paths, let point): return [NaivePlaces.distance(paths.flatMap { values($0, variables) }, from: point)]
        }
    }

    private func values(_ path: PropertyPath, _ variables: Variables) -> [Value] {
        guard let place = path.steps.firstIndex(where: { if case .aggregate = $0 { true } else { false } }), case .aggregate(let kind) = path.steps[place] else {
            return items(path, variables).map(plain)
        }
        var flat = path
        flat.steps.remove(at: place)
        let all = items(flat, variables).map(plain)
        if kind == .count { return [.int(Int64(all.count))] }
        return [figure(kind, all.filter { $0 != .null })]
    }

    private func plain(_ item: Item) -> Value {
        switch item {
        case .object(_, let key): .link(ObjectKey(key))
        case .value(let value): value
        }
    }

    private func items(_ path: PropertyPath, _ variables: Variables) -> [Item] {
        var now = [variables[path.variable ?? ""]!]
        for step in path.steps { now = now.flatMap { next($0, step) } }
        // A collection at the end is what it holds.
        if case .property(let name)? = path.steps.last, Self.collections.contains(name) { now = now.flatMap(elements) }
        return now
    }

    private static let collections: Set<String> = ["dogs", "friends", "pets", "tags", "numbers", "marks", "notes", "grid"]
    private static let links = ["dog": "Dog", "boss": "Person", "dogs": "Dog", "friends": "Person", "pets": "Dog", "owner": "Person"]

    private func elements(_ item: Item) -> [Item] {
        guard case .value(let value) = item else { return [item] }
        switch value {
        case .list(let values), .set(let values): return values.map { .value($0) }
        case .map(let entries): return entries.sorted { $0.key < $1.key }.map { .value($0.value) }
        case .null: return []
        default: return [item]
        }
    }

    private func next(_ item: Item, _ step: PathStep) -> [Item] {
        switch step {
        case .property(let name):
            return objects(item).map { object in
                guard case .object(let className, let key) = object else { return .value(Self.collections.contains(name) ? .list([]) : .null) }
                let value = (className == "Dog" ? kennel.dogs : kennel.people)[key]?[name] ?? .null
                return named(name, value)
            }
        case .each, .values: return elements(item)
        case .keys:
            guard case .value(.map(let entries)) = item else { return [] }
            return entries.keys.sorted().map { .value(.string($0)) }
        case .backlinks(let className, let property):
            guard case .object(_, let key) = objects(item).first else { return [] }
            let sources = className == "Dog" ? kennel.dogs : kennel.people
            return (className == "Dog" ? dogs : people).flatMap { source in
                Array(repeating: .object(className, source), count: links(sources[source]?[property] ?? .null, to: key))
            }
        case .links:
            guard case .object(let className, let key) = objects(item).first else { return [] }
            let count = Self.links.filter { $0.value == className }.reduce(0) { sum, link in
                (link.key == "owner" ? kennel.dogs : kennel.people).values.reduce(sum) { $0 + links($1[link.key] ?? .null, to: key) }
            }
            return Array(repeating: item, count: count)
        case .size: return [.value(size(plain(item)))]
        case .type: return [.value(.string(typeName(plain(item))))]
        // Scores have tests of their own.
        case .score, .distance: return []
        case .key(let key):
            guard case .map(let entries) = plain(item) else { return [.value(.null)] }
            return [.value(entries[key] ?? .null)]
        case .position(let place): return [.value(at(plain(item), place))]
        case .first: return [.value(at(plain(item), 0))]
        case .last: return [.value(at(plain(item), (parts(plain(item))?.count ?? 0) - 1))]
        case .aggregate: return []
        }
    }

    /// What a property has, where it links with the class of the object.
    private func named(_ name: String, _ value: Value) -> Item {
        if let target = Self.links[name], case .link(let key) = value { return .object(target, key.rawValue) }
        guard let target = Self.links[name] else { return .value(value) }
        func object(_ element: Value) -> Value {
            guard case .link(let key) = element else { return element }
            return .object(ObjectReference(classNumber: target == "Dog" ? 1 : 2, key: key))
        }
        if case .map(let entries) = value { return .value(.map(entries.mapValues(object))) }
        return .value(parts(value).map { .list($0.map(object)) } ?? value)
    }

    private func parts(_ value: Value) -> [Value]? {
        switch value {
        case .list(let values), .set(let values): values
        case .map(let entries): entries.sorted { $0.key < $1.key }.map(\.value)
        default: nil
        }
    }

    /// The objects that are meant where a property is asked of an item.
    private func objects(_ item: Item) -> [Item] {
        switch item {
        case .object: return [item]
        case .value(let value):
            return (parts(value) ?? [value]).map { element in
                guard case .object(let object) = element else { return .value(element) }
                return .object(object.classNumber == 1 ? "Dog" : "Person", object.key.rawValue)
            }
        }
    }

    /// How many links to an object a value holds.
    private func links(_ value: Value, to key: Int64) -> Int { (parts(value) ?? [value]).count { $0 == .link(ObjectKey(key)) } }

    private func size(_ value: Value) -> Value {
        switch value {
        case .string(let text): .int(Int64(text.utf8.count))
        case .data(let bytes): .int(Int64(bytes.count))
        default: parts(value).map { .int(Int64($0.count)) } ?? .null
        }
    }

    private func at(_ value: Value, _ place: Int) -> Value {
        guard case .list(let all) = value, all.indices.contains(place) else { return .null }
        return all[place]
    }

    private func typeName(_ value: Value) -> String {
        switch value {
        case .null: "null"
        case .list: "list"
        case .set: "set"
        case .map: "map"
        default: value.type?.name ?? ""
        }
    }
}
