/// Where a sync server is: `https://host:port/prefix`, checked before anything is sent there.
///
/// ```swift
/// let address = try SyncServerAddress("https://sync.example.com/app")
/// print(address.request("/v1/push")) // https://sync.example.com/app/v1/push
/// ```
/// Plain `http` is only for this machine: a token that went over a network without TLS would be anybody's.
public struct SyncServerAddress: Sendable, Equatable {
    /// Scheme, host, port and prefix as they were given, without a slash at the end.
    public let text: String

    /// - Parameter allowsPlain: whether `http` may lead to other machines, too.
    /// - Throws: `.invalidArgument` with what is wrong, and what to write.
    public init(_ address: String, allowsPlain: Bool = false) throws(FreeholdError) {
        guard address.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw Self.invalid("it has characters other than printable ASCII ones; write an international host name as 'xn--…'")
        }
        let bytes = Array(address.utf8)
        guard let scheme = Self.scheme(bytes) else {
            throw Self.invalid("it begins neither with 'https://' nor with 'http://'; write https://HOST or https://HOST:PORT")
        }
        let rest = bytes[scheme.length...]
        if rest.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") || $0 == UInt8(ascii: "\\") }) {
            throw Self.invalid("it has a query, a fragment or a backslash; write only host, port and path")
        }
        let authority = rest.prefix { $0 != UInt8(ascii: "/") }
        if authority.contains(UInt8(ascii: "@")) { throw Self.invalid("it has a user's name; the token says who asks") }
        let host = try Self.host(authority)
        guard scheme.isSecure || allowsPlain || Self.isLoopback(host) else {
            throw Self.invalid("plain 'http' would show the token to the network; write 'https', or allow plain http for a test")
        }
        var end = bytes.count
        while end > scheme.length, bytes[end - 1] == UInt8(ascii: "/") { end -= 1 }
        text = String(decoding: bytes[..<end], as: UTF8.self)
    }

    /// The address of a request, such as `/v1/push`.
    public func request(_ path: String) -> String { text + path }

    private static func invalid(_ what: String) -> FreeholdError {
        FreeholdError(.invalidArgument, "not the address of a sync server: \(what)")
    }

    private static func scheme(_ bytes: [UInt8]) -> (length: Int, isSecure: Bool)? {
        let lower = bytes.prefix(8).map { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") ? $0 | 0x20 : $0 }
        if lower.elementsEqual("https://".utf8) { return (8, true) }
        if lower.prefix(7).elementsEqual("http://".utf8) { return (7, false) }
        return nil
    }

    /// The host of what stands between scheme and path, without the brackets of an IPv6 address.
    private static func host(_ authority: ArraySlice<UInt8>) throws(FreeholdError) -> [UInt8] {
        var host = authority
        var port: ArraySlice<UInt8>?
        if authority.first == UInt8(ascii: "[") {
            guard let end = authority.firstIndex(of: UInt8(ascii: "]")) else { throw invalid("an IPv6 address ends with ']'") }
            host = authority[(authority.startIndex + 1)..<end]
            let rest = authority[(end + 1)...]
            if let first = rest.first {
                guard first == UInt8(ascii: ":") else { throw invalid("only ':' and a port may follow ']'") }
                port = rest.dropFirst()
            }
        } else if let colon = authority.firstIndex(of: UInt8(ascii: ":")) {
            host = authority[..<colon]
            port = authority[(colon + 1)...]
        }
        if host.isEmpty { throw invalid("it has no host") }
        if let port {
            guard let number = decimal(port, digits: 5), number > 0, number <= 65_535 else {
                throw invalid("the port is no number from 1 to 65535")
            }
        }
        return Array(host)
    }

    private static func isLoopback(_ host: [UInt8]) -> Bool {
        if host.elementsEqual("::1".utf8) { return true }
        if host.map({ $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") ? $0 | 0x20 : $0 }).elementsEqual("localhost".utf8) { return true }
        // Not '127.example.org': that is a name, which its owner lets lead anywhere.
        let parts = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4, parts.allSatisfy({ (decimal($0, digits: 3) ?? 256) < 256 }) else { return false }
        return parts[0].elementsEqual("127".utf8)
    }

    private static func decimal(_ digits: ArraySlice<UInt8>, digits limit: Int) -> Int? {
        guard !digits.isEmpty, digits.count <= limit else { return nil }
        var number = 0
        for digit in digits {
            guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
            number = number * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return number
    }
}
