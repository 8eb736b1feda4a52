import Foundation
import Freehold
import Testing

/// Read by nobody but the disassembler.
final class Meter: Object {
    @Persisted var ticks = 0
    @Persisted var level = 0.0
    @Persisted var isOn = false
}

/// What the compiler makes of reading a property of a managed object, where it optimises.
@Suite(.enabled(if: MachineCode.isOptimised && !MachineCode.isSanitized, "only optimised code tells, without a sanitizer's calls in it")) struct MachineCodeTests {
    /// The getters of `Meter`, by the names that the compiler gives them.
    @Test(arguments: ["$s9CodeTests5MeterC5ticksSivg", "$s9CodeTests5MeterC5levelSdvg", "$s9CodeTests5MeterC4isOnSbvg"])
    func readingANumberCallsNothing(getter: String) throws {
        let code = try MachineCode.instructions(of: getter), way = code.prefix { !MachineCode.isReturn($0) }
        #expect(way.count < code.count, "\(getter) has no return in \(code.count) instructions")
        #expect(!way.contains(where: MachineCode.isCall), "\(getter) calls on its way:\n\(way.joined(separator: "\n"))")
        #expect(way.count <= 40, "\(getter) takes \(way.count) instructions")
    }
}

/// The test program's own instructions, as the toolchain's disassembler shows them.
private enum MachineCode {
    static let isOptimised = !_isDebugAssertConfiguration()
    static let isSanitized = ProcessInfo.processInfo.environment["FREEHOLD_SANITIZER"] != nil

    static func instructions(of symbol: String) throws -> [String] {
        let program = Process(), output = Pipe()
        program.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        program.arguments = [try disassembler(), "-d", "--no-show-raw-insn", "--no-leading-addr", "--disassemble-symbols=\(symbol)", "/proc/\(getpid())/exe"]
        program.standardOutput = output
        try program.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        program.waitUntilExit()
        guard let start = text.range(of: "<\(symbol)>:") else { return [] }
        return text[start.upperBound...].split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    /// Beside the compiler, where the toolchain has it.
    private static func disassembler() throws -> String {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        let compilers = folders.map { URL(fileURLWithPath: $0 + "/swift").resolvingSymlinksInPath().deletingLastPathComponent().path }
        let found = (compilers + folders).map { $0 + "/llvm-objdump" }.first { FileManager.default.isExecutableFile(atPath: $0) }
        return try #require(found, "the Swift toolchain has no llvm-objdump")
    }

    static func isCall(_ instruction: String) -> Bool { ["call", "bl\t", "bl ", "blr"].contains { instruction.hasPrefix($0) } }
    static func isReturn(_ instruction: String) -> Bool { instruction.hasPrefix("ret") }
}
