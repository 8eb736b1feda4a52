import FreeholdEngine

/// A part of a comparison.
indirect enum RuleExpression: Sendable {
    case constant(Value)
    case parameter(RuleParameter)
    case path(RulePath)
    case arithmetic(ArithmeticOperator, RuleExpression, RuleExpression)
    case negation(RuleExpression)

    /// One value; nil for what the token does not have.
    func value(_ context: RuleContext) -> Value? {
        switch self {
        case .constant(let value): return value
        case .parameter(let parameter): return parameter.value(context.person)
        case .path(let path): return path.value(context)
        case .arithmetic(let sign, let left, let right):
            guard let one = left.value(context), let other = right.value(context) else { return .null }
            return PlainComparison.result(sign, one, other)
        case .negation(let inner): return PlainComparison.negated(inner.value(context) ?? .null)
        }
    }

    /// The values of a path to many.
    func values(_ context: RuleContext) -> [Value] {
        if case .path(let path) = self { path.values(context) } else { [] }
    }

    /// What a value is compared with on the right of IN.
    func elements(_ context: RuleContext) -> [Value?] {
        if isToMany { return values(context) }
        if case .parameter = self, case .list(let values) = value(context) { return values }
        return [value(context)]
    }

    /// The strings that it has, which are all that can equal a name; nil where a value of another type may.
    func strings(_ context: RuleContext) -> Set<ExactText>? {
        guard !namesPerson, type == nil || type == .string || type == .mixed else { return nil }
        let values = isToMany ? self.values(context) : [value(context) ?? .null]
        return Set(exact: values.compactMap { if case .string(let text) = $0 { text } else { nil } })
    }

    var isToMany: Bool { if case .path(let path) = self { path.isToMany } else { false } }
    var isParameter: Bool { if case .parameter = self { true } else { false } }
    var isUser: Bool { if case .parameter(.user) = self { true } else { false } }
    var isNull: Bool { if case .constant(.null) = self { true } else { false } }

    /// The type of its values, where that is known before there are any.
    var type: PropertyType? {
        switch self {
        case .constant(let value): value.type
        case .path(let path): path.type
        case .parameter(.user): .string
        case .parameter: nil
        case .arithmetic, .negation: .mixed
        }
    }

    var namesPerson: Bool {
        switch self {
        case .constant: false
        case .parameter: true
        case .path(let path): path.namesPerson
        case .arithmetic(_, let left, let right): left.namesPerson || right.namesPerson
        case .negation(let inner): inner.namesPerson
        }
    }
}

/// What stands for a part of the token.
enum RuleParameter: Sendable {
    case user
    case claim(String)

    /// Nil if the token has no such claim.
    func value(_ person: SyncPerson?) -> Value? {
        switch self {
        case .user: person.map { .string($0.name) }
        case .claim(let name): person?.claims[name]
        }
    }
}

/// A path from an object to values that its row has.
struct RulePath: Sendable {
    enum Place: Sendable {
        /// The primary key.
        case key
        /// A single property, also one of an embedded object, or a counter.
        case single(Int32)
        /// Elements of a list or set, values of a map.
        case elements(Int32)
        case mapKeys(Int32)
        /// The value of a map under a key.
        case entry(Int32, RuleExpression)
    }

    let place: Place
    /// Whether the values are the primary keys of the objects that links lead to.
    let isOfTarget: Bool
    /// The type of the values; nil where it is not known.
    let type: PropertyType?

    var isToMany: Bool {
        switch place {
        case .key, .single, .entry: false
        case .elements, .mapKeys: true
        }
    }

    var namesPerson: Bool { if case .entry(_, let key) = place { key.namesPerson } else { false } }

    func value(_ context: RuleContext) -> Value {
        switch place {
        case .key: return context.object.key.queried
        case .single(let property):
            if context.type.properties[Int(property)].kind == .counter { return .int(context.row.counters[property] ?? 0) }
            return queried(context.row.shownValue(of: property, in: context.type))
        case .entry(let property, let key):
            guard case .string(let text) = key.value(context) else { return .null }
            let register = context.row.entries[SyncPath(property: property, key: .string(text))]
            return register.map { queried($0.value) } ?? .null
        case .elements, .mapKeys: return .null
        }
    }

    func values(_ context: RuleContext) -> [Value] {
        switch place {
        case .elements(let property):
            let found = switch context.type.properties[Int(property)].kind {
            case .set: context.row.shownMembers[property] ?? []
            case .map: (context.row.shownEntries[property] ?? []).map(\.value)
            default: context.row.shownElements[property] ?? []
            }
            return found.map(queried)
        case .mapKeys(let property): return (context.row.shownEntries[property] ?? []).map { $0.key.queried }
        case .key, .single, .entry: return []
        }
    }

    private func queried(_ value: SyncValue) -> Value {
        guard isOfTarget else { return value.queried }
        if case .link(let target) = value { return target.key.queried }
        return .null
    }
}

extension SyncKey {
    fileprivate var queried: Value {
        switch self {
        case .int(let number): .int(number)
        case .string(let text): .string(text)
        case .uuid(let high, let low): .uuid(UniqueIdentifier(high: high, low: low))
        case .objectID(let high, let low): .objectId(ObjectIdentifier12(high: high, low: low))
        }
    }
}

extension SyncValue {
    /// The value as queries compare it. Of links, embedded objects and collections within a value only whether they are null.
    fileprivate var queried: Value {
        switch self {
        case .null, .absent: .null
        case .bool(let truth): .bool(truth)
        case .int(let number): .int(number)
        case .float(let bits): .float(Float(bitPattern: bits))
        case .double(let bits): .double(Double(bitPattern: bits))
        case .decimal(let high, let low): .decimal(Decimal128(high: high, low: low))
        case .timestamp(let seconds, let nanoseconds): .date(Timestamp(seconds: seconds, nanoseconds: nanoseconds))
        case .uuid(let high, let low): .uuid(UniqueIdentifier(high: high, low: low))
        case .objectID(let high, let low): .objectId(ObjectIdentifier12(high: high, low: low))
        case .string(let text): .string(text)
        case .data(let bytes): .data(bytes)
        case .link, .embedded, .list, .set, .map: .list([.null])
        }
    }
}
