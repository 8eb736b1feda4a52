public import Foundation
import FreeholdEngine

/// The server that a file is synced with, by an agent (`freehold-sync`).
///
/// ```swift
/// configuration.syncConfiguration = SyncConfiguration(serverURL: URL(string: "https://sync.example.org")!,
///                                                     tokenFile: URL(fileURLWithPath: "/etc/app/token"))
/// let realm = try await Realm(configuration: configuration, downloadBeforeOpen: .once)
/// ```
public struct SyncConfiguration: Sendable, Equatable {
    /// The server's address, `https://host:port`.
    public var serverURL: URL
    /// The token that the server asks for. Everybody who can read the file can read it: a token file is better.
    public var token: String?
    /// A file with the token.
    public var tokenFile: URL?
    /// How many seconds opening with `downloadBeforeOpen` waits for the agent.
    public var downloadTimeout: TimeInterval = 60

    public init(serverURL: URL, token: String? = nil, tokenFile: URL? = nil) {
        (self.serverURL, self.token, self.tokenFile) = (serverURL, token, tokenFile)
    }

    /// Writes it into a file, unless the file says so already. Whether sync is suspended stays.
    func apply(to database: Database) throws(FreeholdError) {
        let wanted = SyncSettings(address: serverURL.absoluteString, token: token, tokenFile: tokenFile?.path)
        if try database.syncSettings() == nil { return try database.setSyncSettings(wanted) }
        try database.changeSyncSettings { settings in
            (settings.address, settings.token, settings.tokenFile) = (wanted.address, wanted.token, wanted.tokenFile)
        }
    }
}

extension Realm.Configuration {
    /// Writes where the file's server is, if this says so.
    func configureSync(of database: Database) throws {
        guard let syncConfiguration else { return }
        do throws(FreeholdError) { try syncConfiguration.apply(to: database) } catch { throw RealmError(error) }
    }

    /// Waits for what the server has. A file that names no server is not synced, and has all there is.
    func download(_ database: Database, _ behavior: Realm.OpenBehavior) throws {
        let timeout = max(0, min(syncConfiguration?.downloadTimeout ?? 60, 1e9))
        do throws(FreeholdError) {
            if behavior == .never { return }
            guard try database.syncSettings() != nil else { return }
            if behavior == .once, try SyncReplica(database).hasDownloaded() { return }
            try database.downloadSync(timeoutMilliseconds: Int(timeout * 1000))
        } catch { throw RealmError(error) }
    }
}
