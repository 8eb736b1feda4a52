import FreeholdEngine

/// Reads the blocks of a rules file.
struct RuleReader {
    private let text: RuleText
    private let schema: SyncSchema
    private(set) var streams: [StreamRules.Stream] = []
    /// Links that are followed further than once.
    private(set) var further: [StreamRules.Follow] = []
    private(set) var rights: [Int32: StreamRules.Rights] = [:]
    /// Who may add classes and properties; nil: nobody.
    private(set) var additions: RuleCondition?
    /// The claims that conditions name.
    private(set) var claims: Set<ExactText> = []

    /// The most streams that rules have.
    private static let mostStreams = 1_000

    init(_ text: RuleText, _ schema: SyncSchema) { (self.text, self.schema) = (text, schema) }

    mutating func read() throws(FreeholdError) {
        var scanner = RuleScanner(text), hasRights = false
        while !scanner.isAtEnd {
            let word = try scanner.word("`stream`, `rights` or `classes`")
            switch word.keyword {
            case "stream": try readStream(&scanner)
            case "rights":
                if hasRights { throw text.mistake(at: word.place, "there is another block `rights` before; write all rights in one") }
                hasRights = true
                try open(&scanner, "rights")
                for statement in try scanner.statements() { try readRight(statement) }
            case "classes": try readAdditions(&scanner, word.place)
            default: throw text.mistake(at: word.place, "expected `stream`, `rights` or `classes`, found '\(word.text)'")
            }
        }
    }

    private func open(_ scanner: inout RuleScanner, _ name: String) throws(FreeholdError) {
        if !scanner.skip("{") { throw scanner.mistake("expected { after `\(name)`, found \(scanner.found)") }
    }

    private func number(of word: RuleScanner.Word) throws(FreeholdError) -> Int32 {
        if let number = schema.classes.firstIndex(where: { $0.name.isSame(as: word.text) }) { return Int32(number) }
        throw text.mistake(.unknownClass, at: word.place,
                           "no synced class '\(word.text)'\(suggestion(for: word.text, among: schema.classes.map(\.name)))")
    }

    // MARK: Streams

    private mutating func readStream(_ scanner: inout RuleScanner) throws(FreeholdError) {
        let name = try scanner.word("the name of a stream")
        if streams.contains(where: { $0.name.isSame(as: name.text) }) {
            throw text.mistake(at: name.place, "there is another stream '\(name.text)' before; give this one another name")
        }
        if streams.count == Self.mostStreams { throw text.mistake(at: name.place, "the most streams are \(Self.mostStreams)") }
        try open(&scanner, name.text)
        var stream = StreamRules.Stream(name: name.text)
        for statement in try scanner.statements() {
            let (entry, place) = try entry(statement)
            if stream.entries.contains(where: { $0.type == entry.type }) {
                throw text.mistake(at: place, "the stream '\(name.text)' names \(schema.classes[Int(entry.type)].name) twice; join the "
                    + "conditions with OR, or write another stream")
            }
            stream.entries.append(entry)
        }
        if stream.entries.isEmpty { throw text.mistake(at: name.place, "the stream '\(name.text)' names no class") }
        streams.append(stream)
    }

    /// `Task where owner == $user follow project, assignees depth 1`
    private mutating func entry(_ statement: Range<Int>) throws(FreeholdError) -> (StreamRules.Entry, Int) {
        var scanner = RuleScanner(text, statement)
        let word = try scanner.word("the name of a class"), type = try number(of: word)
        var condition = RuleCondition.constant(true), hasFollow = false
        if scanner.skip(keyword: "where") {
            let (range, isFound) = scanner.rest(until: "follow")
            condition = try self.condition(range, of: type)
            hasFollow = isFound
        } else {
            hasFollow = scanner.skip(keyword: "follow")
        }
        let (follows, reach) = hasFollow ? try self.follows(&scanner, of: type) : ([], nil)
        if !scanner.isAtEnd {
            scanner.skipBlanks()
            throw scanner.mistake("expected `where`, `follow` or the end of the line, found \(scanner.found); a rule stands on a line, or "
                + "behind a semicolon")
        }
        return (StreamRules.Entry(type: type, condition: condition, follows: follows, reach: reach), word.place)
    }

