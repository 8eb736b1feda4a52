import Synchronization

/// Who may ask: whoever has opened a link of this program's, in the browser that opened it.
///
/// 1. Links carry a token in their fragment, which browsers send nowhere. The page posts it once; each token serves once.
/// 2. What it gets is a cookie that no script reads and no other site's request carries. Its name has the port, because browsers
///    send the cookies of 127.0.0.1 to all ports.
/// 3. Tokens and cookies are 256 bits of the system's random numbers, compared in constant time.
final class Access: Sendable {
    private struct State {
        var tokens: [[UInt8]] = []
        var sessions: [[UInt8]] = []
    }

    private let state = Mutex(State())
    /// Links that were printed and not used; the oldest ones end.
    private static let tokenLimit = 16
    private static let sessionLimit = 64

    /// A token for one more browser.
    func makeToken() -> String {
        let token = Self.random()
        state.withLock { state in
            state.tokens.append(Array(token.utf8))
            if state.tokens.count > Self.tokenLimit { state.tokens.removeFirst() }
        }
        return token
    }

    /// Exchanges a token for the value of a cookie; nil if it is wrong or was used.
    func redeem(_ token: String) -> String? {
        let given = Array(token.utf8)
        return state.withLock { state in
            guard let place = state.tokens.firstIndex(where: { Self.isSame($0, given) }) else { return nil }
            state.tokens.remove(at: place)
            let session = Self.random()
            state.sessions.append(Array(session.utf8))
            if state.sessions.count > Self.sessionLimit { state.sessions.removeFirst() }
            return session
        }
    }

    /// Whether this is the value of a cookie that was given.
    func admits(_ session: Substring) -> Bool {
        let given = Array(session.utf8)
        return state.withLock { $0.sessions.contains { Self.isSame($0, given) } }
    }

    private static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<4).map { _ in
            let digits = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Takes as long for any two of the same length.
    private static func isSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        guard one.count == other.count else { return false }
        var difference: UInt8 = 0
        for place in one.indices { difference |= one[place] ^ other[place] }
        return difference == 0
    }
}
