import FreeholdEngine
import FreeholdImport

/// Writes objects in one of the formats that `import` reads.
struct ObjectWriter {
    private let format: RecordFormat
    private let names: [String]
    private let namesInJSON: [[UInt8]]
    private let output: Output
    private var isFirst = true

    init(_ format: RecordFormat, names: [String], to output: Output) {
        self.format = format
        self.names = names
        self.output = output
        namesInJSON = names.map { name in
            var bytes: [UInt8] = []
            JSONText.append(name, to: &bytes)
            return bytes
        }
    }

    /// Writes what stands before the first object.
    func begin() throws {
        switch format {
        case .json: try output.write("[")
        case .csv, .tsv: try output.write(delimited(names.map { .string($0) }))
        default: break
        }
    }

    /// Writes one object.
    mutating func write(_ values: [Value]) throws {
        switch format {
        case .csv, .tsv:
            try output.write(delimited(values))
        case .json:
            try output.write(isFirst ? "\n" : ",\n")
            try output.write(json(values))
        default:
            try output.write(json(values))
            try output.write("\n")
        }
        isFirst = false
    }

    /// Writes what stands behind the last object.
    func end() throws {
        if format == .json { try output.write(isFirst ? "]\n" : "\n]\n") }
    }

    private func json(_ values: [Value]) -> [UInt8] {
        var bytes: [UInt8] = [UInt8(ascii: "{")]
        for (index, value) in values.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes += namesInJSON[index]
            bytes.append(UInt8(ascii: ":"))
            JSONText.append(value, to: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }

    private func delimited(_ values: [Value]) -> [UInt8] {
        let delimiter = format == .tsv ? UInt8(ascii: "\t") : UInt8(ascii: ",")
        var bytes: [UInt8] = []
        for (index, value) in values.enumerated() {
            if index > 0 { bytes.append(delimiter) }
            appendField(value, delimiter, to: &bytes)
        }
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    /// Quotes what would not read back as it is; the empty text, too, since an empty field is null.
    private func appendField(_ value: Value, _ delimiter: UInt8, to bytes: inout [UInt8]) {
        let text = ValueText.format(value)
        let needsQuotes: Bool
        if case .string = value {
            needsQuotes = text.isEmpty || text.utf8.contains { $0 == delimiter || $0 == UInt8(ascii: "\"") || $0 == 0x0A || $0 == 0x0D }
        } else {
            needsQuotes = false
        }
        guard needsQuotes else { return bytes.append(contentsOf: text.utf8) }
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") { bytes.append(byte) }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
