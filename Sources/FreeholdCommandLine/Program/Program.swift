import ArgumentParser
import FreeholdEngine
import FreeholdImport
import Glibc

/// The program: runs a verb and turns whatever it throws into a message and an exit code.
///
/// | code | meaning |
/// |---|---|
/// | 0 | done |
/// | 1 | the operation failed |
/// | 3 | `check` found problems, `salvage` losses |
/// | 64 | the command line makes no sense |
/// | 141 | the reader of the output went away, as after SIGPIPE |
@main
enum Program {
    static func main() {
        // A closed pipe shall be an error of the write, not the end of a process that may be in the middle of a commit.
        signal(SIGPIPE, SIG_IGN)
        do {
            var command = try Freehold.parseAsRoot()
            try command.run()
            try Output.standard.flush()
        } catch {
            exit(end(error))
        }
    }

    /// Says what went wrong.
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
            Messages.error(text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text)
        }
        return code.rawValue
    }
}

extension FreeholdError {
    /// The message, with the file it is about if it does not name it.
    fileprivate var sentence: String {
        path.isEmpty || message.contains(path) ? message : "\(path): \(message)"
    }
}
