import Foundation
import FreeholdEngine
import JWTKit
import SyncBackends

/// What a token says.
struct SyncToken: JWTPayload {
    let sub: SubjectClaim
    let exp: ExpirationClaim
    let nbf: NotBeforeClaim?
    let iss: IssuerClaim?
    let aud: Audience?
    let tenant: String?
    /// When it was given out; 0 if it does not say so.
    let issued: Int64
    /// All that it says.
    let claims: TextMap<Value>

    private enum CodingKeys: String, CodingKey { case sub, exp, nbf, iss, aud, tenant, iat }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        sub = try container.decode(SubjectClaim.self, forKey: .sub)
        exp = try container.decode(ExpirationClaim.self, forKey: .exp)
        nbf = try container.decodeIfPresent(NotBeforeClaim.self, forKey: .nbf)
        iss = try container.decodeIfPresent(IssuerClaim.self, forKey: .iss)
        aud = try container.decodeIfPresent(Audience.self, forKey: .aud)
        tenant = try container.decodeIfPresent(String.self, forKey: .tenant)
        let seconds = (try? container.decodeIfPresent(Double.self, forKey: .iat)) ?? 0
        // Safe: within what a date may be.
        issued = seconds.isFinite && abs(seconds) < 0x1p53 ? Int64(seconds) : 0
        claims = ClaimText.claims(try decoder.singleValueContainer().decode([String: ClaimText.Claim].self))
    }

    /// One name or several. JWTKit's own claim stops the process if there is none.
    struct Audience: Decodable {
        let names: [String]

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let name = try? container.decode(String.self) { names = [name] } else { names = try container.decode([String].self) }
        }
    }

    // The server makes no tokens.
    func encode(to encoder: any Encoder) throws { throw EncodingError.invalidValue(self, .init(codingPath: [], debugDescription: "")) }

    func verify(using algorithm: some JWTAlgorithm) throws {
        try exp.verifyNotExpired()
        try nbf?.verifyNotBefore()
    }
}

