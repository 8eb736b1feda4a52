/// A way of writing records as text.
public enum RecordFormat: String, Sendable, CaseIterable {
    /// One array of objects, or objects one after another.
    case json
    /// An object a line.
    case jsonl
    /// Fields with commas between them, the first row naming them.
    case csv
    /// The same with tabs.
    case tsv
    /// Debian's `Key: value` stanzas.
    case control

    /// The format that a file's name tells; nil if it tells none.
    public init?(fileName: String) {
        let name = fileName.split(separator: "/").last.map(String.init) ?? fileName
        switch name.split(separator: ".").last.map({ $0.lowercased() }) {
        case "json", "geojson": self = .json
        case "jsonl", "ndjson": self = .jsonl
        case "csv": self = .csv
        case "tsv", "tab": self = .tsv
        case "packages", "sources", "control", "deb822": self = .control
        default: return nil
        }
    }

    /// A reader of this format.
    public func reader(_ input: consuming ByteInput) -> any RecordReader {
        switch self {
        case .json, .jsonl: JSONReader(input)
        case .csv: DelimitedReader(input, delimiter: UInt8(ascii: ","))
        case .tsv: DelimitedReader(input, delimiter: UInt8(ascii: "\t"))
        case .control: ControlReader(input)
        }
    }
}

extension RecordFormat {
    /// The format that a file's first bytes tell: JSON opens with a bracket; a line with a colon behind a plain word and
    /// without comma or tab is a control file's; tabs make TSV of what would else be CSV.
    public init(contentsOf path: String) throws(ImportError) {
        var input = try ByteInput.open(path)
        try input.skipByteOrderMark()
        // Safe: the bytes are looked at before the input is filled again.
        let line = input.startOfLine
        let first = line.first { $0 > UInt8(ascii: " ") }
        if first == UInt8(ascii: "[") || first == UInt8(ascii: "{") || first == nil {
            self = .json
        } else if line.contains(UInt8(ascii: "\t")) {
            self = .tsv
        } else if !line.contains(UInt8(ascii: ",")), line.contains(UInt8(ascii: ":")) {
            self = .control
        } else {
            self = .csv
        }
    }
}
