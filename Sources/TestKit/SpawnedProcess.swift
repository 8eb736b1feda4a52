import Glibc
import Platform
import Synchronization

/// Another real process, of an executable that lies beside the running test's, spoken to line by line over its standard
/// input and output. It is killed and reaped with the value.
public final class SpawnedProcess: Sendable {
    /// How a process ended.
    public enum End: Sendable, Equatable {
        case exited(Int32)
        case signalled(Int32)
    }

    /// Why one cannot be had or heard.
    public enum Failure: Error, Equatable {
        case notStarted(program: String, code: Int32)
        case silent(program: String)
        case unexpected(line: String?)
    }

    public let id: Int32
    private let program: String
    private let channel: Int32
    private let received = Mutex<[UInt8]>([])
    private let end = Mutex<End?>(nil)

    /// Starts `program` (a name is looked for beside the running executable, a path is taken as it is).
    public init(_ program: String, _ arguments: [String] = [], environment: [String: String] = [:]) throws {
        self.program = program
        let path = Self.path(of: program)
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else {
            throw Failure.notStarted(program: path, code: errno)
        }
        channel = ends[0]
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var child: pid_t = 0
        let variables = Self.ownEnvironment.merging(environment) { $1 }.map { "\($0.key)=\($0.value)" }
        let code = withCStrings([path] + arguments) { arguments in
            withCStrings(variables.sorted()) { posix_spawn(&child, path, &actions, nil, arguments, $0) }
        }
        id = child
        Glibc.close(ends[1])
        if code != 0 {
            Glibc.close(channel)
            throw Failure.notStarted(program: path, code: code)
        }
    }

    deinit {
        if end.withLock({ $0 == nil }) {
            signal(SIGKILL)
            _ = wait()
        }
        Glibc.close(channel)
    }

    /// Sends a signal; nothing happens once the process has been waited for.
    public func signal(_ number: Int32) {
        end.withLock { if $0 == nil { kill(id, number) } }
    }

    /// Kills it with SIGKILL and waits for its end.
    @discardableResult
    public func killNow() -> End {
        signal(SIGKILL)
        return wait()
    }

    /// Waits until it has ended.
    @discardableResult
    public func wait() -> End {
        end.withLock { end in
            if let end { return end }
            var status: Int32 = 0
            while waitpid(id, &status, 0) < 0 && errno == EINTR {}
            let result: End = status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .signalled(status & 0x7F)
            end = result
            return result
        }
    }

    /// Waits until it has been stopped by SIGSTOP (or has ended).
    /// - Returns: whether it is stopped.
    public func waitUntilStopped() -> Bool {
        end.withLock { end in
            if end != nil { return false }
            var status: Int32 = 0
            while waitpid(id, &status, WUNTRACED) < 0 && errno == EINTR {}
            if status & 0xFF == 0x7F { return true }
            end = status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .signalled(status & 0x7F)
            return false
        }
    }

    /// Sends it a line.
    public func send(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = Glibc.send(channel, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Ends its standard input.
    public func endInput() { shutdown(channel, Int32(SHUT_WR)) }

    /// The next line it writes; nil if it has ended.
    public func readLine(timeoutMilliseconds: Int = 60_000) throws -> String? {
        try received.withLock { received in
            while true {
                if let newline = received.firstIndex(of: 10) {
                    let line = String(decoding: received[..<newline], as: UTF8.self)
                    received.removeSubrange(...newline)
                    return line
                }
                var entry = pollfd(fd: channel, events: Int16(POLLIN), revents: 0)
                if poll(&entry, 1, Int32(clamping: timeoutMilliseconds)) == 0 {
                    throw Failure.silent(program: program)
                }
                var buffer = [UInt8](repeating: 0, count: 4096)
                let count = read(channel, &buffer, buffer.count)
                if count == 0 || (count < 0 && errno != EINTR) { return nil }
                if count > 0 { received += buffer[..<count] }
            }
        }
    }

    /// Waits for the very line, and throws at any other.
    public func expect(_ line: String, timeoutMilliseconds: Int = 60_000) throws {
        let received = try readLine(timeoutMilliseconds: timeoutMilliseconds)
        if received != line { throw Failure.unexpected(line: received) }
    }

    /// Where an executable of this package lies: beside the running one. A path stays as it is.
    public static func path(of program: String) -> String {
        program.contains("/") ? program : "\(ownFolder)/\(program)"
    }

    private static let ownFolder: String = {
        let path = (try? LinuxSystem.shared.resolvePath("/proc/self/exe")) ?? ""
        return path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    }()

    /// The environment to hand on, without what orders this process's own death.
    private static let ownEnvironment: [String: String] = {
        var variables: [String: String] = ["SWIFT_BACKTRACE": "enable=no"]
        var next = environ
        // Safe: the environment is an array of zero-ended texts, ended by nil, and does not change while tests run.
        while let entry = next.pointee {
            let parts = String(cString: entry).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
            next += 1
        }
        variables["FREEHOLD_KILL_AT"] = nil
        variables["FREEHOLD_STOP_AT"] = nil
        return variables
    }()
}

/// Calls `body` with the texts as C has them: an array ended by nil.
private func withCStrings<Result>(
    _ texts: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    // Safe: every copy lives until after the call.
    var copies: [UnsafeMutablePointer<CChar>?] = texts.map { strdup($0) }
    copies.append(nil)
    defer { copies.forEach { free($0) } }
    return copies.withUnsafeBufferPointer { body($0.baseAddress.unsafelyUnwrapped) }
}
