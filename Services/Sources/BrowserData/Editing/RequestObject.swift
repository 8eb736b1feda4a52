import FreeholdEngine

/// Reads the members of a JSON object of a request, each at most once, and reports those that nothing asked for.
final class RequestObject {
    let members: [JSON.Member]
    private let what: String
    private var used: Set<ExactText> = []

    /// - Parameter what: the object in messages: "a value".
    init(_ json: JSON, _ what: String) throws(RequestMistake) {
        guard let members = json.members else { throw RequestMistake("\(what) must be an object, not \(json.kindText)") }
        self.members = members
        self.what = what
    }

    var names: [String] { members.map(\.name) }

    func has(_ name: String) -> Bool { members.contains { $0.name.isSame(as: name) } }

    /// The member of this name; throws if there is none.
    func value(_ name: String) throws(RequestMistake) -> JSON {
        guard let value = optional(name) else { throw RequestMistake("\(what) needs '\(name)'") }
        return value
    }

    func optional(_ name: String) -> JSON? {
        used.insert(name)
        return members.first { $0.name.isSame(as: name) }?.value
    }

    func text(_ name: String) throws(RequestMistake) -> String {
        let value = try value(name)
        guard let text = value.string else { throw RequestMistake("'\(name)' must be a string, not \(value.kindText)") }
        return text
    }

    func optionalText(_ name: String) throws(RequestMistake) -> String? {
        guard let value = optional(name), !value.isNull else { return nil }
        return try text(name)
    }

    func bool(_ name: String) throws(RequestMistake) -> Bool {
        let value = try value(name)
        guard let bool = value.bool else { throw RequestMistake("'\(name)' must be true or false, not \(value.kindText)") }
        return bool
    }

    func position(_ name: String) throws(RequestMistake) -> Int {
        let value = try value(name)
        guard let number = value.integer, number >= 0, number <= Int64(Int32.max) else {
            throw RequestMistake("'\(name)' must be a position, a number from 0")
        }
        return Int(number)
    }

    /// An object key: decimal digits in a string.
    func key(_ name: String) throws(RequestMistake) -> ObjectKey { try RequestObject.key(try value(name), name) }

    static func key(_ value: JSON, _ name: String) throws(RequestMistake) -> ObjectKey {
        guard let text = value.string, let number = Int64(text), String(number).isSame(as: text) else {
            throw RequestMistake("'\(name)' must be an object key, a string of decimal digits such as \"17\"")
        }
        return ObjectKey(number)
    }

    func array(_ name: String) throws(RequestMistake) -> [JSON] {
        let value = try value(name)
        guard let elements = value.elements else { throw RequestMistake("'\(name)' must be an array, not \(value.kindText)") }
        return elements
    }

    func object(_ name: String) throws(RequestMistake) -> RequestObject { try RequestObject(try value(name), "'\(name)'") }

    /// Throws if there is a member that was not asked for: a misspelled name must not be ignored.
    func requireNothingElse() throws(RequestMistake) {
        guard let other = members.first(where: { !used.contains($0.name) }) else { return }
        throw RequestMistake("\(what) has no '\(other.name)'")
    }
}
