import Platform
import Synchronization

/// The sessions of this process: a second open of the same file shares the session of the first.
///
/// Keyed by the system as well, because a simulation runs many processes in one.
final class SessionRegistry: Sendable {
    /// This process's registry. A forked child has one of its own: the parent's may be locked by a thread that the
    /// child does not have.
    static var shared: SessionRegistry {
        // Safe: nothing else is made below.
        unsafeDowncast(own.object, to: SessionRegistry.self)
    }

    private static let own = ProcessObject { _ in SessionRegistry() }

    private struct Key: Hashable {
        let system: ObjectIdentifier
        let identity: FileIdentity
        let isWritable: Bool
        let forkGeneration: UInt32
    }

    fileprivate enum Entry {
        /// A thread is opening or closing it.
        case changing
        case open(Session)
    }

    private let entries = Mutex<[Key: Entry]>([:])

    /// Maximum number of times that opening begins again because the file was replaced meanwhile.
    private static let mostReplacements = 10

    /// Opens the file, or shares this process's session of it. If another file gets the name meanwhile, as by
    /// compaction, that one is opened.
    func open(
        _ path: String, _ options: SessionOptions, _ system: any System, verifier: any RootVerifier,
        initial: MakeInitialContent
    ) throws(FreeholdError) -> Session {
        var replacements = 0
        while true {
            do throws(FreeholdError) {
                return try openOnce(path, options, system, verifier: verifier, initial: initial)
            } catch {
                guard error.code == .fileReplaced, replacements < Self.mostReplacements else { throw error }
                replacements += 1
                system.sleep(milliseconds: 1)
            }
        }
    }

    private func openOnce(
        _ path: String, _ options: SessionOptions, _ system: any System, verifier: any RootVerifier,
        initial: MakeInitialContent
    ) throws(FreeholdError) -> Session {
        let opener = try SessionOpener(path, options, system, verifier)
        let key = Key(
            system: ObjectIdentifier(system), identity: opener.identity, isWritable: opener.isWritable,
            forkGeneration: system.forkGeneration)
        while true {
            switch take(key) {
            case .open(let session):
                opener.abandon()
                do throws(FreeholdError) { try session.requireKey(options.encryptionKey) } catch {
                    try? close(session)
                    throw error
                }
                return session
            case .changing:
                system.sleep(milliseconds: 1)
                continue
            case nil: break
            }
            do {
                let session = try opener.open(initial)
                entries.withLock { $0[key] = .open(session) }
                return session
            } catch {
                _ = entries.withLock { $0.removeValue(forKey: key) }
                throw error
            }
        }
    }

    /// Releases one handle; with the last one the process leaves the session.
    func close(_ session: Session) throws(FreeholdError) {
        if session.isForked {
            // The session is in the parent's registry. Its handles can only be closed, and the first close releases
            // what it holds.
            return try session.leave()
        }
        let found: Key? = entries.withLock { (entries) -> Key? in
            session.state.withLock { $0.handles -= 1 }
            guard session.state.withLock({ $0.handles == 0 }) else { return nil }
            guard let key = entries.first(where: { $0.value.isOpen(session) })?.key else { return nil }
            entries[key] = .changing
            return key
        }
        guard let key = found else { return }
        defer { _ = entries.withLock { $0.removeValue(forKey: key) } }
        try session.leave()
    }

    /// Whether this process has the file open.
    func isOpen(_ identity: FileIdentity, _ system: any System) -> Bool {
        entries.withLock { $0.keys.contains { $0.identity == identity && $0.system == ObjectIdentifier(system) } }
    }

    /// The session to share, or nil after marking that the caller is opening it.
    private func take(_ key: Key) -> Entry? {
        entries.withLock { entries in
            if case .open(let session) = entries[key] {
                session.state.withLock { $0.handles += 1 }
                return .open(session)
            }
            if entries[key] != nil { return .changing }
            entries[key] = .changing
            return nil
        }
    }
}

extension SessionRegistry.Entry {
    fileprivate func isOpen(_ session: Session) -> Bool {
        if case .open(let found) = self { found === session } else { false }
    }
}

extension Session {
    /// Opens the file at `path`, or shares this process's existing session of it.
    static func open(
        _ path: String, _ options: SessionOptions, _ system: any System, verifier: any RootVerifier,
        initial: MakeInitialContent
    ) throws(FreeholdError) -> Session {
        try SessionRegistry.shared.open(path, options, system, verifier: verifier, initial: initial)
    }

    /// Ends this handle's use of the session. All its snapshots and writes must have ended.
    func close() throws(FreeholdError) { try SessionRegistry.shared.close(self) }

    /// Throws if `key` is not the file's key, although this process has the file open already.
    fileprivate func requireKey(_ key: EncryptionKey?) throws(FreeholdError) {
        if file.cipher == nil, key == nil { return }
        let page: FirstPage
        do { page = try FirstPage(of: file.file) } catch { throw FreeholdError(error, "read the file") }
        _ = try page.cipher(header, key, system, path: path)
    }
}
