import Foundation
import FreeholdEngine
import Synchronization

/// Keeps a file in sync with its server: holds the file's sync lease, follows its settings, and exchanges while they want it.
///
/// ```swift
/// let agent = SyncAgent(database)
/// agent.run()     // until another thread calls `stop`
/// ```
/// What it is to do, and how it goes, are objects in the file (`SyncSettings`, `SyncState`, `SyncIssue`). An agent whose process is killed
/// leaves its last state; whoever takes the lease next begins anew from what the file says.
public final class SyncAgent: Sendable {
    private let database: Database
    private let allowsPlain: Bool
    private let log: @Sendable (String) -> Void
    private let isStopped = Atomic(false)
    private let wake = DispatchSemaphore(value: 0)
    /// How often it asks for the lease, and writes the state.
    private static let period = 1.0

    /// - Parameters:
    ///   - allowsPlain: whether the address may be `http` to another machine: in tests.
    ///   - log: told what a person who runs the agent should know.
    public init(_ database: Database, allowsPlain: Bool = false, log: @escaping @Sendable (String) -> Void = { _ in }) {
        (self.database, self.allowsPlain, self.log) = (database, allowsPlain, log)
    }

    /// Lets `run` return, after a second or two at most.
    public func stop() {
        isStopped.store(true, ordering: .releasing)
        wake.signal()
    }

    /// Syncs the file until `stop`. Waits while another agent does.
    public func run() {
        var saysWaiting = true
        while !isEnded {
            do throws(FreeholdError) {
                if let lease = try database.takeSyncLease() {
                    defer { lease.release() }
                    saysWaiting = true
                    try hold(lease)
                } else if saysWaiting {
                    log("another agent syncs \(database.path); waiting for it")
                    saysWaiting = false
                }
            } catch {
                log("\(database.path): \(error.message)")
            }
            rest()
        }
    }

    /// Exchanges once, until nothing is pending and nothing is new: what a program waits for before it opens a file for the first time.
    ///
    /// - Returns: changes of the file that were lost.
    /// - Throws: `.invalidArgument` without settings; `.inUse` while another agent syncs the file; `.io` if the server cannot be reached,
    ///   or refuses.
    public func syncOnce() throws(FreeholdError) -> SyncReport {
        guard let settings = try database.syncSettings() else {
            let message = "the file does not say where its server is: `freehold-sync FILE --server URL --token-file FILE`"
            throw FreeholdError(.invalidArgument, message, path: database.path)
        }
        guard let lease = try database.takeSyncLease() else {
            throw FreeholdError(.inUse, "another agent syncs the file", path: database.path)
        }
        defer { lease.release() }
        guard settings.isWanted else { throw FreeholdError(.invalidArgument, Self.suspended, path: database.path) }
        let standing = SyncStanding()
        // What was lost or refused is said in the file, too; it may be full.
        defer { try? standing.write(to: database, stopped: true) }
        return try Exchange.once(database, SyncServerAddress(settings.address, allowsPlain: allowsPlain), settings, standing)
    }

    private static let suspended = "sync of the file is suspended: `freehold-sync FILE --server URL` or a program resumes it"

    /// Why nothing is exchanged.
    private func idleReason() throws(FreeholdError) -> String {
        guard let settings = try database.syncSettings() else {
            return "the file does not say where its server is: `freehold-sync FILE --server URL --token-file FILE`; waiting for it"
        }
        return settings.isWanted ? "the file has no synced classes; waiting for them" : Self.suspended
    }

    private var isEnded: Bool { isStopped.load(ordering: .acquiring) }

    private func rest() { if !isEnded { _ = wake.wait(timeout: .now() + Self.period) } }

    /// Exchanges as the settings say, while they stay and the lease is held.
    private func hold(_ lease: SyncLease) throws(FreeholdError) {
        let standing = SyncStanding()
        var saysSuspended = true
        defer { try? standing.write(to: database, stopped: true) }
        while !isEnded, lease.isHeld {
            guard let settings = try database.syncSettings(), settings.isWanted, try SyncReplica(database).isSynced() else {
                if saysSuspended {
                    log("\(database.path): \(try idleReason())")
                    saysSuspended = false
                }
                if standing.hasWritten { try standing.write(to: database, stopped: true) }
                rest()
                continue
            }
            saysSuspended = true
            let address: SyncServerAddress
            do throws(FreeholdError) { address = try SyncServerAddress(settings.address, allowsPlain: allowsPlain) } catch {
                standing.note(.init(code: error.code.name, what: error.message, place: "the settings", advice: "change them"),
                              of: "settings", isRefused: true)
                try standing.write(to: database)
                rest()
                continue
            }
            standing.noteAnswer("settings")
            let exchange = Exchange(database, address, settings, standing)
            exchange.start()
            defer { exchange.end() }
            log("syncing \(database.path) with \(address.text)")
            while !isEnded, lease.isHeld, try database.syncSettings() == settings {
                if let download = try database.syncDownload(), download.asked > download.answered { exchange.hurry(download.asked) }
                rest()
                try standing.write(to: database)
            }
        }
    }
}
