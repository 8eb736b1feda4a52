import ContractKit
@testable import FreeholdEngine
import Glibc
import Platform
import TestKit
import Testing

/// Files, folders and permissions that are not as they should be: each a clear error, and nothing written.
@Suite struct BadInputTests {
    static let isRoot = geteuid() == 0

    let folder: TemporaryFolder
    var path: String { folder.file("x.freehold") }

    init() throws {
        folder = try TemporaryFolder()
        chmod(folder.path, 0o755)
    }

    /// A database of three entries, at rest.
    private func make() throws {
        let database = try Database.open(path)
        try Ledger.prepare(database)
        for sequence in 1...3 { _ = try Ledger.append(to: database, writer: 1, sequence: Int64(sequence), .full) }
        database.close()
    }

    private func bytes(_ path: String) throws -> [UInt8] {
        let file = try LinuxSystem.shared.openFile(path, .readOnly)
        defer { file.close() }
        var bytes = [UInt8](repeating: 0, count: try file.length())
        _ = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
        return bytes
    }

    private func write(_ bytes: [UInt8], _ path: String, at offset: Int = 0) throws {
        let file = try LinuxSystem.shared.openFile(path, access(path, F_OK) == 0 ? .readWrite : .createExclusive(permissions: 0o644))
        defer { file.close() }
        try bytes.withUnsafeBytes { try file.write($0, at: offset) }
    }

