import ArgumentParser
import FreeholdEngine
import FreeholdImport
import Glibc

/// The program: runs a verb and converts its errors to a message and an exit code.
///
/// | code | meaning |
/// |---|---|
/// | 0 | success |
/// | 1 | the operation failed |
/// | 3 | `check` found problems, or `salvage` found losses |
/// | 64 | invalid arguments |
/// | 141 | the reader of the output closed it, as for a program that SIGPIPE ended |
@main
enum Program {
    static func main() {
        // A closed pipe must be a write error, not the end of a process that may be in the middle of a commit.
        signal(SIGPIPE, SIG_IGN)
        do {
            var command = try Freehold.parseAsRoot()
            try command.run()
            try Output.standard.flush()
        } catch {
            exit(end(error))
        }
    }

    /// Prints the error.
    /// - Returns: the exit code.
    private static func end(_ error: any Error) -> Int32 {
        switch error {
        case is OutputClosed:
            return 141
        case let error as Failure:
            try? Output.standard.flush()
            if !error.message.isEmpty { Messages.error(error.message) }
            return error.code
        case let error as FreeholdError:
            try? Output.standard.flush()
            Messages.error(error.sentence)
            return 1
        case let error as ImportError:
            Messages.error(error.description)
            return 1
        default:
            return endOfParsing(error)
        }
    }

    private static func endOfParsing(_ error: any Error) -> Int32 {
        let code = Freehold.exitCode(for: error)
        let text = Freehold.fullMessage(for: error)
        if code.isSuccess {
            if !text.isEmpty { try? Output.standard.write(text + "\n") }
            do { try Output.standard.flush() } catch { return 141 }
        } else {
            let prefix = "Error: "
            let hint = SearchVerb.hint(for: Array(CommandLine.arguments.dropFirst()), text).map { "\n\($0)" } ?? ""
            Messages.error((text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text) + hint)
        }
        return code.rawValue
    }
}

extension FreeholdError {
    /// The message, preceded by the file's path if the message does not contain it.
    fileprivate var sentence: String {
        path.isEmpty || message.contains(path) ? message : "\(path): \(message)"
    }
}
