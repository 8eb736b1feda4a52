import FreeholdEngine

/// A value as a request gives it, before the property's type is known.
indirect enum NewValue: Sendable {
    /// Text, to be parsed as the property's type.
    case text(String)
    case null
    case bool(Bool)
    /// An object by its key; `className` is needed in mixed properties only.
    case link(ObjectKey, className: String?)
    /// An object by the text of its primary key; `className` as for `link`.
    case primaryKey(String, className: String?)
    /// The object that an operation of this request added under a name.
    case new(String)
    /// The bytes of a finished upload.
    case upload(String)
    /// Text, to be parsed as this type, for mixed properties.
    case mixed(PropertyType, String)
    /// The elements of a list or set.
    case list([NewValue])
    case map([(name: String, value: NewValue)])
    /// An embedded object; `className` is a subclass of the class that the property leads to.
    case embedded(className: String?, values: [(name: String, value: NewValue)])

    /// The value in a word, for messages.
    var kindText: String {
        switch self {
        case .text: "text"
        case .null: "null"
        case .bool: "true or false"
        case .link, .primaryKey, .new: "a link"
        case .upload: "an upload"
        case .mixed(let type, _): "a mixed value of type \(type.name)"
        case .list: "a list"
        case .map: "a map"
        case .embedded: "an embedded object"
        }
    }
}

extension NewValue {
    /// Decodes a value.
    ///
    /// - Throws: ``RequestMistake`` for a form that does not exist.
    init(_ json: JSON) throws(RequestMistake) {
        let form = try RequestObject(json, "a value")
        switch form.names.first {
        case "text"?: self = .text(try form.text("text"))
        case "null"?: self = try NewValue.null(form)
        case "bool"?: self = .bool(try form.bool("bool"))
        case "link"?: self = .link(try form.key("link"), className: try form.optionalText("class"))
        case "primaryKey"?: self = .primaryKey(try form.text("primaryKey"), className: try form.optionalText("class"))
        case "class"?: self = try NewValue.linkWithClassFirst(form)
        case "new"?: self = .new(try form.text("new"))
        case "upload"?: self = .upload(try form.text("upload"))
        case "mixed"?: self = .mixed(try NewValue.type(try form.text("mixed")), try form.text("text"))
        case "list"?: self = .list(try NewValue.list(try form.array("list")))
        case "set"?: self = .list(try NewValue.list(try form.array("set")))
        case "map"?: self = .map(try NewValue.named(try form.object("map")))
        case "embedded"?: self = try NewValue.embedded(try form.object("embedded"))
        default: throw RequestMistake(NewValue.forms)
        }
        try form.requireNothingElse()
    }

    /// The values of a JSON object by name.
    static func named(_ form: RequestObject) throws(RequestMistake) -> [(name: String, value: NewValue)] {
        var values: [(name: String, value: NewValue)] = []
        for member in form.members { values.append((member.name, try NewValue(member.value))) }
        return values
    }

    private static let forms = "a value is one of {\"text\": …}, {\"null\": true}, {\"bool\": …}, {\"link\": …}, "
        + "{\"primaryKey\": …}, "
        + "{\"new\": …}, {\"upload\": …}, {\"mixed\": …, \"text\": …}, {\"list\": […]}, {\"map\": {…}}, {\"embedded\": {…}}"

    private static func null(_ form: RequestObject) throws(RequestMistake) -> NewValue {
        guard try form.bool("null") else { throw RequestMistake("'null' must be true") }
        return .null
    }

    private static func linkWithClassFirst(_ form: RequestObject) throws(RequestMistake) -> NewValue {
        if form.has("link") { return .link(try form.key("link"), className: try form.text("class")) }
        guard form.has("primaryKey") else { throw RequestMistake(forms) }
        return .primaryKey(try form.text("primaryKey"), className: try form.text("class"))
    }

    private static func embedded(_ form: RequestObject) throws(RequestMistake) -> NewValue {
        let className = try form.optionalText("class")
        let values = form.has("values") ? try named(try form.object("values")) : []
        try form.requireNothingElse()
        return .embedded(className: className, values: values)
    }

    private static func list(_ elements: [JSON]) throws(RequestMistake) -> [NewValue] {
        var values: [NewValue] = []
        for element in elements { values.append(try NewValue(element)) }
        return values
    }

    private static func type(_ name: String) throws(RequestMistake) -> PropertyType {
        if let type = PropertyType.allCases.first(where: { $0.name.isSame(as: name) }), type != .mixed, type != .link { return type }
        let names = PropertyType.allCases.filter { $0 != .mixed && $0 != .link }.map(\.name).joined(separator: ", ")
        throw RequestMistake("'\(name)' is not a type of a mixed value; types are \(names), and links as {\"link\": key, \"class\": name}")
    }
}
