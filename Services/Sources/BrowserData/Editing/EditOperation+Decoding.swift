import FreeholdEngine

extension EditOperation {
    /// Decodes an operation; the API's document lists the forms.
    init(_ json: JSON, number: Int) throws(RequestMistake) {
        let form = try RequestObject(json, "an operation")
        let verb = try form.text("do")
        kind = try Kind(verb, form)
        try form.requireNothingElse()
        self.number = number
    }
}

extension EditOperation.Kind {
    fileprivate init(_ verb: String, _ form: RequestObject) throws(RequestMistake) {
        switch verb {
        case "set":
            let object = try ObjectName(form)
            self = .set(object, property: try form.text("property"), try NewValue(try form.value("value")), was: try form.was(of: object))
        case "add":
            let values = form.has("values") ? try NewValue.named(try form.object("values")) : []
            self = .add(className: try form.text("class"), values: values, name: try form.optionalText("name"))
        case "delete": self = .delete(try ObjectName(form), was: try form.cells())
        case "setAll":
            self = .setAll(className: try form.text("class"), try form.selection(), property: try form.text("property"),
                           try NewValue(try form.value("value")))
        case "deleteAll": self = .deleteAll(className: try form.text("class"), try form.selection())
        case "insert":
            self = .insert(try CollectionName(form), at: try form.optionalPosition("at"), try NewValue(try form.value("value")))
        case "replace":
            let step = try ElementStep(try form.value("at"))
            if case .position = step { _ = try form.value("was") }
            self = .replace(try CollectionName(form), at: step, try NewValue(try form.value("value")), was: form.optional("was"))
        case "remove": self = .remove(try CollectionName(form), at: try ElementStep(try form.value("at")), was: try form.value("was"))
        case "move":
            self = .move(try CollectionName(form), at: try form.position("at"), to: try form.position("to"), was: form.optional("was"))
        case "embed": self = try .embed(form)
        default:
            throw RequestMistake("'\(verb)' is not an operation; operations are set, add, delete, setAll, deleteAll, insert, replace, "
                + "remove, move and embed")
        }
    }

    private static func embed(_ form: RequestObject) throws(RequestMistake) -> Self {
        let at = try form.optional("at").map { json throws(RequestMistake) in try ElementStep(json) }
        let values = form.has("values") ? try NewValue.named(try form.object("values")) : []
        return .embed(try CollectionName(form), at: at, className: try form.optionalText("as"), values: values, was: form.optional("was"))
    }
}

extension ObjectName {
    fileprivate init(_ form: RequestObject) throws(RequestMistake) {
        className = try form.text("class")
        let value = try form.value("key")
        if value.members != nil {
            let name = try RequestObject(value, "'key'")
            key = .new(try name.text("new"))
            try name.requireNothingElse()
        } else {
            key = .key(try RequestObject.key(value, "key"))
        }
    }

    /// Whether the object is one that the request itself adds.
    var isNew: Bool {
        if case .new = key { true } else { false }
    }
}

extension CollectionName {
    fileprivate init(_ form: RequestObject) throws(RequestMistake) {
        object = try ObjectName(form)
        property = try form.text("property")
        var path: [ElementStep] = []
        if form.has("path") { for step in try form.array("path") { path.append(try ElementStep(step)) } }
        self.path = path
    }
}

extension ElementStep {
    fileprivate init(_ json: JSON) throws(RequestMistake) {
        if let key = json.string {
            self = .key(key)
        } else if let number = json.integer, number >= 0, number <= Int64(Int32.max) {
            self = .position(Int(number))
        } else {
            throw RequestMistake("a place in a collection is a position, a number from 0, or a map's key, a string")
        }
    }
}

extension RequestObject {
    /// The value that a property had when it was shown. Only an object that the request itself adds needs none.
    fileprivate func was(of object: ObjectName) throws(RequestMistake) -> JSON? { object.isNew ? optional("was") : try value("was") }

    /// The cells of an object that is to be deleted, by property; none if it was not shown.
    fileprivate func cells() throws(RequestMistake) -> [(property: String, cell: JSON)] {
        guard let was = optional("was") else { return [] }
        guard let members = was.members else { throw RequestMistake("'was' of a deletion is an object of cells, by property") }
        return members.map { (property: $0.name, cell: $0.value) }
    }

    fileprivate func optionalPosition(_ name: String) throws(RequestMistake) -> Int? {
        guard let value = optional(name), !value.isNull else { return nil }
        return try position(name)
    }

    fileprivate func selection() throws(RequestMistake) -> EditOperation.Selection {
        if has("query"), has("keys") { throw RequestMistake("'query' and 'keys' exclude each other") }
        if has("query") { return .query(try text("query")) }
        var keys: [ObjectKey] = []
        for key in try array("keys") { keys.append(try RequestObject.key(key, "keys")) }
        return .keys(keys)
    }
}
