/// The number of words of a field of a document as one byte: exact up to 32, beyond that at most 4.4 % too low.
///
/// The codes above 32 ascend by factors of 2^(1/16), so every sixteenth doubles the length. Code 0 is no document.
enum TextLength {
    /// 2^(place / 16) · 2^62, rounded to the nearest: no function of the system's library, which may round otherwise.
    private static let roots: [UInt64] = [
        0x4000000000000000, 0x42D561B3E6243D8A, 0x45CAE0F1F545EB73, 0x48E1E9B9D588E19B,
        0x4C1BF828C6DC54B8, 0x4F7A993048D088D7, 0x52FF6B54D8A89C75, 0x56AC1F752150A563,
        0x5A827999FCEF3242, 0x5E8451CFAC061B5F, 0x62B39508AA836D6F, 0x6712460A8FC24072,
        0x6BA27E656B4EB57A, 0x70666F76154A7089, 0x75606373EE921C97, 0x7A92BE8A92436616,
    ]

    /// The lengths of all codes, ascending strictly.
    private static let lengths: [Int] = (0...255).map { code in
        if code <= 32 { return code }
        let (octave, place) = ((code - 32) / 16, (code - 32) % 16)
        // 32 · 2^octave · root / 2^62: a shift of at most 62 - 5 - 13 bits to the right.
        return Int(roots[place] >> UInt64(62 - 5 - octave))
    }

    /// The maximum length that codes tell from shorter ones.
    static var longest: Int { lengths[255] }

    /// The length of a code.
    @inline(__always) static func words(_ code: UInt8) -> Int { lengths[Int(code)] }

    /// The code of a number of words: that of the maximum length not above it.
    static func code(words: Int) -> UInt8 {
        if words <= 32 { return UInt8(max(0, words)) }
        var low = 32, high = 255
        while low < high {
            let middle = (low + high + 1) / 2
            if lengths[middle] <= words { low = middle } else { high = middle - 1 }
        }
        return UInt8(low)
    }
}
