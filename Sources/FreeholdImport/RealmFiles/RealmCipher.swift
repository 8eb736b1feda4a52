import FreeholdEngine
import Glibc
import Platform

/// Decrypts an encrypted Realm file.
///
/// The file consists of groups of 65 pages of 4 KiB: one page of 64 entries, then the 64 pages they describe. An entry
/// has two vectors, each with the authentication code of the encrypted page under it: the present one and the one
/// before, which counts if a write was interrupted. A vector of zero means that the page was never written.
///
/// Safe throughout: buffers are local or belong to a chunk, and have the lengths that are used.
final class RealmCipher {
    static let pageBytes = 4096
    static let keyBytes = 64
    private static let entryBytes = 64
    private static let codeBytes = 28
    private static let groupPages = 64

    private let cryptography: any Cryptography
    private var key: [UInt8]

    /// - Throws: `.wrongKey` if the key does not have 64 bytes, `.system` if libcrypto is not installed.
    init(key: [UInt8]) throws(SourceError) {
        guard key.count == Self.keyBytes else {
            throw SourceError(.wrongKey, "the key of an encrypted Realm file has \(Self.keyBytes) bytes; this one has \(key.count)")
        }
        do { cryptography = try LinuxSystem.shared.loadCryptography() } catch {
            throw SourceError(
                .system, "an encrypted Realm file needs libcrypto of OpenSSL, which is not installed; install it "
                    + "(Debian and Ubuntu: libssl3, Fedora: openssl-libs, Alpine: libcrypto3)", systemCode: error.code)
        }
        self.key = key
    }

    deinit {
        key.withUnsafeMutableBytes { bytes in
            if let base = bytes.baseAddress { explicit_bzero(base, bytes.count) }
        }
    }

    /// The number of plain bytes in an encrypted file of a length.
    static func plainBytes(ofFile length: Int) -> Int {
        let pages = length / pageBytes
        return (pages - (pages + groupPages) / (groupPages + 1)) * pageBytes
    }

    /// Where the file has a page of plain bytes.
    static func offset(ofPage page: Int) -> Int { (page + page / groupPages + 1) * pageBytes }

    /// Reads and decrypts whole pages; those that are not authentic are noted in the chunk.
    func read(into chunk: RealmChunk, at offset: Int, of file: RealmDescriptor) throws(SourceError) {
        let first = offset / Self.pageBytes, count = chunk.count / Self.pageBytes
        let group = first / Self.groupPages * (Self.groupPages + 1) * Self.pageBytes
        let entries = try file.bytes(at: group + first % Self.groupPages * Self.entryBytes, count: count * Self.entryBytes)
        let sealed = try file.bytes(at: Self.offset(ofPage: first), count: chunk.count)
        for page in 0..<count {
            let entry = Array(entries[page * Self.entryBytes..<(page + 1) * Self.entryBytes]), start = page * Self.pageBytes
            let outcome = sealed.withUnsafeBytes { bytes in
                let page = UnsafeRawBufferPointer(rebasing: bytes[start..<start + Self.pageBytes])
                return open(page, to: chunk.base + start, entry, at: offset + start)
            }
            switch outcome {
            case .plain: continue
            case .notAuthentic: chunk.damagedPages |= 1 << UInt64(page)
            case .failed(let error): throw SourceError(.system, "a page cannot be decrypted: \(error.reason)", systemCode: error.code)
            }
        }
    }

    /// Whether the codes of a page's entry are those of the encrypted page under this key.
    func knows(_ sealed: UnsafeRawBufferPointer, entry: [UInt8]) -> Bool { vector(of: sealed, entry) != nil }

    /// What became of a page.
    private enum Outcome {
        case plain, notAuthentic
        case failed(SystemError)
    }

    private func open(_ sealed: UnsafeRawBufferPointer, to plain: UnsafeMutableRawPointer, _ entry: [UInt8], at offset: Int) -> Outcome {
        plain.initializeMemory(as: UInt8.self, repeating: 0, count: Self.pageBytes)
        if entry[0..<4].allSatisfy({ $0 == 0 }) { return .plain }
        guard let number = vector(of: sealed, entry) else { return sealed.allSatisfy { $0 == 0 } ? .plain : .notAuthentic }
        let place = (0..<8).map { UInt8(truncatingIfNeeded: offset >> ($0 * 8)) }
        return (number + place + [0, 0, 0, 0]).withUnsafeBytes { vector in
            key.withUnsafeBytes { key in
                do throws(SystemError) {
                    try cryptography.chain(.decrypt, sealed, to: plain, key: UnsafeRawBufferPointer(rebasing: key[..<32]), vector: vector)
                    return .plain
                } catch { return .failed(error) }
            }
        }
    }

    /// The four bytes of the vector under which the page was encrypted; nil if there is none.
    private func vector(of sealed: UnsafeRawBufferPointer, _ entry: [UInt8]) -> [UInt8]? {
        var code = [UInt8](repeating: 0, count: Self.codeBytes)
        key.withUnsafeBytes { key in
            code.withUnsafeMutableBytes { code in
                cryptography.authenticateShort(sealed, key: UnsafeRawBufferPointer(rebasing: key[32...]), into: code)
            }
        }
        for start in [0, Self.entryBytes / 2] where entry[start + 4..<start + 32].elementsEqual(code) {
            let number = Array(entry[start..<start + 4])
            if number != [0, 0, 0, 0] { return number }
        }
        return nil
    }
}

extension RealmCipher {
    /// Whether bytes at the start of a file look like the first page of entries of an encrypted one: vectors are counted
    /// up from 1, the second is one less than the first, and an entry without a vector is empty.
    static func looksEncrypted(_ start: UnsafeRawBufferPointer) -> Bool {
        guard start.count >= pageBytes else { return false }
        for place in 0..<groupPages {
            let entry = UnsafeRawBufferPointer(rebasing: start[place * entryBytes..<(place + 1) * entryBytes])
            let first = UInt32(littleEndian: entry.loadUnaligned(as: UInt32.self))
            let second = UInt32(littleEndian: entry.loadUnaligned(fromByteOffset: entryBytes / 2, as: UInt32.self))
            if first == 0 {
                if place == 0 || !entry.allSatisfy({ $0 == 0 }) { return false }
                continue
            }
            let isFirstWrite = second == 0 && entry[entryBytes / 2..<entryBytes].allSatisfy { $0 == 0 }
            guard second == 0 ? isFirstWrite : second < first, entry[4..<32].contains(where: { $0 != 0 }) else { return false }
        }
        return true
    }
}
