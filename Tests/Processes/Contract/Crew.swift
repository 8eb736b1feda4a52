import ContractKit
import FreeholdEngine
import Platform
import TestKit
import Testing

/// Processes at work on one database, and everything they were told.
final class Crew {
    let path: String
    private(set) var members: [CrewMember] = []
    /// What writers were told: writer → sequence → version.
    private(set) var acknowledged: [Int64: [Int64: UInt64]] = [:]
    /// What should not have been said.
    private(set) var complaints: [String] = []
    private var nextNumber: Int64 = 1
    private var nextMark = 1

    /// How long anything may take before it counts as hanging.
    static let patienceMilliseconds = 60_000

    init(_ path: String) { self.path = path }

    /// Starts a process; it begins its work when told `go`.
    func start(_ role: String, rounds: Int = 1_000_000_000, isolated: Bool = false, environment: [String: String] = [:]) throws -> CrewMember? {
        let number = nextNumber
        nextNumber += 1
        guard let member = try CrewMember(
            role, path: path, number: number, rounds: rounds, isolated: isolated, environment: environment)
        else { return nil }
        guard try hear(member) == "ready" else { throw Complaint("\(member.name) did not start") }
        return member
    }

    /// Starts processes that stay, and lets them work.
    func hire(_ roles: [String], isolated: Bool = false) throws {
        for role in roles {
            guard let member = try start(role, isolated: isolated) else { continue }
            members.append(member)
            member.process.send("go")
        }
        try everybodyGoesOn()
    }

    /// Counts processes as the crew's that work already.
    func adopt(_ others: [CrewMember]) { members += others }

    /// Each of them finishes a whole round of its work from now on.
    func everybodyGoesOn() throws {
        let mark = nextMark
        nextMark += 1
        for member in members { member.process.send("mark \(mark)") }
        for member in members {
            while let line = try hear(member), line != "M \(mark)" {}
            if member.isSilent { throw Complaint("\(member.name) has ended:\n\(description)") }
        }
    }

    /// Lets a victim work until it is dead (or stopped).
    func runToDeath(_ victim: CrewMember, sayingGo: Bool = true) throws {
        if sayingGo { victim.process.send("go") }
        while try hear(victim) != nil {}
    }

    /// Ends the crew in good order.
    func dismiss() throws {
        for member in members { member.process.send("stop") }
        for member in members {
            var last: String?
            while let line = try hear(member) { last = line }
            if last != "stopped" { complaints.append("\(member.name) did not end well: \(last ?? "no word")") }
        }
        members = []
    }

    /// Kills everybody, at once.
    func killAll() throws {
        for member in members { member.process.signal(9) }
        for member in members { try runToDeath(member, sayingGo: false) }
        members = []
    }

    /// The processes that hold versions, as a member sees them.
    func holders() throws -> [Int32] {
        let member = members[0]
        member.process.send("holders")
        while let line = try hear(member) {
            if line.hasPrefix("H") { return line.split(separator: " ").dropFirst().compactMap { Int32($0) } }
        }
        return []
    }

    /// A member's next line; acknowledgements and complaints are noted on the way.
    private func hear(_ member: CrewMember) throws -> String? {
        let line: String?
        do {
            line = try member.process.readLine(timeoutMilliseconds: Self.patienceMilliseconds)
        } catch {
            throw Complaint("\(member.name) hangs. What each was doing:\n\(description)")
        }
        member.hear(line)
        guard let line else { return nil }
        if line.hasPrefix("A ") {
            let numbers = line.split(separator: " ").dropFirst().compactMap { UInt64($0) }
            acknowledged[Int64(numbers[0]), default: [:]][Int64(numbers[1])] = numbers[2]
        } else if line.hasPrefix("E ") {
            complaints.append("\(member.name): \(line)")
        }
        return line
    }

    var description: String { (members + victims).map(\.situation).joined(separator: "\n") }
    /// Those who are to die, for the watchdog's report.
    var victims: [CrewMember] = []
}

/// One process of a crew.
final class CrewMember {
    let process: SpawnedProcess
    let name: String
    private(set) var isSilent = false
    private var lastLine = ""

    /// nil where an isolated one (in a pid namespace of its own) cannot be had.
    init?(_ role: String, path: String, number: Int64, rounds: Int, isolated: Bool, environment: [String: String]) throws {
        let arguments = [role, path, "\(number)", "\(rounds)"]
        if isolated {
            // The first process of a namespace cannot kill itself: the shell is that one.
            let shell = ["-c", "\"$0\" \"$@\"; exit $?", SpawnedProcess.path(of: "ContractHelper")] + arguments
            guard let process = try SpawnedProcess.inNewProcessNamespace("/bin/sh", shell, environment: environment)
            else { return nil }
            self.process = process
        } else {
            process = try SpawnedProcess("ContractHelper", arguments, environment: environment)
        }
        name = "\(role) \(number)\(isolated ? " (isolated)" : "") [\(process.id)]"
    }

    func hear(_ line: String?) {
        if let line { lastLine = line } else { isSilent = true }
    }

    /// What it is doing, as far as the system tells: state, the point last passed, the system call it is in.
    var situation: String {
        func read(_ file: String) -> String {
            guard let file = try? LinuxSystem.shared.openFile("/proc/\(process.id)/\(file)", .readOnly) else { return "?" }
            var bytes = [UInt8](repeating: 0, count: 512)
            let count = bytes.withUnsafeMutableBytes { (try? file.read(into: $0, at: 0)) ?? 0 }
            file.close()
            return String(decoding: bytes[..<count], as: UTF8.self)
        }
        let state = read("status").split(separator: "\n").first { $0.hasPrefix("State") }.map(String.init) ?? "gone"
        return "  \(name): \(state), last point …\(read("comm").dropLast()), waits in \(read("wchan")), "
            + "call \(read("syscall").split(separator: "\n").first ?? ""), last said '\(lastLine)'"
    }
}
