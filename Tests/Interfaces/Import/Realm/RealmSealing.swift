import Platform

/// Encrypts files as Realm does.
enum RealmSealing {
    static let key = (0..<64).map { UInt8($0 * 3 + 1) }
    private static let pageBytes = 4096

    /// - Parameter isInterrupted: whether the page at a place looks as if the write of it had not been finished: its second vector counts.
    static func file(_ plain: [UInt8], isInterrupted: (Int) -> Bool = { _ in false }) throws -> [UInt8] {
        var plain = plain, file: [UInt8] = []
        // The end of a streamed file is that of a page.
        let end = plain.starts(with: [UInt8](repeating: 0xFF, count: 8)) ? Array(plain.suffix(16)) : []
        plain.removeLast(end.count)
        while (plain.count + end.count) % pageBytes != 0 { plain.append(0) }
        plain += end
        for group in stride(from: 0, to: plain.count, by: 64 * pageBytes) {
            var entries = [UInt8](repeating: 0, count: pageBytes), pages: [UInt8] = []
            for start in stride(from: group, to: min(plain.count, group + 64 * pageBytes), by: pageBytes) {
                let number = UInt64(start / pageBytes % 5 + 2), place = (start - group) / pageBytes
                let sealed = try seal(plain[start..<start + pageBytes], number: number, at: start)
                let present = RealmWriter.little(number, 4) + sealed.code
                let next = RealmWriter.little(number + 1, 4) + [UInt8](repeating: 0x5A, count: 28)
                let before = RealmWriter.little(number - 1, 4) + [UInt8](repeating: 0xA5, count: 28)
                let entry = isInterrupted(start / pageBytes) ? next + present : present + before
                entries.replaceSubrange(place * 64..<place * 64 + 64, with: entry)
                pages += sealed.page
            }
            file += entries + pages
        }
        return file
    }

    /// Safe: the buffers are arrays, of the lengths that the calls need.
    private static func seal(_ plain: ArraySlice<UInt8>, number: UInt64, at offset: Int) throws -> (page: [UInt8], code: [UInt8]) {
        let cryptography = try LinuxSystem.shared.loadCryptography()
        let vector = RealmWriter.little(number, 4) + RealmWriter.little(UInt64(offset)) + [0, 0, 0, 0]
        var page = [UInt8](repeating: 0, count: pageBytes), code = [UInt8](repeating: 0, count: 28)
        try page.withUnsafeMutableBytes { page in
            try plain.withUnsafeBytes { plain in
                try key[..<32].withUnsafeBytes { key in
                    try vector.withUnsafeBytes { try cryptography.chain(.encrypt, plain, to: page.baseAddress!, key: key, vector: $0) }
                }
            }
        }
        page.withUnsafeBytes { page in
            key[32...].withUnsafeBytes { key in
                code.withUnsafeMutableBytes { cryptography.authenticateShort(page, key: key, into: $0) }
            }
        }
        return (page, code)
    }
}