    /// `follow project, client depth 2`: the properties of the class, and what is followed behind them.
    private mutating func follows(_ scanner: inout RuleScanner, of type: Int32) throws(FreeholdError) -> ([Int32], SyncReach?) {
        var names: [(name: String, place: Int)] = []
        repeat {
            let name = try propertyName(&scanner, "a property with links")
            let isTwice = names.contains { $0.name.isSame(as: name.name) }
            if isTwice { throw text.mistake(at: name.place, "'\(name.name)' is named twice") }
            names.append(name)
        } while scanner.skip(",")
        let depth = try depth(&scanner)
        // Any class may be met: also one that is added later, and subclasses, of which the server knows only the topmost class.
        let classes = depth == 1 ? [type] : schema.classes.indices.map { Int32($0) }
        var follow = StreamRules.Follow()
        for one in classes {
            let found = names.compactMap { link($0.name, of: one) }
            if !found.isEmpty { follow.properties[one] = found }
        }
        for (name, place) in names {
            let isThere = classes.contains { link(name, of: $0) != nil }, declared = declared(name, of: type)
            if isThere { continue }
            guard declared == nil || name.isSame(as: SyncNames.subclass) else {
                throw text.mistake(.typeMismatch, at: place, "'\(name)' has no links to objects of synced classes")
            }
            throw unknown(name, of: type, at: place)
        }
        let own = follow.properties[type] ?? []
        guard depth > 1, !own.isEmpty else { return (own, nil) }
        further.append(follow)
        return (own, SyncReach(follow: Int32(further.count - 1), left: depth - 1))
    }

    private func depth(_ scanner: inout RuleScanner) throws(FreeholdError) -> Int32 {
        scanner.skipBlanks()
        let place = scanner.place
        guard scanner.skip(keyword: "depth") else { return 1 }
        let number = try scanner.word("the number of links")
        guard let depth = Int32(number.text), (1...SyncReach.most).contains(depth) else {
            throw text.mistake(at: place, "links are followed 1 to \(SyncReach.most) times, one after the other; give what is further by a "
                + "stream of its own")
        }
        return depth
    }

    /// The number of a property with links; nil if the class has none of that name. What it links to need not be there: else rules would
    /// mean something else when a class is added.
    private func link(_ name: String, of type: Int32) -> Int32? {
        guard let (number, declared) = declared(name, of: type), declared.kind != .counter else { return nil }
        let isLink = declared.type == nil || declared.type == .mixed || declared.type == .link
        return isLink && !schema.classes[Int(type)].embeds[Int(number)] ? number : nil
    }

    private func declared(_ name: String, of type: Int32) -> (Int32, SyncSchema.Property)? {
        let properties = schema.classes[Int(type)].properties
        if name.isSame(as: SyncNames.subclass) { return nil }
        return properties.firstIndex { $0.name.isSame(as: name) }.map { (Int32($0), properties[$0]) }
    }

    /// A name, which may have dots, and where it stands.
    private func propertyName(_ scanner: inout RuleScanner, _ wanted: String) throws(FreeholdError) -> (name: String, place: Int) {
        let first = try scanner.word(wanted)
        var name = first.text
        while scanner.skip(".") { name += "." + (try scanner.word("a property's name").text) }
        return (name, first.place)
    }

    private func property(_ scanner: inout RuleScanner, of type: Int32, _ wanted: String) throws(FreeholdError) -> (Int32, Int) {
        let (name, place) = try propertyName(&scanner, wanted)
        if let (number, _) = declared(name, of: type) { return (number, place) }
        throw unknown(name, of: type, at: place)
    }

    private func unknown(_ name: String, of type: Int32, at place: Int) -> FreeholdError {
        let known = schema.classes[Int(type)]
        return text.mistake(.unknownProperty, at: place, "property '\(name)' not found in \(known.name)"
            + suggestion(for: name, among: known.properties.map(\.name)))
    }

    // MARK: Rights

