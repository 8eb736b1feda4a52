/// Numbers as decimal digits, appended to a buffer of UTF-8.
///
/// Exports write mostly numbers; these functions create no string per number.
public enum DigitText {
    /// Appends an integer.
    public static func append(_ number: Int64, to output: inout [UInt8]) {
        if number < 0 { output.append(UInt8(ascii: "-")) }
        append(number.magnitude, width: 1, to: &output)
    }

    /// Appends the shortest decimal that parses to the same double, equal to `description`.
    public static func append(_ number: Double, to output: inout [UInt8]) {
        // Most numbers that people write have two decimals. One of at most 15 digits that parses to the double is the
        // shortest: no two of them parse to the same double.
        let hundredths = (number * 100).rounded(.toNearestOrEven)
        if abs(hundredths) >= 1, abs(hundredths) < 1e14, hundredths / 100 == number {
            return append(hundredths: Int64(hundredths), to: &output)
        }
        var text = number.description
        text.withUTF8 { output.append(contentsOf: $0) }
    }

    private static func append(hundredths: Int64, to output: inout [UInt8]) {
        let whole = hundredths.magnitude / 100, rest = hundredths.magnitude % 100
        if hundredths < 0 { output.append(UInt8(ascii: "-")) }
        append(whole, width: 1, to: &output)
        output.append(UInt8(ascii: "."))
        if rest % 10 == 0 { append(rest / 10, width: 1, to: &output) } else { append(rest, width: 2, to: &output) }
    }

    /// Appends digits, padded with zeros to a width.
    static func append(_ number: UInt64, width: Int, to output: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var rest = number, first = digits.count
            // Safe: 64 bits have at most 20 digits, and no width is larger.
            repeat {
                first -= 1
                digits[first] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
            } while rest > 0 || digits.count - first < width
            output.append(contentsOf: UnsafeBufferPointer(rebasing: digits[first...]))
        }
    }
}
