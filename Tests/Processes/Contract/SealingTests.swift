@testable import FreeholdEngine
import Platform
import TestKit
import Testing

/// No nonce is used twice under a key by real processes: forked, killed, aborting, writing on in copies under the same key.
///
/// The file and its copies are looked through again and again for what was ever sealed: the key of a block follows from its
/// epoch, so an epoch and a counter that stand before two different blocks would be a nonce used twice. (`EncryptionNonceTests`
/// writes down every use, on simulated machines.)
@Suite struct SealingTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("sealed.freehold") }

    init() throws { folder = try TemporaryFolder() }

    private struct Use: Hashable {
        let epoch: FileCipher.Epoch
        let counter: UInt64
    }

    /// Everything sealed that was seen so far.
    private struct Seen {
        var blocks: [Use: [UInt64]] = [:]
        var keys: [[UInt64]: [UInt64]] = [:]
        var repeated: [String] = []

        var epochs: Int { Set(blocks.keys.map(\.epoch)).count }

        mutating func note(_ use: Use, _ tag: [UInt64]) {
            if let known = blocks.updateValue(tag, forKey: use), known != tag { repeated.append("\(use)") }
        }

        mutating func note(_ record: KeyRecord) {
            let nonce = record.wrapped.check + [record.wrapped.nonce.counter, UInt64(record.wrapped.nonce.word)]
            let content = record.wrapped.sealed + record.wrapped.tag
            if let known = keys.updateValue(content, forKey: nonce), known != content { repeated.append("key record \(nonce)") }
        }
    }

    private static func key(_ number: UInt8) throws -> EncryptionKey { try EncryptionKey((0..<64).map { $0 &+ number }) }

    private func bytes(_ path: String) throws -> [UInt8] {
        let file = try LinuxSystem.shared.openFile(path, .readOnly)
        defer { file.close() }
        var bytes = [UInt8](repeating: 0, count: try file.length())
        _ = try bytes.withUnsafeMutableBytes { buffer throws(SystemError) in try file.read(into: buffer, at: 0) }
        return bytes
    }

    /// Looks through a file, whoever writes to it meanwhile: for blocks that are whole, and then for all of their epochs.
    private func look(at path: String, key: UInt8, _ seen: inout Seen) throws {
        let image = try bytes(path), file = try LinuxSystem.shared.openFile(path, .readOnly)
        defer { file.close() }
        let page = try FirstPage(of: file)
        for record in page.keyRecords { seen.note(record) }
        let header = try #require(page.header)
        let cipher = try #require(try page.cipher(header, Self.key(key), LinuxSystem.shared, path: path))
        let finder = ShadowOpener(cipher)
        image.withUnsafeBytes { image in
            let starts = stride(from: FileLayout.firstData, to: image.count, by: BlockLayout.granule)
            var epochs: Set<FileCipher.Epoch> = []
            for start in starts {
                let rest = UnsafeRawBufferPointer(rebasing: image[start...])
                guard (try? finder.reference(toBlockAt: start / BlockLayout.granule, in: rest, isWanted: { _ in true })) ?? nil != nil else { continue }
                epochs.insert(SealedPrefix(rest.baseAddress!).epoch)
            }
            for start in starts {
                let prefix = SealedPrefix(image.baseAddress! + start)
                if epochs.contains(prefix.epoch) { seen.note(Use(epoch: prefix.epoch, counter: prefix.counter), [prefix.tag.0, prefix.tag.1]) }
            }
        }
    }

    private func start(_ path: String, _ key: UInt8) throws -> SpawnedProcess {
        let process = try SpawnedProcess("ContractHelper", ["seal", path, "\(key)"])
        #expect(try process.readLine() == "ready")
        return process
    }

    private func tell(_ process: SpawnedProcess, _ order: String, _ answer: String = "done") throws {
        process.send(order)
        let line = try process.readLine()
        #expect(line == answer, "'\(order)'")
    }

    @Test("no nonce repeats over aborted transactions, forks, killed processes, copies written on and changed keys")
    func neverTwice() throws {
        var seen = Seen()
        let first = try start(path, 1), second = try start(path, 1)
        for round in 0..<4 {
            try tell(first, "commit 5")
            try tell(second, "commit 5")
            try tell(first, "abort")
            try look(at: path, key: 1, &seen)
            // The child is refused what it inherits, and seals under a key of its own.
            try tell(first, "fork 1", "child 0 forked")
            try tell(second, "abort")
            try tell(second, "commit 3")
            try look(at: path, key: 1, &seen)
            if round == 2 { try tell(second, "rekey 1") }
        }
        // Killed in the middle of whatever it does; what it has left is copied, and all three are written on under one data key.
        for round in 0..<3 {
            let killed = try start(path, 1)
            killed.send("forever")
            for _ in 0..<10 + round { #expect(try killed.readLine() == "committed") }
            killed.signal(9)
            while try killed.readLine() != nil {}
            killed.wait()
            try look(at: path, key: 1, &seen)
        }
        for process in [first, second] {
            process.signal(9)
            while try process.readLine() != nil {}
            process.wait()
        }
        let copies = try ["one", "two"].map { name in
            let copy = folder.file(name), file = try LinuxSystem.shared.openFile(copy, .createExclusive(permissions: 0o600))
            try file.write(try bytes(path), at: 0)
            file.close()
            return copy
        }
        let writers = try ([path] + copies).map { try start($0, 1) }
        for _ in 0..<3 {
            for (writer, path) in zip(writers, [path] + copies) {
                try tell(writer, "abort")
                try tell(writer, "commit 8")
                try look(at: path, key: 1, &seen)
            }
        }
        try tell(writers[0], "rekey 2")
        try tell(writers[0], "commit 2")
        try look(at: path, key: 2, &seen)
        try look(at: copies[0], key: 1, &seen)
        // Two from the start, four children, three that were killed, three that wrote on, and who made the file.
        #expect(seen.epochs >= 12, "\(seen.epochs) epochs")
        #expect(seen.blocks.count > 400 && seen.keys.count >= 3, "\(seen.blocks.count) blocks, \(seen.keys.count) wrapped keys")
        #expect(seen.repeated.isEmpty, "\(seen.repeated.prefix(3))")
    }
}