    /// Every way in is refused with the code and the words, and the file stays as it was.
    private func expectRefused(_ code: String, _ words: String..., mayLeaveLockFile: Bool = false, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let before = try bytes(path)
        let names = try LinuxSystem.shared.listDirectory(folder.path)
        for order in ["open \(path)", "open-read-only \(path)"] {
            let answer = try HelperProcess().ask(order)
            #expect(answer.hasPrefix("error \(code) ") && answer.contains(path), "\(answer)", sourceLocation: sourceLocation)
            for word in words { #expect(answer.contains(word), "\(answer)", sourceLocation: sourceLocation) }
        }
        #expect(try bytes(path) == before, "it was written to", sourceLocation: sourceLocation)
        let left = try LinuxSystem.shared.listDirectory(folder.path).filter { !mayLeaveLockFile || $0 != "x.freehold.lock" }
        #expect(left == names, sourceLocation: sourceLocation)
    }

    @Test(arguments: [1, 63, 4095, 4096, 20_000]) func aForeignFileIsNoDatabase(length: Int) throws {
        try write(Array("This is a text that somebody wrote. ".utf8.prefix(length)) + [UInt8](repeating: 46, count: max(0, length - 36)), path)
        try expectRefused("notADatabase", "not a Freehold database")
    }

    @Test func aNewerFormatAsksForANewerFreehold() throws {
        try make()
        var header = FileHeader(file: FileIdentifier(high: 1, low: 2), createdNanoseconds: 0)
        header.formatVersion = 99
        for offset in FileLayout.headerCopies { try write(header.withBytes { Array($0) }, path, at: offset) }
        try expectRefused("unsupportedFormat", "version 99", "newer Freehold")
    }

    @Test func aFolderIsNoDatabase() throws {
        #expect(mkdir(path, 0o755) == 0)
        for order in ["open \(path)", "open-read-only \(path)"] { try HelperProcess().refuses(order, "notADatabase", path, "folder") }
        #expect(try LinuxSystem.shared.listDirectory(folder.path) == ["x.freehold"])
    }

    @Test func aFileCutShortIsToldAtOpening() throws {
        try make()
        #expect(truncate(path, 20_000) == 0)
        try expectRefused("truncated", "restore it from a backup", mayLeaveLockFile: true)
    }

    @Test func aMissingFileOrFolderIsNamed() throws {
        try HelperProcess().refuses("open-read-only \(path)", "notFound", path, "check the path")
        try HelperProcess().refuses("open \(folder.path)/none/x.freehold", "notFound", "none", "check the path")
        try write([], path)
        try HelperProcess().refuses("open \(path)/x.freehold", "notFound", path, "check the path")
    }

    @Test(.enabled(if: isRoot, "only root can become somebody else")) func withoutPermissionNothingIsOpened() throws {
        try make()
        chmod(path, 0o600)
        let nobody = try HelperProcess()
        try nobody.tell("become 65534", "became")
        try nobody.refuses("open \(path)", "permissionDenied", path, "permission")
        try nobody.refuses("open-read-only \(path)", "permissionDenied", path, "permission")
        try nobody.refuses("open \(folder.file("new.freehold"))", "permissionDenied", "new.freehold", "permission")
        #expect(try LinuxSystem.shared.listDirectory(folder.path) == ["x.freehold"])
    }

    @Test(.enabled(if: isRoot, "only root can become somebody else")) func aReadOnlyFolderCanBeReadOnly() throws {
        try make()
        let before = try bytes(path)
        #expect(chown(path, 65534, 65534) == 0)
        let nobody = try HelperProcess()
        try nobody.tell("become 65534", "became")
        try nobody.refuses("open \(path)", "permissionDenied", path, "permission")
        try nobody.tell("open-read-only \(path)", "open")
        try nobody.tell("look", "entries 3")
        try nobody.refuses("begin 0", "readOnly", path)
        // While others have it open for writing, reading it without locks would be a gamble.
        let other = try HelperProcess()
        try other.tell("become 65534", "became")
        try nobody.tell("close", "closed")
        #expect(try bytes(path) == before)
        let owner = try HelperProcess.opened(path)
        chmod(path + ".lock", 0o600)
        chown(path + ".lock", 0, 0)
        try other.refuses("open-read-only \(path)", "permissionDenied", path)
        try owner.tell("append 1 4 full", "A 1 4 6")
    }

    @Test func aRemovedFolderEndsWritingNotReading() throws {
        let inner = folder.file("inner")
        mkdir(inner, 0o755)
        let database = "\(inner)/x.freehold"
        let helper = try HelperProcess.opened(database)
        try helper.tell("prepare", "prepared")
        try helper.tell("append 1 1 full", "A 1 1 3")
        try helper.tell("pin", "pinned")
        for name in try LinuxSystem.shared.listDirectory(inner) { unlink("\(inner)/\(name)") }
        #expect(rmdir(inner) == 0)
        try helper.refuses("append 1 2 full", "fileReplaced", database, "close it")
        try helper.tell("examine", "whole")
        try helper.tell("read-all", "read 1")
        try HelperProcess().refuses("open \(database)", "notFound", inner, "check the path")
        try helper.tell("close", "closed")
    }

    /// What a page gives that is cut away is zeros and a mark (a page cut in its middle: zeros, which writers notice by
    /// the length, and the checker).
    @Test(arguments: [0, 4096, 20_480, 32_768]) func aFileCutShortUnderAReaderIsAnErrorOrTheTruth(length: Int) throws {
        try make()
        let (warm, cold) = (try HelperProcess.opened(path), try HelperProcess.opened(path))
        try warm.tell("pin", "pinned")
        try warm.tell("read-all", "read 3")
        try cold.tell("hold", "held")
        #expect(truncate(path, off_t(length)) == 0)
        let truths = ["examine": "whole", "read-all": "read 3", "look": "entries 3", "check": "clean"]
        for helper in [warm, cold] {
            for order in ["examine", "read-all", "look", "check", "append 1 4 full", "append 1 5 fast", "begin 0"] {
                let answer = try helper.ask(order)
                let isError = ["corrupt", "truncated", "io"].contains { answer.hasPrefix("error \($0) ") } && answer.contains(path)
                let isReport = order == "check" && answer.hasPrefix("problems")
                #expect(isError || isReport || answer == truths[order], "\(order): \(answer)")
            }
            try helper.tell("close", "closed")
        }
    }

    @Test func aLimitOnFileSizeIsADiskThatIsFull() throws {
        let helper = try HelperProcess.opened(path)
        try helper.tell("prepare", "prepared")
        try helper.tell("limit-file-size 400000", "limited")
        try fillUp(helper)
    }

    @Test(.enabled(if: SmallDisk.isPermitted, "mounting is not permitted here")) func aFullDiskTakesNothingBack() throws {
        let disk = try #require(try SmallDisk(folder.file("disk"), kilobytes: 1000))
        let path = disk.file("x.freehold")
        let helper = try HelperProcess.opened(path)
        try helper.tell("prepare", "prepared")
        let told = try fillUp(helper)
        // With space again, everybody goes on.
        #expect(disk.resize(kilobytes: 4000))
        try helper.tell("append 1 \(told + 1) full 50000", "A 1 \(told + 1) \(told + 3)")
        try helper.tell("close", "closed")
        let again = try HelperProcess.opened(path)
        try again.tell("look", "entries \(told + 1)")
        try again.tell("check", "clean")
        try again.tell("close", "closed")
    }

    /// Appends until the disk is full; what was there is there still, and can be read.
    @discardableResult
    private func fillUp(_ helper: HelperProcess) throws -> Int {
        var told = 0
        var answer = ""
        while told < 1000 {
            answer = try helper.ask("append 1 \(told + 1) full 20000")
            guard answer.hasPrefix("A ") else { break }
            told += 1
        }
        #expect(told > 2)
        #expect(answer.hasPrefix("error diskFull") && answer.contains("x.freehold") && answer.contains("free some space"), "\(answer)")
        try helper.refuses("append 1 \(told + 1) fast 20000", "diskFull")
        try helper.tell("look", "entries \(told)")
        try helper.tell("check", "clean")
        return told
    }

    @Test func aFailingFlushEndsTheSessionAndLosesNothingConfirmed() throws {
        let machine = SimulatedSystem(seed: 3)
        defer { machine.discard() }
        let process = machine.makeProcess()
        let (disk, other) = (try openSimulated(process), try openSimulated(machine.makeProcess()))
        try Ledger.prepare(disk)
        _ = try Ledger.append(to: disk, writer: 1, sequence: 1, .full)
        machine.inject(FaultRule(.synchronize, code: ErrorNumber.inputOutput, pathEnding: ".freehold", times: 1))
        let failure = #expect(throws: FreeholdError.self) { try Ledger.append(to: disk, writer: 1, sequence: 2, .full) }
        for (database, error) in [(disk, failure), (other, nil)] {
            let later = #expect(throws: FreeholdError.self) { try database.beginWrite(timeoutMilliseconds: 0) }
            for error in [error, later].compactMap(\.self) {
                #expect(error.code == .io)
                #expect(error.path == "/x.freehold" && error.message.contains("open it again"), "\(error)")
            }
        }
        disk.close()
        other.close()
        let again = try openSimulated(process)
        let told = try Ledger.examine(again.snapshot()).entries
        #expect((1...2).contains(told))
        _ = try Ledger.append(to: again, writer: 1, sequence: Int64(told) + 1, .full)
        #expect(try again.check().isClean)
    }

    private func openSimulated(_ process: SimulatedProcess) throws -> Database {
        var options = OpenOptions()
        options.reserve = 1 << 26
        options.leastReserve = 1 << 20
        return try Database.open("/x.freehold", options, on: process)
    }
}
