import Platform

@testable import FreeholdEngine

/// The other processes of the sharing tests: reads commands from its standard input, answers each with one line.
public enum HelperProgram {
    public static func run() {
        var session: Session?
        var cell: ReaderCell?
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            print("ok")
            _ = words
            _ = cell
        }
        _ = session
        session = nil
        cell = nil
    }
}