    /// `Task write where owner == $user`, `Task.price read-only`
    private mutating func readRight(_ statement: Range<Int>) throws(FreeholdError) {
        var scanner = RuleScanner(text, statement)
        let word = try scanner.word("the name of a class"), type = try number(of: word)
        let property = scanner.skip(".") ? try self.property(&scanner, of: type, "a property's name") : nil
        if let property, schema.classes[Int(type)].owners[Int(property.0)] >= 0 {
            throw text.mistake(at: property.1, "a right of a property is one of all that it embeds: name the property with the embedded "
                + "object, which can be replaced as a whole")
        }
        let right = try scanner.word("`write`, `create`, `delete` or `read-only`")
        var condition = RuleCondition.constant(true)
        if scanner.skip(keyword: "where") {
            condition = try self.condition(scanner.rest(until: nil).range, of: type)
        } else if !scanner.isAtEnd {
            scanner.skipBlanks()
            throw scanner.mistake("expected `where` or the end of the line, found \(scanner.found)")
        }
        var rights = self.rights[type] ?? StreamRules.Rights()
        let isNew: Bool
        switch (right.keyword, property) {
        case ("write", let property?): isNew = rights.add(condition, for: property.0)
        case ("read-only", let property?): isNew = rights.add(.not(condition), for: property.0)
        case ("write", nil): isNew = Self.set(&rights.write, condition)
        case ("read-only", nil): isNew = Self.set(&rights.write, .not(condition))
        case ("create", nil): isNew = Self.set(&rights.create, condition)
        case ("delete", nil): isNew = Self.set(&rights.delete, condition)
        case ("create", _), ("delete", _):
            throw text.mistake(at: right.place, "objects are created and deleted, and not properties; write `\(word.text) \(right.text)`")
        default: throw text.mistake(at: right.place, "expected `write`, `create`, `delete` or `read-only`, found '\(right.text)'")
        }
        guard isNew else {
            throw text.mistake(at: word.place, "this right of \(word.text) is declared before (`read-only` is one of `write`); join the "
                + "conditions with OR")
        }
        self.rights[type] = rights
    }

    /// False if it is there.
    private static func set(_ right: inout RuleCondition?, _ condition: RuleCondition) -> Bool {
        defer { right = condition }
        return right == nil
    }

    // MARK: Classes

    /// `classes { add where $claim.role == "developer" }`
    private mutating func readAdditions(_ scanner: inout RuleScanner, _ place: Int) throws(FreeholdError) {
        if additions != nil { throw text.mistake(at: place, "there is another block `classes` before; join the conditions with OR") }
        try open(&scanner, "classes")
        for statement in try scanner.statements() {
            var scanner = RuleScanner(text, statement)
            let word = try scanner.word("`add`")
            guard word.keyword == "add" else { throw text.mistake(at: word.place, "expected `add`, found '\(word.text)'") }
            if additions != nil { throw text.mistake(at: word.place, "`add` is declared before; join the conditions with OR") }
            guard scanner.skip(keyword: "where") else {
                if scanner.isAtEnd {
                    additions = .constant(true)
                    continue
                }
                scanner.skipBlanks()
                throw scanner.mistake("expected `where` or the end of the line, found \(scanner.found)")
            }
            // There is no object: a condition has only `$user` and claims.
            let reader = RuleConditionReader(text, scanner.rest(until: nil).range, StreamRules.noObject, 0)
            claims.formUnion(try reader.claims())
            additions = try reader.read()
        }
        if additions == nil { throw text.mistake(at: place, "the block `classes` says nothing; write `add where` and a condition") }
    }

    // MARK: Conditions

    private mutating func condition(_ range: Range<Int>, of type: Int32) throws(FreeholdError) -> RuleCondition {
        let reader = RuleConditionReader(text, range, schema, type)
        claims.formUnion(try reader.claims())
        return try reader.read()
    }
}

extension StreamRules.Rights {
    /// False if it is there.
    fileprivate mutating func add(_ condition: RuleCondition, for property: Int32) -> Bool {
        if properties.contains(where: { $0.property == property }) { return false }
        properties.append((property, condition))
        properties.sort { $0.property < $1.property }
        return true
    }
}
