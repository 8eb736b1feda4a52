import Platform
import Synchronization

extension SimulatedProcess {
    public func loadCryptography() throws(SystemError) -> any Cryptography {
        guard machine.options.hasCryptography else {
            throw SystemError(code: ErrorNumber.notFound, call: "dlopen", path: "libcrypto.so.3")
        }
        return WatchedCryptography(try LinuxSystem.shared.loadCryptography(), machine.nonces)
    }

    public func makeStemmer(_ algorithm: String) throws(SystemError) -> any Stemmer {
        if stemmers == .missing { throw SystemError(code: ErrorNumber.notFound, call: "dlopen", path: "libstemmer.so.0d") }
        return try SimulatedStemmer(algorithm, stemmers)
    }

    public func makeCollator(_ tag: String) throws(CollatorError) -> any Collator {
        switch collation ?? machine.options.collation {
        case .absent: throw CollatorError.noLibrary
        case .installed: return try LinuxSystem.shared.makeCollator(tag)
        case .invented(let version): return InventedCollator(tag, version: version)
        }
    }
}

/// Every nonce that was ever used on a machine, and on those made of its images, with its key.
public final class NonceLog: Sendable {
    private struct Use: Hashable {
        let key: [UInt8]
        let nonce: Nonce
    }

    private struct State {
        var seen: Set<Use> = []
        var repeated: [String] = []
        var streams: UInt64 = 0
    }

    private let state = Synchronization.Mutex(State())

    public init() {}

    /// How many were used.
    public var count: Int { state.withLock { $0.seen.count } }
    /// Those used twice under one key.
    public var repeated: [String] { state.withLock { $0.repeated } }

    /// Tells the randomness of one machine from that of every other: no two draw the same keys, as in the world outside.
    func nextStream() -> UInt64 {
        state.withLock { state in
            state.streams += 1
            return state.streams
        }
    }

    func note(_ key: [UInt8], _ nonce: Nonce) {
        state.withLock { state in
            if !state.seen.insert(Use(key: key, nonce: nonce)).inserted { state.repeated.append("\(nonce) under one key") }
        }
    }
}

/// The real library; what it encrypts with is written down.
private final class WatchedCryptography: Cryptography {
    private let real: any Cryptography
    private let log: NonceLog

    init(_ real: any Cryptography, _ log: NonceLog) {
        self.real = real
        self.log = log
    }

    func authenticate(
        _ message: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer, into code: UnsafeMutableRawBufferPointer
    ) { real.authenticate(message, key: key, into: code) }

    func makeSealer(key: UnsafeRawBufferPointer) throws(SystemError) -> any Sealer {
        WatchedSealer(try real.makeSealer(key: key), Array(key), log)
    }

    func makeOpener(key: UnsafeRawBufferPointer) throws(SystemError) -> any Opener { try real.makeOpener(key: key) }

    func authenticateShort(
        _ message: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer, into code: UnsafeMutableRawBufferPointer
    ) { real.authenticateShort(message, key: key, into: code) }

    func chain(
        _ direction: CipherDirection, _ input: UnsafeRawBufferPointer, to output: UnsafeMutableRawPointer,
        key: UnsafeRawBufferPointer, vector: UnsafeRawBufferPointer
    ) throws(SystemError) { try real.chain(direction, input, to: output, key: key, vector: vector) }
}

private final class WatchedSealer: Sealer {
    private let real: any Sealer
    private var key: [UInt8]
    private let log: NonceLog

    init(_ real: any Sealer, _ key: [UInt8], _ log: NonceLog) {
        self.real = real
        self.key = key
        self.log = log
    }

    func setKey(_ key: UnsafeRawBufferPointer) {
        self.key = Array(key)
        real.setKey(key)
    }

    func seal(
        _ plain: UnsafeRawBufferPointer, to sealed: UnsafeMutableRawPointer, _ nonce: Nonce,
        associated: UnsafeRawBufferPointer, tag: UnsafeMutableRawPointer
    ) {
        log.note(key, nonce)
        real.seal(plain, to: sealed, nonce, associated: associated, tag: tag)
    }
}
