import FreeholdEngine

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The token that a server asks for, as a header can carry it.
public enum Token {
    /// A file beyond this is no token.
    public static let limit = 65_536

    /// The token of a file's settings: that of the token file if there is one, read anew, else the one in the settings.
    ///
    /// - Returns: nil if the settings name none.
    /// - Throws: `.io` if the file cannot be read; `.invalidArgument` for what is no token. Neither says anything of the content.
    public static func current(_ settings: SyncSettings) throws(FreeholdError) -> String? {
        if let path = settings.tokenFile { return try checked(read(path), "the file '\(path)'") }
        guard let token = settings.token else { return nil }
        return try checked(Array(token.utf8), "the settings of sync")
    }

    /// White space around it, as an editor leaves it, does not count. What could begin another header is refused.
    private static func checked(_ bytes: [UInt8], _ place: String) throws(FreeholdError) -> String {
        let isSpace = { (byte: UInt8) in byte == 0x20 || (byte >= 0x09 && byte <= 0x0D) }
        guard let first = bytes.firstIndex(where: { !isSpace($0) }), let last = bytes.lastIndex(where: { !isSpace($0) }) else {
            throw FreeholdError(.invalidArgument, "\(place) has no token: it is empty")
        }
        let token = bytes[first...last]
        guard token.count <= limit, token.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw FreeholdError(.invalidArgument, "what \(place) has is no token: write one line of printable ASCII, without spaces")
        }
        return String(decoding: token, as: UTF8.self)
    }

    private static func read(_ path: String) throws(FreeholdError) -> [UInt8] {
        // A pipe without a writer would hold an agent up for good.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw FreeholdError(.invalidArgument, "the token file '\(path)' is no regular file")
        }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress! + count, $0.count - count, off_t(count)) }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw failure(path) }
            if got == 0 { break }
            count += got
        }
        guard count <= limit else {
            throw FreeholdError(.invalidArgument, "the token file '\(path)' is longer than \(limit) bytes; no token is")
        }
        return Array(bytes[..<count])
    }

    private static func failure(_ path: String) -> FreeholdError {
        FreeholdError(.io, "cannot read the token file '\(path)': \(String(cString: strerror(errno)))")
    }
}
