/// A text format for records.
public enum RecordFormat: String, Sendable, CaseIterable {
    /// One array of objects, or objects one after another.
    case json
    /// One object per line.
    case jsonl
    /// Fields separated by commas; the first row names the columns.
    case csv
    /// Fields separated by tabs; the first row names the columns.
    case tsv
    /// Debian's `Key: value` stanzas.
    case control

    /// The format for a file name's extension; nil if the extension is unknown.
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

    /// Creates a reader of this format.
    /// - Parameters:
    ///   - delimiter: the field separator of CSV and TSV; nil for the format's default.
    ///   - path: the names that lead to the array of records in JSON, outermost first.
    public func reader(_ input: consuming ByteInput, delimiter: UInt8? = nil, path: [String] = []) -> any RecordReader {
        switch self {
        case .json, .jsonl: JSONReader(input, path: path)
        case .csv, .tsv: DelimitedReader(input, delimiter: delimiter ?? self.delimiter ?? UInt8(ascii: ","))
        case .control: ControlReader(input)
        }
    }

    /// The field separator; nil for formats that have none.
    public var delimiter: UInt8? {
        switch self {
        case .csv: UInt8(ascii: ",")
        case .tsv: UInt8(ascii: "\t")
        default: nil
        }
    }
}

extension RecordFormat {
    /// Detects the format from the beginning of an input. Only a byte order mark is consumed, because the input may be
    /// a pipe, which can be read only once.
    ///
    /// JSON begins with a bracket. A first line with a colon and without comma or tab is a control file's. Tabs
    /// indicate TSV; anything else is CSV.
    /// - Throws: an error of kind `.text` if the input is empty or is not text.
    public init(startOf input: inout ByteInput) throws(ImportError) {
        try input.skipByteOrderMark()
        guard let first = try input.firstVisibleByte() else {
            throw ImportError(.text, "the text is empty, so its format cannot be detected; name the format")
        }
        if first == UInt8(ascii: "[") || first == UInt8(ascii: "{") {
            self = .json
            return
        }
        // Safe: the bytes are read before the input is filled again.
        let line = try input.firstVisibleLine()
        if line.contains(0) { throw ImportError(.text, "the text has zero bytes, so its format cannot be detected; name the format", line: 1) }
        if line.contains(UInt8(ascii: "\t")) {
            self = .tsv
        } else if !line.contains(UInt8(ascii: ",")), line.contains(UInt8(ascii: ":")) {
            self = .control
        } else {
            self = .csv
        }
    }
}
