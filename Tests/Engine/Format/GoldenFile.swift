import DatabaseKit
@testable import FreeholdEngine
import Glibc
import Platform
import TestKit
import Testing

/// One of the committed files: its name, and how it is made, byte for byte.
struct GoldenFile: CustomTestStringConvertible {
    let name: String
    var key: EncryptionKey?
    /// Whether the file is taken while it is open, with commits that were not flushed: what a power cut leaves.
    var isLeftOpen = false
    /// Whether this code makes the very same bytes; not once it is to write something else that the format allows.
    var isStillMade = true
    let fill: @Sendable (Scribe) throws -> Void

    var testDescription: String { name }

    static let all = [
        GoldenFile(name: "tail-1") { try GoldenContent.scalars($0, count: 12) },
        GoldenFile(name: "scalars-1") { try GoldenContent.scalars($0, count: 600) },
        GoldenFile(name: "collections-1") { try GoldenContent.collections($0) },
        GoldenFile(name: "mixed-sets-1") { try GoldenContent.mixedSets($0) },
        GoldenFile(name: "nested-1") { try GoldenContent.nested($0) },
        GoldenFile(name: "past-1") { try GoldenContent.past($0) },
        GoldenFile(name: "encrypted-1", key: .forTests) {
            try GoldenContent.scalars($0, count: 100)
            try GoldenContent.nested($0)
        },
        GoldenFile(name: "unflushed-1", isLeftOpen: true) { scribe in
            try GoldenContent.scalars(scribe, count: 100)
            for number in 0..<5 { try scribe.write(.processCrash) { try scribe.set("Scalars", ObjectKey(7), "int", .int(Int64(number))) } }
        },
        GoldenFile(name: "derived-1", isStillMade: false) { try GoldenContent.fullText($0) },
        GoldenFile(name: "derived-2") { try GoldenContent.fullTextBegun($0) },
        GoldenFile(name: "derived-3") { try GoldenContent.places($0) },
        GoldenFile(name: "derived-4") { try GoldenContent.placesBegun($0) },
        GoldenFile(name: "derived-5") { try GoldenContent.vectors($0) },
        GoldenFile(name: "derived-6") { try GoldenContent.vectorsBegun($0) },
        GoldenFile(name: "derived-7") { try GoldenContent.collations($0) },
        GoldenFile(name: "derived-8") { try GoldenContent.collationsBegun($0) },
        GoldenFile(name: "derived-9", isStillMade: false) { try GoldenContent.fullText($0, language: "english") },
        GoldenFile(name: "derived-10") { try GoldenContent.fullTextBegun($0, language: "german") },
        GoldenFile(name: "derived-11") { try GoldenContent.fullText($0) },
        GoldenFile(name: "derived-12") { try GoldenContent.fullText($0, language: "english") },
        GoldenFile(name: "sync-1") { try GoldenContent.synced($0) },
    ]

    /// The ICU that the files are made with: one that is the same on every machine.
    static let collation = SimulatedCollation.invented(2)

    /// The options to open it with.
    var options: OpenOptions {
        var options = OpenOptions.simulated
        options.encryptionKey = key
        options.threadLimit = 1
        return options
    }

    /// Makes the file on a machine whose clock and chance come from a seed, so that the same code makes the same bytes.
    func make() throws -> (bytes: [UInt8], scribe: Scribe) {
        var machineOptions = SimulatedSystem.Options(seed: 1)
        machineOptions.collation = Self.collation
        let machine = SimulatedSystem(machineOptions)
        // When it was made stands in the file; how often the engine looks at a clock before that is no matter of the format.
        let made = try? committed()[56..<64].reversed().reduce(0) { $0 << 8 | Int64($1) }
        machine.wallClockNanoseconds = made ?? 1_700_000_000_000_000_000
        defer { machine.discard() }
        let process = machine.makeProcess()
        let database = try Database.open("/golden.freehold", options, on: process)
        let scribe = Scribe(database)
        try fill(scribe)
        if !isLeftOpen { database.close() }
        let bytes = try Self.read("/golden.freehold", on: process)
        if isLeftOpen { database.close() }
        return (bytes, scribe)
    }

    static func read(_ path: String, on system: any System) throws -> [UInt8] {
        let file = try system.openFile(path, .readOnly)
        defer { file.close() }
        var bytes = [UInt8](repeating: 0, count: try file.length())
        _ = try bytes.withUnsafeMutableBytes { buffer throws(SystemError) in try file.read(into: buffer, at: 0) }
        return bytes
    }

    static func write(_ bytes: [UInt8], _ path: String) throws {
        let file = try LinuxSystem.shared.openFile(path, .createExclusive(permissions: 0o644))
        defer { file.close() }
        try file.write(bytes, at: 0)
    }

    /// The folder of the committed files.
    static var folder: String {
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/") + "/Files"
    }

    var path: String { "\(Self.folder)/\(name).freehold" }

    /// The committed file.
    func committed() throws -> [UInt8] { try Self.read(path, on: LinuxSystem.shared) }
}
