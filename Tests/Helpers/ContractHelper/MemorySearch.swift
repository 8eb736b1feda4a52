import Glibc

/// Looks for keys in the memory of this process.
///
/// The keys come masked and are unmasked into memory that is not searched, so that the search does not find itself.
struct MemorySearch {
    static let mask: UInt8 = 0xA5
    private static let keyLength = 32, chunk = 1 << 20

    let keys: [UnsafeMutableRawBufferPointer]
    private let own: UnsafeMutableRawBufferPointer
    private let buffer: UnsafeMutableRawPointer

    private struct Area {
        var range: Range<UInt>
        var isReadable: Bool
        var flags: Set<Substring> = []
    }

    /// - Parameter masked: hexadecimal digits of keys, each byte of which is changed by `mask`.
    init(_ masked: [Substring]) {
        let length = Self.chunk + Self.keyLength * masked.count
        own = UnsafeMutableRawBufferPointer(
            start: mmap(nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), count: length)
        let memory = own.baseAddress!
        buffer = memory
        keys = masked.enumerated().map { index, digits in
            let start = memory + Self.chunk + index * Self.keyLength
            var rest = digits
            for offset in 0..<Self.keyLength {
                start.storeBytes(of: UInt8(rest.prefix(2), radix: 16)! ^ Self.mask, toByteOffset: offset, as: UInt8.self)
                rest = rest.dropFirst(2)
            }
            return UnsafeMutableRawBufferPointer(start: start, count: Self.keyLength)
        }
    }

    /// How many different keys were found, at how many places, and at how many of them outside of pages that are left out of core
    /// dumps and wiped in children.
    func run() -> String {
        var found: Set<Int> = [], places = 0, exposed = 0
        let memory = open("/proc/self/mem", O_RDONLY)
        defer { close(memory) }
        for area in Self.areas() where area.isReadable && area.range.count <= 512 << 20 {
            var position = area.range.lowerBound
            while position < area.range.upperBound {
                let count = pread(memory, buffer, min(Self.chunk, Int(area.range.upperBound - position)), Int(position))
                if count < Self.keyLength { break }
                for (index, key) in keys.enumerated() {
                    var start = buffer
                    while let hit = Self.next(key, from: start, to: buffer + count) {
                        start = hit + 1
                        if isOwn(position + UInt(hit - buffer)) { continue }
                        found.insert(index)
                        places += 1
                        if !area.flags.isSuperset(of: ["dd", "wf"]) { exposed += 1 }
                    }
                }
                if count < Self.chunk { break }
                position += UInt(count - Self.keyLength + 1)
            }
        }
        return "\(found.count) \(places) \(exposed)"
    }

    private static func next(
        _ key: UnsafeMutableRawBufferPointer, from first: UnsafeMutableRawPointer, to end: UnsafeMutableRawPointer
    ) -> UnsafeMutableRawPointer? {
        var start = first
        while end - start >= key.count, let hit = memchr(start, Int32(key[0]), end - start - key.count + 1) {
            if memcmp(hit, key.baseAddress!, key.count) == 0 { return hit }
            start = hit + 1
        }
        return nil
    }

    private func isOwn(_ address: UInt) -> Bool {
        let start = UInt(bitPattern: own.baseAddress!)
        return (start..<start + UInt(own.count)).contains(address)
    }

    private static func areas() -> [Area] {
        guard let file = fopen("/proc/self/smaps", "r") else { return [] }
        defer { fclose(file) }
        var areas: [Area] = [], line = [CChar](repeating: 0, count: 8192)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let words = text.split { $0 == " " || $0 == "\n" }
            guard let first = words.first else { continue }
            if first == "VmFlags:" {
                areas[areas.count - 1].flags = Set(words.dropFirst())
            } else if !first.hasSuffix(":"), words.count > 1 {
                let ends = first.split(separator: "-").compactMap { UInt($0, radix: 16) }
                if ends.count == 2 { areas.append(Area(range: ends[0]..<ends[1], isReadable: words[1].hasPrefix("r"))) }
            }
        }
        return areas
    }
}
