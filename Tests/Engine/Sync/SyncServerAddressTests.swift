import FreeholdEngine
import Testing

@Suite("Addresses of servers")
struct SyncServerAddressTests {
    @Test("An address keeps its prefix, and loses slashes at its end", arguments: [
        ("https://sync.example.org", "https://sync.example.org/v1/push"),
        ("HTTPS://sync.example.org:8443/", "HTTPS://sync.example.org:8443/v1/push"),
        ("https://example.org/a/b//", "https://example.org/a/b/v1/push"),
        ("https://[2001:db8::1]:443/x", "https://[2001:db8::1]:443/x/v1/push"),
    ])
    func prefix(_ address: String, _ request: String) throws {
        #expect(try SyncServerAddress(address).request("/v1/push").utf8.elementsEqual(request.utf8))
    }

    @Test("Plain http leads to this machine", arguments: [
        "http://localhost", "http://LocalHost:8080/x", "http://127.0.0.1:1", "http://127.255.0.9", "http://[::1]:8080",
    ])
    func loopback(_ address: String) throws { _ = try SyncServerAddress(address) }

    @Test("Plain http to another machine is refused unless it is allowed", arguments: [
        "http://example.org", "http://127.example.org", "http://127.0.0.1.example.org", "http://127.0.0.256", "http://127.0.0",
        "http://10.127.0.1", "http://localhost.example.org", "http://[::2]",
    ])
    func plain(_ address: String) throws {
        #expect(throws: FreeholdError.self) { try SyncServerAddress(address) }
        _ = try SyncServerAddress(address, allowsPlain: true)
    }

    @Test("What is no address is refused, plain http allowed or not", arguments: [
        "", "https://", "https:///x", "https://:80", "example.org", "ftp://example.org", "https://example.org:0",
        "https://example.org:65536", "https://example.org:", "https://example.org:8a", "https://a:1:2",
        "https://user@example.org", "http://localhost@example.org",
        "http://localhost\\@example.org", "https://example.org?x", "https://example.org/#x", "https://a b", "https://a\r\nX: y",
        "https://\u{e4}.org", "https://[::1", "https://[::1]x", "https://[]",
    ])
    func refused(_ address: String) {
        for allowsPlain in [false, true] {
            let error = #expect(throws: FreeholdError.self) { try SyncServerAddress(address, allowsPlain: allowsPlain) }
            #expect(error?.code == .invalidArgument)
        }
    }
}
