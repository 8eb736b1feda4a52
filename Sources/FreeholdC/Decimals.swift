// Decimal numbers between C and Swift.
//
// Safe throughout: strings are read within the given length; what is written to the caller's buffer fits its size, and
// is shorter than the longest text of a decimal.
import CFreehold
import FreeholdEngine

extension freehold_decimal_t {
    init(_ number: Decimal128) { self.init(low: number.low, high: number.high) }
}

extension Decimal128 {
    init(_ number: freehold_decimal_t) { self.init(high: number.high, low: number.low) }
}

@c @implementation
public func freehold_decimal_parse(
    _ text: UnsafePointer<CChar>?, _ text_length: Int, _ decimal: UnsafeMutablePointer<freehold_decimal_t>?
) -> freehold_error_code_t {
    done {
        let given = try FreeholdC.text(text, text_length, "decimal number")
        guard let number = Decimal128(given) else {
            throw FreeholdError(.malformedInput, "'\(given.prefix(40))' is not a decimal number")
        }
        decimal?.pointee = freehold_decimal_t(number)
    }
}

@c @implementation
public func freehold_decimal_format(
    _ decimal: freehold_decimal_t, _ buffer: UnsafeMutablePointer<CChar>?, _ buffer_size: Int
) -> freehold_error_code_t {
    done {
        let text = Decimal128(decimal).description.utf8
        guard let buffer, buffer_size > text.count else {
            throw FreeholdError(.invalidArgument, "the buffer has \(buffer == nil ? 0 : buffer_size) bytes; the text and its terminator need "
                + "\(text.count + 1)")
        }
        for (index, byte) in text.enumerated() { buffer[index] = CChar(bitPattern: byte) }
        buffer[text.count] = 0
    }
}
