import CFreehold
import FreeholdEngine
import FreeholdImport

/// Writes objects of one class and its subclasses as JSON.
///
/// Links are written as the primary keys of their targets, embedded objects as objects.
final class JSONObjects {
    private let reader: Reader
    private let className: String
    private var layouts: TextMap<Layout> = [:]
    /// The number of objects and collections open at this point of the output.
    private var depth = 0
    /// The maximum nesting: the depth that an import reads (`JSONParser.deepest`), which also keeps to the stack.
    private static let deepest = 256

    /// How the objects of one class are written.
    private struct Layout {
        let table: Table
        let properties: [(schema: PropertySchema, column: Column, name: [UInt8])]
    }

    init(_ reader: Reader, _ className: String) {
        self.reader = reader
        self.className = className
    }

    /// Appends an object as JSON.
    func append(_ row: Row, to bytes: inout [UInt8]) throws { try append(row, of: className, to: &bytes) }

    private func append(_ row: Row, of name: String, to bytes: inout [UInt8]) throws {
        try enter()
        defer { depth -= 1 }
        bytes.append(UInt8(ascii: "{"))
        var own = name, isFirst = true
        if try hasHeirs(name) {
            own = try row.className
            JSONText.append(ImportedObject.classMember, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            JSONText.append(own, to: &bytes)
            isFirst = false
        }
        let layout = try layout(own)
        guard let row = own.isSame(as: name) ? row : try layout.table.row(row.key) else { return bytes.append(UInt8(ascii: "}")) }
        for property in layout.properties {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            bytes += property.name
            try append(row.value(property.column), property.schema, to: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private func append(_ value: Value, _ schema: PropertySchema, to bytes: inout [UInt8]) throws {
        if schema.type == .mixed { return try JSONText.append(mixed: value, in: schema.collections[...], to: &bytes, link: named) }
        guard let target = schema.linkTarget else { return JSONText.append(value, to: &bytes) }
        try append(links: value, to: target, &bytes)
    }

    /// Appends a link, or a collection of links.
    private func append(links value: Value, to target: String, _ bytes: inout [UInt8]) throws {
        switch value {
        case .link(let key):
            let layout = try layout(target)
            if layout.table.schema.isEmbedded {
                guard let row = try layout.table.row(key) else { return JSONText.append(.null, to: &bytes) }
                return try append(row, of: target, to: &bytes)
            }
            JSONText.append(try primaryKey(of: key, in: layout.table), to: &bytes)
        case .list(let values), .set(let values):
            try enter()
            defer { depth -= 1 }
            bytes.append(UInt8(ascii: "["))
            for (place, value) in values.enumerated() {
                if place > 0 { bytes.append(UInt8(ascii: ",")) }
                try append(links: value, to: target, &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .map(let entries):
            try enter()
            defer { depth -= 1 }
            bytes.append(UInt8(ascii: "{"))
            for (place, entry) in entries.sortedByKey.enumerated() {
                if place > 0 { bytes.append(UInt8(ascii: ",")) }
                JSONText.append(entry.key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                try append(links: entry.value, to: target, &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        default: JSONText.append(value, to: &bytes)
        }
    }

    private func enter() throws(FreeholdError) {
        guard depth < Self.deepest else {
            throw FreeholdError(.valueTooLarge, "an object of class '\(className)' has embedded objects nested more than \(Self.deepest) levels deep")
        }
        depth += 1
    }

    /// The primary key of an object, by which users name it.
    private func primaryKey(of key: ObjectKey, in table: Table) throws -> Value {
        try table.schema.primaryKey.map { try table.value(key, table.column($0)) } ?? .int(key.rawValue)
    }

    private func named(_ object: ObjectReference) throws -> (class: String, key: Value) {
        let table = try reader.table(of: object)
        return (table.schema.name, try primaryKey(of: object.key, in: table))
    }

    private func hasHeirs(_ name: String) throws -> Bool { try reader.schemas().contains { $0.superclass.isSame(as: name) } }

    private func layout(_ name: String) throws -> Layout {
        if let known = layouts[name] { return known }
        let table = try reader.readClass(named: name).table
        let made = Layout(table: table, properties: zip(table.schema.properties, table.columns).map { schema, column in
            var bytes: [UInt8] = []
            JSONText.append(schema.name, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            return (schema, column, bytes)
        })
        layouts[name] = made
        return made
    }
}

/// A buffer of text that is passed to a callback in pieces.
///
/// Safe throughout: what the callback receives lives until it returns.
struct TextPieces {
    private let callback: freehold_text_callback_t
    private let context: UnsafeMutableRawPointer?
    private var bytes: [UInt8] = []
    private static let pieceBytes = 64 << 10

    init(_ callback: freehold_text_callback_t?, _ context: UnsafeMutableRawPointer?) throws(FreeholdError) {
        guard let callback else { throw FreeholdError(.invalidArgument, "the write callback is NULL") }
        self.callback = callback
        self.context = context
    }

    /// Adds the bytes that `body` appends.
    mutating func add(_ body: (inout [UInt8]) throws -> Void) throws { try body(&bytes) }

    /// Whether there is enough text for a piece.
    var isFull: Bool { bytes.count >= Self.pieceBytes }

    /// Passes the callback the text that it has not received yet.
    mutating func flush() throws {
        if bytes.isEmpty { return }
        let isTaken = bytes.withUnsafeBytes { callback(context, $0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count) }
        bytes.removeAll(keepingCapacity: true)
        if !isTaken { throw FreeholdError(.outOfMemory, "the callback refused more text") }
    }
}

/// The form of several objects: how they are separated and enclosed.
struct JSONForm {
    private let isArray: Bool
    private var isFirst = true

    init(_ form: freehold_json_form_t) throws(FreeholdError) {
        guard form <= UInt32(FREEHOLD_JSON_LINES) else { throw FreeholdError(.invalidArgument, "\(form) is not a JSON form") }
        isArray = form == UInt32(FREEHOLD_JSON_ARRAY)
    }

    func begin(_ pieces: inout TextPieces) throws {
        if isArray { try pieces.add { $0.append(UInt8(ascii: "[")) } }
    }

    mutating func write(_ row: Row, _ objects: JSONObjects, _ pieces: inout TextPieces) throws {
        let before = !isArray ? "" : isFirst ? "\n" : ",\n", after = isArray ? "" : "\n"
        isFirst = false
        try pieces.add { bytes in
            bytes += before.utf8
            try objects.append(row, to: &bytes)
            bytes += after.utf8
        }
    }

    func end(_ pieces: inout TextPieces) throws {
        if isArray { try pieces.add { $0 += (isFirst ? "]\n" : "\n]\n").utf8 } }
    }
}
