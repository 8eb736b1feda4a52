import FreeholdEngine
import FreeholdImport

/// Writes JSON as it comes: rows are written a hundred times for each time that anything else is.
///
/// ```swift
/// var output = JSONOutput()
/// output.object { output in
///     output.field("count", 3)
///     output.array("items") { $0.element("a") }
/// }
/// ```
/// The caller keeps the order: fields within objects, elements within arrays.
public struct JSONOutput {
    public private(set) var bytes: [UInt8] = []
    /// Whether a comma is due before the next field or element.
    private var isAfterValue = false

    public init(capacity: Int = 1024) { bytes.reserveCapacity(capacity) }

    private mutating func comma() {
        if isAfterValue { bytes.append(UInt8(ascii: ",")) }
        isAfterValue = true
    }

    private mutating func name(_ name: StaticString) {
        comma()
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: [UInt8(ascii: "\""), UInt8(ascii: ":")])
    }

    // MARK: values, where one is due

    /// Text that is JSON already.
    public mutating func raw(_ text: StaticString) { text.withUTF8Buffer { bytes.append(contentsOf: $0) } }
    /// Bytes that are JSON already.
    public mutating func raw(_ json: [UInt8]) { bytes.append(contentsOf: json) }
    public mutating func text(_ text: String) { JSONText.append(text, to: &bytes) }
    public mutating func number(_ number: Int) { DigitText.append(Int64(number), to: &bytes) }
    /// A number with at most two digits behind its point.
    public mutating func real(_ number: Double) { DigitText.append((number * 100).rounded() / 100, to: &bytes) }
    /// A string of decimal digits: keys do not fit into a number of JavaScript.
    public mutating func key(_ key: ObjectKey) {
        bytes.append(UInt8(ascii: "\""))
        DigitText.append(key.rawValue, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    public mutating func object(_ body: (inout JSONOutput) throws -> Void) rethrows {
        try enclosed(UInt8(ascii: "{"), UInt8(ascii: "}"), body)
    }

    public mutating func array(_ body: (inout JSONOutput) throws -> Void) rethrows {
        try enclosed(UInt8(ascii: "["), UInt8(ascii: "]"), body)
    }

    private mutating func enclosed(_ first: UInt8, _ last: UInt8, _ body: (inout JSONOutput) throws -> Void) rethrows {
        bytes.append(first)
        isAfterValue = false
        try body(&self)
        bytes.append(last)
        isAfterValue = true
    }

    // MARK: fields of an object

    /// A field whose value `body` writes.
    public mutating func field(_ name: StaticString, _ body: (inout JSONOutput) throws -> Void) rethrows {
        self.name(name)
        try body(&self)
        isAfterValue = true
    }

    public mutating func field(_ name: StaticString, _ value: String) { field(name) { $0.text(value) } }
    public mutating func field(_ name: StaticString, _ value: Int) { field(name) { $0.number(value) } }
    public mutating func field(_ name: StaticString, _ value: UInt64) { field(name) { $0.number(Int(clamping: value)) } }
    public mutating func field(_ name: StaticString, _ value: Bool) { field(name) { $0.raw(value ? "true" : "false") } }
    public mutating func field(_ name: StaticString, _ value: Version) { field(name, value.rawValue) }
    public mutating func field(_ name: StaticString, _ key: ObjectKey) { field(name) { $0.key(key) } }

    /// A field that is null for nil.
    public mutating func field(_ name: StaticString, _ value: String?) {
        if let value { field(name, value) } else { field(name) { $0.raw("null") } }
    }

    public mutating func field(_ name: StaticString, _ values: [String]) {
        array(name) { output in for value in values { output.element(value) } }
    }

    public mutating func object(_ name: StaticString, _ body: (inout JSONOutput) throws -> Void) rethrows {
        try field(name) { try $0.object(body) }
    }

    public mutating func array(_ name: StaticString, _ body: (inout JSONOutput) throws -> Void) rethrows {
        try field(name) { try $0.array(body) }
    }

    // MARK: elements of an array

    /// An element that `body` writes.
    public mutating func element(_ body: (inout JSONOutput) throws -> Void) rethrows {
        comma()
        try body(&self)
        isAfterValue = true
    }

    public mutating func element(_ value: String) { element { $0.text(value) } }
    public mutating func element(_ value: Int) { element { $0.number(value) } }
    /// An element that is an object.
    public mutating func elementObject(_ body: (inout JSONOutput) throws -> Void) rethrows { try element { try $0.object(body) } }
}

extension JSONOutput {
    /// The bytes of one object.
    public static func object(_ body: (inout JSONOutput) throws -> Void) rethrows -> [UInt8] {
        var output = JSONOutput()
        try output.object(body)
        return output.bytes
    }
}
