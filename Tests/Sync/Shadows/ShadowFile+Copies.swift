import DatabaseKit
import Platform
import TestKit
@testable import FreeholdEngine

/// Copies, files that are put back, and power cuts.
extension ShadowFile {
    /// The bytes of a file that can be put somewhere.
    typealias Bytes = [UInt8]

    private static let sidecarPath = path + ".management/sync", backupPath = "/backup.freehold"

    /// What a copy of the file has: a backup while it is open.
    func bytes() throws -> Bytes {
        guard let handle else { return try read(Self.path).orThrow("the file is gone") }
        let process = machine.makeProcess()
        // A power cut may have brought the last one back.
        try? process.removeFile(Self.backupPath)
        _ = try handle.backup(to: Self.backupPath, on: process)
        let bytes = try read(Self.backupPath).orThrow("the backup is gone")
        try process.removeFile(Self.backupPath)
        return bytes
    }

    func sidecar() throws -> Bytes? { try read(Self.sidecarPath) }

    private func read(_ path: String) throws -> Bytes? {
        guard let file = try? machine.makeProcess().openFile(path, .readOnly) else { return nil }
        defer { file.close() }
        var bytes = [UInt8](repeating: 0, count: try file.length())
        let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
        return count == bytes.count ? bytes : nil
    }

    /// Writes a file as `cp` does: over the one that has the name, or a new one.
    func put(_ bytes: Bytes, sidecar: Bytes?) throws {
        try write(bytes, Self.path)
        try putBeside(sidecar)
    }

    private func putBeside(_ sidecar: Bytes?) throws {
        guard let sidecar else { return }
        _ = try machine.makeProcess().makeDirectory(Self.path + ".management", permissions: 0o700)
        try write(sidecar, Self.sidecarPath)
    }

    private func write(_ bytes: Bytes, _ path: String) throws {
        let process = machine.makeProcess()
        let known = try? process.openFile(path, .readWrite)
        let file = try known ?? process.openFile(path, .createExclusive(permissions: 0o600))
        defer { file.close() }
        try file.setLength(0)
        try bytes.withUnsafeBytes { try file.write($0, at: 0) }
        try file.synchronizeData()
        try process.synchronizeDirectory("/")
    }

    /// The last process closes the file; then an older state of it is written over it.
    func putBack(_ bytes: Bytes, _ device: Device) throws {
        close()
        try put(bytes, sidecar: nil)
        loosenLinks(device)
    }

    /// What was not flushed is lost. What stands beside the file stays, as on the device: if that is lost, too, it takes another identity.
    func cutPower(_ device: Device) throws {
        let beside = try sidecar(), cut = machine.image(surviving: .none)
        close()
        machine.discard()
        machine = cut
        try putBeside(beside)
        loosenLinks(device)
    }

    /// The first process opens the file, which takes another identity if it may not be the one that has this.
    ///
    /// - Parameter old: the identity of the device before.
    func open(_ device: Device, old: Int) throws {
        if handle != nil { return }
        setTime(device)
        let opened = try Database.open(Self.path, options, on: machine.makeProcess())
        handle = opened
        let body = try opened.snapshot().syncState().orThrow("no class is synced"), isTaken = body.replica.low != UInt64(old)
        guard isTaken == (device.now.replica != old) else {
            throw ShadowDifference("the file \(isTaken ? "takes" : "keeps") the identity, and the device does not")
        }
        if isTaken { try takeIdentity(of: device, body) }
    }

    /// The device's new identity is a number, which the file gets in place of its own.
    private func takeIdentity(of device: Device, _ taken: SyncBody) throws {
        let slots = taken.slots.map { "\($0.replica.low) \($0.epoch) \($0.last)" }
        let copied = device.now.copied.reversed().map { "\($0.replica) \($0.epoch) \($0.last)" }
        guard slots == copied else { throw ShadowDifference("slots \(slots), expected \(copied)") }
        let replica = ReplicaIdentity(high: 0, low: UInt64(device.now.replica))
        try database.write { transaction in
            var body = taken
            body.replica = replica
            transaction.changedSync = body
            try transaction.core.session.write(transaction.core.session.newSidecar(replica))
        }
    }
}

extension Optional {
    func orThrow(_ what: String) throws -> Wrapped {
        guard let self else { throw ShadowDifference(what) }
        return self
    }
}
