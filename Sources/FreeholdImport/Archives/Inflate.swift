/// Decompression of deflate (RFC 1951), as it is or in the zlib format (RFC 1950).
enum Inflate {
    /// The bytes that raw deflate or zlib data stands for.
    ///
    /// Core Data writes its model as raw deflate; the zlib format is recognised by its header, and if the data turns out
    /// not to be of it, it is read as raw deflate.
    /// - Parameter limit: the largest size of the result.
    /// - Throws: `.damaged` if the data is damaged, `.unsupported` if the result would be larger than `limit`.
    static func anyFormat(_ bytes: [UInt8], limit: Int) throws(SourceError) -> [UInt8] {
        guard hasZlibHeader(bytes) else { return try raw(bytes, limit: limit) }
        do throws(SourceError) {
            return try zlib(bytes, limit: limit)
        } catch {
            guard error.kind == .damaged, let result = try? raw(bytes, limit: limit) else { throw error }
            return result
        }
    }

    /// The bytes that raw deflate data stands for; what follows its last block is ignored.
    static func raw(_ bytes: [UInt8], limit: Int) throws(SourceError) -> [UInt8] {
        var inflation = Inflation(bytes, from: 0, limit: limit)
        try inflation.run()
        return inflation.output
    }

    /// The bytes that zlib data stands for, with their checksum compared.
    static func zlib(_ bytes: [UInt8], limit: Int) throws(SourceError) -> [UInt8] {
        guard hasZlibHeader(bytes), bytes[1] & 0x20 == 0 else { throw SourceError(.damaged, "compressed data without a zlib header") }
        var inflation = Inflation(bytes, from: 2, limit: limit)
        try inflation.run()
        guard let stored = inflation.input.takeBytes(4), stored.reduce(0, { $0 << 8 | UInt32($1) }) == adler32(inflation.output) else {
            throw SourceError(.damaged, "compressed data with a wrong checksum")
        }
        return inflation.output
    }

    private static func hasZlibHeader(_ bytes: [UInt8]) -> Bool {
        bytes.count >= 2 && bytes[0] & 15 == 8 && bytes[0] >> 4 <= 7 && (Int(bytes[0]) << 8 | Int(bytes[1])) % 31 == 0
    }

    private static func adler32(_ bytes: [UInt8]) -> UInt32 {
        var low: UInt32 = 1
        var high: UInt32 = 0
        for byte in bytes {
            low = (low + UInt32(byte)) % 65521
            high = (high + low) % 65521
        }
        return high << 16 | low
    }
}

/// One run of decompression.
private struct Inflation {
    var input: BitInput
    var output: [UInt8] = []
    private let limit: Int

    init(_ bytes: [UInt8], from position: Int, limit: Int) {
        input = BitInput(bytes, from: position)
        self.limit = limit
    }

    mutating func run() throws(SourceError) {
        var isLast = false
        repeat {
            isLast = try take(1) == 1
            switch try take(2) {
            case 0: try copyStored()
            case 1: try decode(Self.fixedLiterals, Self.fixedDistances)
            case 2:
                let (literals, distances) = try dynamicCodes()
                try decode(literals, distances)
            default: throw damaged("a block of an unknown kind")
            }
        } while !isLast
    }

    private mutating func copyStored() throws(SourceError) {
        guard let head = input.takeBytes(4) else { throw ended() }
        let start = head.startIndex
        let count = Int(head[start]) | Int(head[start + 1]) << 8
        if count ^ 0xFFFF != Int(head[start + 2]) | Int(head[start + 3]) << 8 { throw damaged("a block with a wrong length") }
        guard let bytes = input.takeBytes(count) else { throw ended() }
        try reserve(count)
        output.append(contentsOf: bytes)
    }

    private mutating func dynamicCodes() throws(SourceError) -> (PrefixCode, PrefixCode) {
        let literals = try take(5) + 257
        let distances = try take(5) + 1
        let order = try take(4) + 4
        if literals > 286 || distances > 30 { throw damaged("a block with too many codes") }
        var lengths = [Int](repeating: 0, count: 19)
        for place in Self.lengthOrder.prefix(order) { lengths[place] = try take(3) }
        guard let code = PrefixCode(lengths: lengths[...]) else { throw damaged("a block with impossible codes") }
        lengths = []
        while lengths.count < literals + distances {
            guard let symbol = code.symbol(&input) else { throw damaged("a block with unknown codes") }
            var length = 0
            var times = 1
            switch symbol {
            case 16:
                guard let last = lengths.last else { throw damaged("a block that repeats a length before the first") }
                (length, times) = (last, try take(2) + 3)
            case 17: times = try take(3) + 3
            case 18: times = try take(7) + 11
            default: length = symbol
            }
            if lengths.count + times > literals + distances { throw damaged("a block with too many lengths") }
            lengths.append(contentsOf: repeatElement(length, count: times))
        }
        guard lengths[256] > 0, let first = PrefixCode(lengths: lengths[..<literals]),
            let second = PrefixCode(lengths: lengths[literals...])
        else { throw damaged("a block with impossible codes") }
        return (first, second)
    }

    private mutating func decode(_ literals: PrefixCode, _ distances: PrefixCode) throws(SourceError) {
        while true {
            guard let symbol = literals.symbol(&input) else { throw damaged("unknown codes") }
            if symbol == 256 { return }
            if symbol < 256 {
                try reserve(1)
                output.append(UInt8(symbol))
                continue
            }
            guard symbol < 286 else { throw damaged("an unknown length") }
            let count = Self.lengthBases[symbol - 257] + (try take(Self.lengthBits[symbol - 257]))
            guard let place = distances.symbol(&input), place < 30 else { throw damaged("an unknown distance") }
            let distance = Self.distanceBases[place] + (try take(Self.distanceBits[place]))
            guard distance <= output.count else { throw damaged("a distance before the first byte") }
            try reserve(count)
            for _ in 0..<count { output.append(output[output.count - distance]) }
        }
    }

    private mutating func take(_ count: Int) throws(SourceError) -> Int {
        guard let value = input.take(count) else { throw ended() }
        return value
    }

    private func reserve(_ count: Int) throws(SourceError) {
        if limit - output.count < count { throw SourceError(.unsupported, "compressed data of more than \(limit) bytes") }
    }

    private func damaged(_ what: String) -> SourceError {
        SourceError(.damaged, "compressed data with \(what) after \(output.count) bytes")
    }
    private func ended() -> SourceError { SourceError(.damaged, "compressed data that ends after \(output.count) bytes") }

    private static let lengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
    private static let lengthBits = [0, 0, 0, 0, 0, 0, 0, 0] + (1...5).flatMap { [$0, $0, $0, $0] } + [0]
    private static let distanceBits = [0, 0] + (0...13).flatMap { [$0, $0] }
    private static let lengthBases = bases(lengthBits.dropLast(), from: 3) + [258]
    private static let distanceBases = bases(distanceBits[...], from: 1)

    private static func bases(_ bits: ArraySlice<Int>, from first: Int) -> [Int] {
        var next = first
        return bits.map { count in
            defer { next += 1 << count }
            return next
        }
    }

    // Safe: both sets of lengths are complete codes of the format.
    private static let fixedLiterals = PrefixCode(
        lengths: ([Int](repeating: 8, count: 144) + [Int](repeating: 9, count: 112) + [Int](repeating: 7, count: 24)
            + [Int](repeating: 8, count: 8))[...])!
    private static let fixedDistances = PrefixCode(lengths: [Int](repeating: 5, count: 32)[...])!
}
