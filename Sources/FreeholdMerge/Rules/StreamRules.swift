import FreeholdEngine

/// A rules file, read for the classes of a server: who gets what, and who may change what.
///
/// ```swift
/// let rules = try StreamRules("stream mine { Task where owner == $user }", schema)
/// let server = SyncServer(schema: schema, store: store, streams: RuledStreams(rules, schema, directory))
/// ```
public struct StreamRules: Sendable {
    /// What a stream gives of one class.
    struct Entry: Sendable {
        let type: Int32
        let condition: RuleCondition
        /// Properties whose targets are seen as well.
        let follows: [Int32]
        /// What is followed from there on; nil if nothing is.
        let reach: SyncReach?
    }

    /// Links that are followed further than once: the properties of each class by which they lead on.
    struct Follow: Sendable {
        var properties: [Int32: [Int32]] = [:]
    }

    /// A stream.
    struct Stream: Sendable {
        let name: String
        var entries: [Entry] = []
    }

    /// Rights of a class.
    struct Rights: Sendable {
        var write: RuleCondition?
        var create: RuleCondition?
        var delete: RuleCondition?
        /// Rights of single properties, in the order of their numbers.
        var properties: [(property: Int32, condition: RuleCondition)] = []
    }

    /// The claims that conditions ask for.
    public private(set) var claims: Set<ExactText> = []
    var streams: [Stream] = []
    /// By their numbers, in `SyncReach`.
    private(set) var further: [Follow] = []
    var rights: [Int32: Rights] = [:]
    /// Who may add classes and properties; nil: nobody.
    var additions: RuleCondition?
    /// The entries of each class.
    private(set) var entries: [[Entry]]
    /// Properties that a stream follows, by class.
    private(set) var followed: [Set<Int32>]

    /// Reads rules.
    ///
    /// - Throws: `.malformedInput`, `.unknownClass`, `.unknownProperty` or `.typeMismatch`, with the line and the column.
    public init(_ text: String, _ schema: SyncSchema) throws(FreeholdError) {
        var reader = RuleReader(try RuleText(text), schema)
        try reader.read()
        (streams, rights, additions, claims) = (reader.streams, reader.rights, reader.additions, reader.claims)
        further = reader.further
        let all = streams.flatMap(\.entries)
        entries = schema.classes.indices.map { type in all.filter { $0.type == Int32(type) } }
        followed = entries.map { Set($0.flatMap(\.follows)) }
        for follow in further {
            for (type, properties) in follow.properties { followed[Int(type)].formUnion(properties) }
        }
    }

    /// The class of conditions that have no object: a property's name in them is a mistake.
    static let noObject = SyncSchema(classes: [.init("the user", key: .init("\u{0}"), properties: [])])

    /// The streams' names, in their order.
    public var streamNames: [String] { streams.map(\.name) }
    /// The classes that no stream names: objects of these are seen by who sees one that leads to them, if a stream follows its link.
    public func unnamedClasses(of schema: SyncSchema) -> [String] {
        schema.classes.indices.filter { entries[$0].isEmpty }.map { schema.classes[$0].name }
    }
}
