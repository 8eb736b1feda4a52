/// The naive model: every object with its values, by name.
struct ModelState {
    struct Object {
        let className: String
        var values: [(name: String, value: ModelValue)]

        subscript(name: String) -> ModelValue {
            get { values.first { $0.name == name }!.value }
            set { values[values.firstIndex { $0.name == name }!].value = newValue }
        }
    }

    enum Result: Equatable {
        case done, conflict, refused
    }

    var objects: [String: Object] = [:]
    /// The objects before the request that is being applied.
    var before: [String: Object] = [:]

    /// The text of each object, to be compared with `Contents`.
    var written: [String: String] {
        objects.mapValues { object in object.values.map { "\($0.name)=\($0.value.written)" }.joined(separator: " ") }
    }

    static let person: [(String, ModelValue)] = [
        ("id", .int(0)), ("name", .string("")), ("nick", .null), ("rank", .int(0)), ("friend", .null), ("friends", .list([])),
            ("scores", .list([])),
        ("labels", .set([])), ("phones", .map([:])), ("matrix", .list([])), ("home", .null), ("homes", .list([])), ("rooms", .map([:])),
            ("plans", .map([:])), ("any", .null),
    ]
    static let note: [(String, ModelValue)] = [
        ("tag", .string("")), ("text", .string("")), ("owner", .null), ("about", .set([])), ("next", .null), ("byName", .map([:])),
            ("any", .null),
    ]
    static let team: [(String, ModelValue)] = [("name", .string("")), ("notes", .list([])), ("lead", .null), ("captain", .null)]
    static let dog: [(String, ModelValue)] = [("tag", .string("")), ("legs", .int(0)), ("barks", .text("bool false")),
        ("tricks", .list([]))]

    static func address(_ street: String, room: String, of person: String?) -> ModelValue {
        .embedded([
            ("street", .string(street)), ("zip", .null), ("tags", .list([])), ("room", .embedded([("name", .string(room))])),
            ("of", person.map(ModelValue.link) ?? .null),
        ])
    }

    mutating func add(_ name: String, _ className: String, _ template: [(String, ModelValue)], _ values: [String: ModelValue]) -> Result {
        if objects[name] != nil { return .refused }
        let object = Object(className: className, values: template.map { ($0.0, values[$0.0] ?? $0.1) })
        if isTaken(object, besides: name) { return .refused }
        objects[name] = object
        return .done
    }

    /// Sets a property whose value has to be `was`, or has to have been before the request, whose own operations do not count.
    mutating func set(_ name: String, _ property: String, _ value: ModelValue, was: ModelValue) -> Result {
        guard var object = objects[name] else { return .conflict }
        guard object[property].shown == was.shown || before[name]?[property].shown == was.shown else { return .conflict }
        if value.targets.contains(where: { objects[$0] == nil }) { return .conflict }
        object[property] = value
        if isTaken(object, besides: name) { return .refused }
        objects[name] = object
        return .done
    }

    /// Deletes objects with what goes with them, or none.
    mutating func delete(_ names: [String]) -> Result {
        var doomed: Set<String> = [], waiting = names
        while let name = waiting.popLast() {
            guard doomed.insert(name).inserted, let object = objects[name] else { continue }
            if object.className == "Team" { waiting += object["notes"].targets }
        }
        for name in doomed {
            guard let object = objects[name], object.className == "Team" else { continue }
            if object["lead"].targets.contains(where: { !doomed.contains($0) }) { return .refused }
        }
        for name in doomed { objects[name] = nil }
        for (name, object) in objects {
            objects[name]!.values = object.values.map { ($0.name, $0.value.without(doomed)) }
        }
        return .done
    }

    private func isTaken(_ object: Object, besides name: String) -> Bool {
        for unique in object.className == "Person" ? ["nick",
            "rank"] : object.className == "Team" ? ["captain"] : [] where object[unique] != .null {
            if objects.contains(where: { $0.key != name && $0.value.className == object.className
                && $0.value[unique] == object[unique] }) { return true }
        }
        return false
    }

    /// The names of the objects of a class, sorted.
    func names(_ className: String) -> [String] { objects.filter { $0.value.className == className }.keys.sorted() }
}

extension ModelValue {
    /// What a cell shows of the value.
    var shown: String {
        switch self {
        case .list(let values): "\(values.count) \(values.prefix(3).map(\.shown))"
        // Which object it is, whatever is in it.
        case .embedded(let fields): fields[0].value.written
        default: written
        }
    }
}