/// Checks tokens by the keys of a file, which is read again when it changes.
///
/// The file is a JSON Web Key Set. Each key has `kid` and `alg` (RS256, ES256, or HS256 for tests); a token is checked by the key that it
/// names and by that key's algorithm alone.
public actor TokenKeys {
    /// What a token must say beside its user.
    public struct Rules: Sendable {
        /// The claim `iss`; nil for any.
        public var issuer: String?
        /// What the claim `aud` has; nil for any.
        public var audience: String?

        public init(issuer: String? = nil, audience: String? = nil) { (self.issuer, self.audience) = (issuer, audience) }
    }

    private struct Stamp: Equatable {
        var inode: UInt64 = 0
        var size: Int64 = 0
        var seconds = 0
        var nanoseconds = 0
    }

    private struct Known {
        let caller: SyncCaller
        let end: Date
    }

    private let path: String
    private let rules: Rules
    private let log: @Sendable (String) -> Void
    /// What was last said to be wrong with the file.
    private var mistake = ""
    private var stamp: Stamp?
    private var keys = JWTKeyCollection()
    private var algorithms: [String: String] = [:]
    /// Tokens that were checked.
    private var known: [String: Known] = [:]
    private static let mostKnown = 10_000
    private static let mostBytes = 8 << 10
    private static let allowed: Set<String> = ["RS256", "ES256", "HS256"]

    /// - Parameter log: told when the file cannot be read any more, or is wrong.
    /// - Throws: what is wrong with the file.
    public init(file path: String, rules: Rules = Rules(), log: @escaping @Sendable (String) -> Void = { _ in }) async throws {
        (self.path, self.rules, self.log) = (path, rules, log)
        try await readIfChanged()
    }

    /// Who a token is of.
    public func caller(_ token: String) async throws(SyncFailure) -> SyncCaller {
        // A file that is being replaced, or is wrong, leaves the keys as they are.
        do { try await readIfChanged() } catch { report("\(error); the keys stay what they were") }
        if let known = known[token], known.end > Date() { return known.caller }
        guard token.utf8.count <= Self.mostBytes else { throw Self.refused("the token has more than \(Self.mostBytes) bytes") }
        guard let head = Self.head(of: token) else { throw Self.refused("it is no JSON Web Token") }
        // Never by an algorithm that the token chooses.
        guard let kid = head.kid ?? (algorithms.count == 1 ? algorithms.keys.first : nil), let algorithm = algorithms[kid] else {
            throw Self.refused("its key `\(head.kid?.prefix(40) ?? "")` is not one of the server's")
        }
        guard head.alg == algorithm else { throw Self.refused("its algorithm is not that of its key") }
        let read: SyncToken, used = stamp
        do { read = try await keys.verify(token) } catch {
            let isLate = (error as? JWTError)?.errorType == .claimVerificationFailure
            throw Self.refused(isLate ? "it has expired, or is not valid yet" : "its signature or a claim is wrong")
        }
        let caller = try checked(read)
        if known.count >= Self.mostKnown { known = [:] }
        // The file may have been replaced meanwhile: then the token is checked by its keys when it comes again.
        if stamp == used { known[token] = Known(caller: caller, end: read.exp.value) }
        return caller
    }

    /// Once for each mistake: a wrong file is read again for each request.
    private func report(_ mistake: String) {
        if mistake.isSame(as: self.mistake) { return }
        self.mistake = mistake
        log(mistake)
    }

    private func checked(_ token: SyncToken) throws(SyncFailure) -> SyncCaller {
        if let issuer = rules.issuer, !issuer.isSame(as: token.iss?.value) { throw Self.refused("its issuer is not the server's") }
        if let audience = rules.audience, token.aud?.names.has(audience) != true { throw Self.refused("it is for another audience") }
        let user = token.sub.value, tenant = token.tenant ?? ""
        guard Self.isName(user), tenant.isEmpty || Self.isName(tenant) else {
            throw Self.refused("its user (`sub`) or tenant is empty, longer than 255 bytes, or has control characters")
        }
        return SyncCaller(user: user, tenant: tenant, claims: token.claims, issued: token.issued)
    }

    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 255 && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    private static func refused(_ what: String) -> SyncFailure {
        SyncFailure(.unauthorized, what: "the token is refused: \(what)", place: "the header Authorization",
                    advice: "get a new token from who gives them out")
    }

    // MARK: Reading

    private static func head(of token: String) -> (alg: String, kid: String?)? {
        guard let part = token.split(separator: ".", omittingEmptySubsequences: false).first, !part.isEmpty, let data = bytes(part),
              let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any],
              let algorithm = object["alg"] as? String else { return nil }
        return (algorithm, object["kid"] as? String)
    }

    private func readIfChanged() async throws {
        var status = stat()
        guard stat(path, &status) == 0 else { throw KeyMistake("the key file \(path) cannot be read: \(String(cString: strerror(errno)))") }
        let now = Stamp(inode: UInt64(status.st_ino), size: Int64(status.st_size), seconds: Int(status.st_mtim.tv_sec),
                        nanoseconds: Int(status.st_mtim.tv_nsec))
        if now == stamp { return }
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        guard let set = try? JSONSerialization.jsonObject(with: data) as? [String: Any], let list = set["keys"] as? [[String: Any]] else {
            throw KeyMistake("the key file \(path) is no JSON Web Key Set: {\"keys\": [...]}")
        }
        var algorithms: [String: String] = [:]
        let made = JWTKeyCollection()
        for (place, key) in list.enumerated() {
            guard let kid = key["kid"] as? String, !kid.isEmpty, algorithms[kid] == nil else {
                throw KeyMistake("key \(place + 1) of \(path) has no `kid`, or one that another has")
            }
            guard let algorithm = key["alg"] as? String, Self.allowed.contains(algorithm) else {
                throw KeyMistake("key `\(kid)` of \(path) has no `alg`, or another than RS256, ES256 and HS256")
            }
            do { try await add(key, kid, algorithm, to: made) } catch {
                let what = (error as? KeyMistake)?.description ?? Self.needs(algorithm)
                throw KeyMistake("key `\(kid)` of \(path) is no key for \(algorithm): \(what)")
            }
            algorithms[kid] = algorithm
        }
        (keys, self.algorithms, known, stamp, mistake) = (made, algorithms, [:], now, "")
    }

    /// What a library takes that says of others only that they are wrong.
    private static func needs(_ algorithm: String) -> String {
        algorithm == "RS256" ? "its `n` and `e` are to be those of a public RSA key of 2,048 bits or more, in base64url"
            : "its `crv` is to be P-256, and its `x` and `y` a point of that, each 32 bytes in base64url"
    }

    private func add(_ key: [String: Any], _ kid: String, _ algorithm: String, to keys: JWTKeyCollection) async throws {
        guard algorithm == "HS256" else {
            let kind = algorithm == "RS256" ? "RSA" : "EC"
            guard key["kty"] as? String == kind else { throw KeyMistake("its `kty` is not \(kind)") }
            try await keys.add(jwk: JSONDecoder().decode(JWK.self, from: JSONSerialization.data(withJSONObject: key)))
            return
        }
        guard key["kty"] as? String == "oct", let text = key["k"] as? String, let secret = Self.bytes(text), secret.count >= 32 else {
            throw KeyMistake("its `k` is not base64url of 32 bytes or more")
        }
        await keys.add(hmac: HMACKey(from: secret), digestAlgorithm: .sha256, kid: JWKIdentifier(string: kid))
    }

    private static func bytes(_ text: some StringProtocol) -> Data? {
        let plain = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        return Data(base64Encoded: plain + String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4))
    }
}

/// What is wrong with a key file.
public struct KeyMistake: Error, CustomStringConvertible {
    public let description: String
    init(_ description: String) { self.description = description }
}
