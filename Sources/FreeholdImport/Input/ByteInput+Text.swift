import Glibc

extension ByteInput {
    /// Skips a UTF-8 byte order mark; throws for other encodings, by their byte order marks.
    mutating func skipByteOrderMark() throws(ImportError) {
        while end - position < 3 {
            if try !fill() { break }
        }
        // Safe: the padding after the end may be read.
        let first = (bytes[position], bytes[position + 1], bytes[position + 2])
        if first == (0xEF, 0xBB, 0xBF) {
            position += 3
        } else if (first.0, first.1) == (0xFF, 0xFE) || (first.0, first.1) == (0xFE, 0xFF) {
            throw ImportError(.text, "the text is UTF-16; convert it first: iconv -f UTF-16 -t UTF-8", line: 1, column: 1)
        } else if let program = Self.compression(first) {
            throw ImportError(.text, "the text is compressed; decompress it first: \(program)", line: 1, column: 1)
        }
    }

    /// The command that decompresses a file with these first bytes; nil if they are not those of a compressed file.
    private static func compression(_ first: (UInt8, UInt8, UInt8)) -> String? {
        switch first {
        case (0x1F, 0x8B, _): "gzip -dc"
        case (0x28, 0xB5, 0x2F): "zstd -dc"
        case (0xFD, 0x37, 0x7A): "xz -dc"
        case (0x50, 0x4B, 0x03): "unzip -p"
        default: nil
        }
    }

    /// Whether the input has anything but blanks. Consumes nothing.
    public mutating func hasText() throws(ImportError) -> Bool {
        try skipByteOrderMark()
        return try firstVisibleByte() != nil
    }

    /// The first byte that is neither a blank nor a line end; nil if there is none. Consumes nothing.
    mutating func firstVisibleByte() throws(ImportError) -> UInt8? {
        try firstVisibleIndex().map { bytes[$0] }
    }

    /// As much of the first line that is not blank as is needed to detect the format; valid until the next `fill`.
    /// Consumes nothing.
    mutating func firstVisibleLine() throws(ImportError) -> UnsafeBufferPointer<UInt8> {
        guard var first = try firstVisibleIndex() else { return UnsafeBufferPointer(start: bytes + end, count: 0) }
        while firstNewline(from: first) == nil, end - first < Self.detectionLength {
            let skipped = first - position
            let hasMore = try fill()
            first = position + skipped
            if !hasMore { break }
        }
        // The blanks before it are part of the line.
        var start = first
        while start > position, bytes[start - 1] != UInt8(ascii: "\n") { start -= 1 }
        return UnsafeBufferPointer(start: bytes + start, count: (firstNewline(from: first) ?? end) - start)
    }

    private mutating func firstVisibleIndex() throws(ImportError) -> Int? {
        var blanks = 0
        while blanks < Self.longestToken {
            while position + blanks < end {
                let byte = bytes[position + blanks]
                if byte != UInt8(ascii: " "), !(0x09...0x0D).contains(byte) { return position + blanks }
                blanks += 1
            }
            if try !fill() { return nil }
        }
        return nil
    }

    /// The line length that is enough to detect a format.
    private static let detectionLength = 64 << 10

    /// Finds the end of the line that begins at `position`, which becomes the mark.
    /// - Returns: the bytes of the line without its end; nil at the end of the text. `position` is then after the line.
    mutating func nextLine() throws(ImportError) -> UnsafeBufferPointer<UInt8>? {
        mark = position
        defer { mark = -1 }
        var searched = position
        while true {
            if let newline = firstNewline(from: searched) {
                let line = UnsafeBufferPointer(start: bytes + mark, count: newline - mark)
                position = newline + 1
                endLine(at: newline)
                return line.trimmingCarriageReturn()
            }
            let kept = end - mark
            if try !fill() { break }
            searched = mark + kept
        }
        if mark == end { return nil }
        position = end
        return UnsafeBufferPointer(start: bytes + mark, count: end - mark).trimmingCarriageReturn()
    }

    private func firstNewline(from first: Int) -> Int? {
        UnsafeBufferPointer(start: bytes + first, count: end - first).firstIndex(of: UInt8(ascii: "\n")).map { first + $0 }
    }
}

extension UnsafeBufferPointer<UInt8> {
    fileprivate func trimmingCarriageReturn() -> UnsafeBufferPointer<UInt8> {
        last == UInt8(ascii: "\r") ? UnsafeBufferPointer(rebasing: self[..<(count - 1)]) : self
    }
}

extension String {
    /// Converts the bytes to a string; nil if they are not UTF-8.
    ///
    /// Decoding replaces invalid UTF-8, so a difference afterwards means that the bytes were invalid.
    /// (`String(validating:)` is not specialised by this toolchain and costs ten times as much.)
    @inline(__always)
    init?(utf8 bytes: UnsafeBufferPointer<UInt8>) {
        self.init(decoding: bytes, as: UTF8.self)
        if !bytes.isASCII, !equals(bytes) { return nil }
    }

    @inline(never)
    private mutating func equals(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        // Safe: both ranges hold as many bytes as are compared.
        withUTF8 { own in
            guard own.count == bytes.count, let left = own.baseAddress, let right = bytes.baseAddress else { return false }
            return memcmp(left, right, bytes.count) == 0
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    @inline(__always)
    fileprivate var isASCII: Bool {
        var all: UInt8 = 0
        for byte in self { all |= byte }
        return all < 0x80
    }
}
