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
        case open(Session, handles: Int)
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
            case .open(let session, _):
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
                entries.withLock { $0[key] = .open(session, handles: 1) }
                return session
            } catch {
                _ = entries.withLock { $0.removeValue(forKey: key) }
                throw error
            }
        }
    }

    /// Releases one handle; with the last one the process leaves the session.
    func close(_ session: Session) throws(FreeholdError) {
        if session.member.isForked {
            // The session is in the parent's registry. Its handles can only be closed, and the first close releases
            // what it holds.
            return try session.leave()
        }
        let found: Key? = entries.withLock { (entries) -> Key? in
            guard let (key, handles) = entries.lazy.compactMap({ key, entry in entry.handles(of: session).map { (key, $0) } }).first
            else { return nil }
            assert(handles > 0, "an open session without handles")
            entries[key] = handles == 1 ? .changing : .open(session, handles: handles - 1)
            return handles == 1 ? key : nil
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
            if case .open(let session, let handles) = entries[key] {
                entries[key] = .open(session, handles: handles + 1)
                return entries[key]
            }
            if entries[key] != nil { return .changing }
            entries[key] = .changing
            return nil
        }
    }
}

extension SessionRegistry.Entry {
    /// Number of handles of a session; nil if this is not its entry.
    fileprivate func handles(of session: Session) -> Int? {
        if case .open(let found, let handles) = self, found === session { handles } else { nil }
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
        if member.file.cipher == nil, key == nil { return }
        let page: FirstPage
        do { page = try FirstPage(of: member.file.file) } catch { throw FreeholdError(error, "read the file") }
        _ = try page.cipher(member.header, key, member.system, path: member.path)
    }
}
