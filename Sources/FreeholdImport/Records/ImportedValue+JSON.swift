extension ImportedValue {
    /// The value as JSON without blanks: the stored form of arrays that fit no list type.
    public var jsonText: String {
        var output: [UInt8] = []
        appendJSON(to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    private func appendJSON(to output: inout [UInt8]) {
        switch self {
        case .null: output.append(contentsOf: "null".utf8)
        case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
        case .int(let value): output.append(contentsOf: String(value).utf8)
        case .longInt(let digits): output.append(contentsOf: digits.utf8)
        case .double(let value): JSONText.append(value, to: &output)
        case .text(let value): JSONText.append(value, to: &output)
        case .array(let values):
            Self.appendList("[]", values.indices, to: &output) { values[$0].appendJSON(to: &$1) }
        case .object(let object):
            Self.appendList("{}", object.values.indices, to: &output) { index, output in
                JSONText.append(object.shape.names[index], to: &output)
                output.append(UInt8(ascii: ":"))
                object.values[index].appendJSON(to: &output)
            }
        }
    }

    private static func appendList(
        _ brackets: StaticString, _ indices: Range<Int>, to output: inout [UInt8], _ element: (Int, inout [UInt8]) -> Void
    ) {
        let brackets = brackets.withUTF8Buffer { ($0[0], $0[1]) }
        output.append(brackets.0)
        for index in indices {
            if index > indices.lowerBound { output.append(UInt8(ascii: ",")) }
            element(index, &output)
        }
        output.append(brackets.1)
    }
}
