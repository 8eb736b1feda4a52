import ContractKit
import TestKit
import Testing

/// A process that does what it is told, line by line (`ContractHelper obey`).
struct HelperProcess {
    let process: SpawnedProcess
    var id: Int32 { process.id }

    init(environment: [String: String] = [:]) throws {
        process = try SpawnedProcess("ContractHelper", ["obey"], environment: environment)
    }

    /// In a pid namespace of its own; nil where that is not permitted.
    static func isolated() throws -> HelperProcess? {
        let shell = ["-c", "\"$0\" obey; exit $?", SpawnedProcess.path(of: "ContractHelper")]
        return try SpawnedProcess.inNewProcessNamespace("/bin/sh", shell).map(HelperProcess.init(process:))
    }

    private init(process: SpawnedProcess) { self.process = process }

    /// Has the database open.
    static func opened(_ path: String, environment: [String: String] = [:]) throws -> HelperProcess {
        let helper = try HelperProcess(environment: environment)
        try helper.tell("open \(path)", "open")
        return helper
    }

    /// Gives an order and returns the answer.
    func ask(_ order: String) throws -> String {
        process.send(order)
        guard let line = try process.readLine() else { throw Complaint("process \(id) died at '\(order)'") }
        return line
    }

    /// Gives an order that must be answered so.
    func tell(_ order: String, _ answer: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let line = try ask(order)
        #expect(line == answer, "'\(order)'", sourceLocation: sourceLocation)
    }

    /// Gives an order that must be refused with this code, in these words among others.
    func refuses(_ order: String, _ code: String, _ words: String..., sourceLocation: SourceLocation = #_sourceLocation) throws {
        let line = try ask(order)
        #expect(line.hasPrefix("error \(code) "), "'\(order)': \(line)", sourceLocation: sourceLocation)
        for word in words { #expect(line.contains(word), "'\(order)': \(line)", sourceLocation: sourceLocation) }
    }

    /// Kills it, and returns once all that it was is gone.
    func kill() throws {
        process.signal(9)
        while try process.readLine() != nil {}
        process.wait()
    }
}
