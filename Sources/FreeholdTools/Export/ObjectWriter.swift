import FreeholdEngine
import FreeholdImport

/// Writes objects in one of the formats that `import` reads.
public struct ObjectWriter {
    private let format: RecordFormat
    /// The names of all columns, for formats with a header.
    private let names: [String]
    /// By class; the empty name is for objects written without their class.
    private let layouts: TextMap<Layout>
    private let output: any ByteSink
    private var isFirst = true
    /// The field separator of CSV and TSV.
    package var delimiter = UInt8(ascii: ",")

    /// How objects of one class are written.
    private struct Layout {
        let names: [String]
        let namesInJSON: [[UInt8]]
        /// For properties of mixed values, their declared collections.
        let mixed: [[CollectionKind]?]
        let link: (ObjectReference) throws -> (class: String, key: Value)

        /// - Parameter more: the names of values that are no properties, after these.
        init(_ reader: ObjectReader, more: [String] = []) {
            names = reader.properties.map(\.name) + more
            mixed = reader.properties.map { $0.type == .mixed ? $0.collections : nil } + more.map { _ in nil }
            link = reader.target
            namesInJSON = Self.inJSON(names)
        }

        /// For aggregates, which are not objects.
        init(names: [String]) {
            self.names = names
            mixed = names.map { _ in nil }
            link = { (class: "\($0.classNumber)", key: .int($0.key.rawValue)) }
            namesInJSON = Self.inJSON(names)
        }

        private static func inJSON(_ names: [String]) -> [[UInt8]] {
            names.map { name in
                var bytes: [UInt8] = []
                JSONText.append(name, to: &bytes)
                return bytes
            }
        }
    }

    /// Creates a writer for the objects of `reader`.
    ///
    /// - Parameter more: the names of values that are no properties, which stand after these.
    public init(_ format: RecordFormat, _ reader: ObjectReader, more: [String] = [], to output: some ByteSink) {
        self.format = format
        delimiter = format.delimiter ?? delimiter
        layouts = ["": Layout(reader, more: more)]
        names = reader.properties.map(\.name) + more
        self.output = output
    }

    /// Creates a writer for rows with these names.
    public init(_ format: RecordFormat, names: [String], to output: some ByteSink) {
        self.format = format
        delimiter = format.delimiter ?? delimiter
        layouts = ["": Layout(names: names)]
        self.names = names
        self.output = output
    }

    /// Creates a writer for the objects of several classes, each written with its class.
    public init(_ format: RecordFormat, _ family: FamilyReader, to output: some ByteSink) {
        self.format = format
        delimiter = format.delimiter ?? delimiter
        layouts = TextMap(uniqueKeysWithValues: family.all.map { ($0.name, Layout($0.reader)) })
        names = [ImportedObject.classMember] + family.names
        self.output = output
    }

    /// Writes the header.
    public func begin() throws {
        switch format {
        case .json: try output.append { $0.append(UInt8(ascii: "[")) }
        case .csv, .tsv: try output.append { appendRow(names.map { .string($0) }, to: &$0) }
        default: break
        }
    }

    /// Writes one object.
    ///
    /// - Parameter className: its class, for a writer of several classes.
    public mutating func write(_ values: [Value], of className: String = "") throws {
        guard let layout = layouts[className] else {
            throw FreeholdError(.invalidArgument, "class '\(className)' is not one of the classes to write")
        }
        let isFirst = isFirst
        self.isFirst = false
        try output.append { bytes in
            switch format {
            case .csv, .tsv:
                appendRow(className.isEmpty ? values : spread(values, layout, className), to: &bytes)
            case .json:
                bytes.append(contentsOf: (isFirst ? "\n" : ",\n").utf8)
                try appendJSON(values, layout, className, to: &bytes)
            default:
                try appendJSON(values, layout, className, to: &bytes)
                bytes.append(UInt8(ascii: "\n"))
            }
        }
    }

    /// Writes the end, after the last object.
    public func end() throws {
        if format == .json { try output.append { $0.append(contentsOf: (isFirst ? "]\n" : "\n]\n").utf8) } }
    }

    private func appendJSON(_ values: [Value], _ layout: Layout, _ className: String, to bytes: inout [UInt8]) throws {
        bytes.append(UInt8(ascii: "{"))
        if !className.isEmpty {
            JSONText.append(ImportedObject.classMember, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            JSONText.append(className, to: &bytes)
        }
        for (index, value) in values.enumerated() {
            if index > 0 || !className.isEmpty { bytes.append(UInt8(ascii: ",")) }
            bytes += layout.namesInJSON[index]
            bytes.append(UInt8(ascii: ":"))
            if let collections = layout.mixed[index] {
                try JSONText.append(mixed: value, in: collections[...], to: &bytes, link: layout.link)
            } else {
                JSONText.append(value, to: &bytes)
            }
        }
        bytes.append(UInt8(ascii: "}"))
    }

    /// The values in the order of the columns, null for properties that the class lacks.
    private func spread(_ values: [Value], _ layout: Layout, _ className: String) -> [Value] {
        let known = TextMap(zip(layout.names, values)) { first, _ in first }
        return [.string(className)] + names.dropFirst().map { known[$0] ?? .null }
    }

    private func appendRow(_ values: [Value], to bytes: inout [UInt8]) {
        for (index, value) in values.enumerated() {
            if index > 0 { bytes.append(delimiter) }
            appendField(value, to: &bytes)
        }
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Quotes a field if it would otherwise be parsed differently; also the empty string, because an empty field is
    /// null.
    private func appendField(_ value: Value, to bytes: inout [UInt8]) {
        if case .string(var text) = value { return text.withUTF8 { appendText($0, to: &bytes) } }
        let start = bytes.count
        ValueText.append(value, to: &bytes)
        // Numbers and dates need quotes only if the separator is a dot, a digit or the like.
        if hasUsualDelimiter, value.collectionKind == nil { return }
        // Safe: the copy of the field's text is used within the call that lends it.
        let text = Array(bytes[start...])
        bytes.removeSubrange(start...)
        text.withUnsafeBufferPointer { text in
            if !needsQuotes(text) { bytes.append(contentsOf: text) } else { appendText(text, to: &bytes) }
        }
    }

    private var hasUsualDelimiter: Bool {
        delimiter == UInt8(ascii: ",") || delimiter == UInt8(ascii: "\t") || delimiter == UInt8(ascii: ";")
    }

    private func appendText(_ text: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
        guard text.isEmpty || needsQuotes(text) else { return bytes.append(contentsOf: text) }
        bytes.append(UInt8(ascii: "\""))
        for byte in text {
            if byte == UInt8(ascii: "\"") { bytes.append(byte) }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Whether a text contains a separator, a quote or a line end. Without a branch for each byte, so that several are
    /// tested at once.
    private func needsQuotes(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var special: UInt8 = 0
        for byte in text {
            special |= (byte == delimiter ? 1 : 0) | (byte == UInt8(ascii: "\"") ? 1 : 0) | (byte == 0x0A ? 1 : 0) | (byte == 0x0D ? 1 : 0)
        }
        return special != 0
    }
}
