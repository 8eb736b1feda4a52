/// A value of the naive model, written as `Contents` writes it.
indirect enum ModelValue: Equatable, Sendable {
    case null
    case text(String)
    /// An object by its name.
    case link(String)
    case list([ModelValue])
    case set([ModelValue])
    case map([String: ModelValue])
    case embedded([(name: String, value: ModelValue)])

    static func == (one: ModelValue, other: ModelValue) -> Bool { one.written == other.written }

    static func int(_ number: Int) -> ModelValue { .text("int \(number)") }
    static func string(_ text: String) -> ModelValue { .text("string \(text)") }

    var written: String {
        switch self {
        case .null: "null"
        case .text(let text): text
        case .link(let name): "→\(name)"
        case .list(let values): "[\(values.map(\.written).joined(separator: ", "))]"
        case .set(let values): "{\(values.map(\.written).sorted().joined(separator: ", "))}"
        case .map(let entries): "<\(entries.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.written)" }.joined(separator: ", "))>"
        case .embedded(let fields): "(\(fields.map { "\($0.name)=\($0.value.written)" }.joined(separator: " ")))"
        }
    }

    var elements: [ModelValue] {
        get { if case .list(let values) = self { values } else { [] } }
        set { self = .list(newValue) }
    }

    var members: [ModelValue] {
        get { if case .set(let values) = self { values } else { [] } }
        set { self = .set(newValue) }
    }

    var entries: [String: ModelValue] {
        get { if case .map(let entries) = self { entries } else { [:] } }
        set { self = .map(newValue) }
    }

    /// The value without links to deleted objects.
    func without(_ doomed: Set<String>) -> ModelValue {
        func isDoomed(_ value: ModelValue) -> Bool { if case .link(let name) = value { doomed.contains(name) } else { false } }
        return switch self {
        case .null, .text: self
        case .link: isDoomed(self) ? .null : self
        case .list(let values): .list(values.filter { !isDoomed($0) }.map { $0.without(doomed) })
        case .set(let values): .set(values.filter { !isDoomed($0) })
        case .map(let entries): .map(entries.mapValues { $0.without(doomed) })
        case .embedded(let fields): .embedded(fields.map { ($0.name, $0.value.without(doomed)) })
        }
    }

    /// The names of the objects that it links to.
    var targets: [String] {
        switch self {
        case .null, .text: []
        case .link(let name): [name]
        case .list(let values), .set(let values): values.flatMap(\.targets)
        case .map(let entries): entries.values.flatMap(\.targets)
        case .embedded(let fields): fields.flatMap(\.value.targets)
        }
    }
}
