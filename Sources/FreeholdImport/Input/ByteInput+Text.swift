import Glibc

extension ByteInput {
    /// Takes a byte order mark away, and refuses the encodings that start with another one.
    mutating func skipByteOrderMark() throws(ImportError) {
        while end - position < 3 {
            if try !fill() { break }
        }
        // Safe: the padding behind the end may be read.
        let first = (bytes[position], bytes[position + 1], bytes[position + 2])
        if first == (0xEF, 0xBB, 0xBF) {
            position += 3
        } else if (first.0, first.1) == (0xFF, 0xFE) || (first.0, first.1) == (0xFE, 0xFF) {
            throw ImportError(.text, "the text is UTF-16; convert it first: iconv -f UTF-16 -t UTF-8", line: 1, column: 1)
        }
    }

    /// Looks for the end of the line that begins at `position`, which becomes the mark.
    /// - Returns: the bytes of the line without its end; nil at the end of the text. `position` is behind the line.
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

    /// As much of the line at `position` as is in memory; valid until the input is filled again.
    var startOfLine: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: bytes + position, count: (firstNewline(from: position) ?? end) - position)
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
    /// The bytes as text, or nil if they are not UTF-8.
    ///
    /// Decoding repairs what is not UTF-8, so whatever differs afterwards was not. (`String(validating:)` is not
    /// specialised by this toolchain and costs ten times as much.)
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
