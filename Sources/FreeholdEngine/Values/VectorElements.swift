/// How the numbers of a vector are stored in a property of type `data`, one after the other, little-endian.
public enum VectorElements: String, Hashable, Sendable, CaseIterable {
    /// Floats, of four bytes.
    case float32
    /// Floats of half precision, of two bytes.
    case float16
    /// Signed integers of one byte.
    case int8

    /// The bytes of one number.
    public var width: Int {
        switch self {
        case .float32: 4
        case .float16: 2
        case .int8: 1
        }
    }

    /// The bytes that store a vector. Numbers are rounded to the nearest that can be stored, ties to even.
    ///
    /// ```swift
    /// let value = Value.data(VectorElements.float32.bytes(of: [0.25, -1, 3]))
    /// ```
    public func bytes(of vector: [Float]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(vector.count * width)
        for number in vector {
            let bits: UInt32 = switch self {
            case .float32: number.bitPattern
            case .float16: UInt32(Self.half(number))
            case .int8: UInt32(UInt8(bitPattern: number.isNaN ? 0 : Int8(max(-128, min(127, number.rounded(.toNearestOrEven))))))
            }
            for byte in 0..<width { bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(byte * 8))) }
        }
        return bytes
    }

    /// The numbers of a vector; nil if a part of a number is left over.
    public func numbers(in bytes: [UInt8]) -> [Float]? {
        guard bytes.count % width == 0 else { return nil }
        return stride(from: 0, to: bytes.count, by: width).map { place in
            switch self {
            case .float32: Float(bitPattern: (0..<4).reduce(0) { $0 | UInt32(bytes[place + $1]) << UInt32($1 * 8) })
            case .float16: Self.number(half: UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8)
            case .int8: Float(Int8(bitPattern: bytes[place]))
            }
        }
    }

    // `Float16` is not available on every machine.

    private static func half(_ number: Float) -> UInt16 {
        let sign = UInt16(truncatingIfNeeded: number.bitPattern >> 16) & 0x8000, size = number.magnitude
        if size.isNaN { return sign | 0x7E00 }
        // Half a step above the largest.
        if size >= 65520 { return sign | 0x7C00 }
        // Below the normal numbers the steps are 2⁻²⁴, else 2¹⁰ steps double the number.
        let exponent = max(-14, Int(size.exponent))
        let steps = (size.isZero ? 0 : size * Float(sign: .plus, exponent: 10 - exponent, significand: 1)).rounded(.toNearestOrEven)
        return sign | UInt16((exponent + 14) * 1024 + Int(steps))
    }

    private static func number(half bits: UInt16) -> Float {
        let exponent = Int(bits >> 10 & 31), fraction = Float(bits & 1023)
        let size: Float = switch exponent {
        case 0: fraction * 0x1p-24
        case 31: fraction == 0 ? .infinity : .nan
        default: (1024 + fraction) * Float(sign: .plus, exponent: exponent - 25, significand: 1)
        }
        return bits & 0x8000 == 0 ? size : -size
    }
}
