import Glibc

/// A process of the tour, as seen by its parent: it writes lines to its standard output, and ends when its standard
/// input is closed (which also happens when the parent dies).
final class MemberProcess {
    let processID: pid_t
    private let lines: Int32
    private var leash: Int32
    private var buffer: [UInt8] = []
    private var hasEnded = false

    /// Starts a program.
    init(_ program: String, _ arguments: [String]) throws {
        let (leashEnd, leash) = try Self.pipe()
        let (lines, linesEnd) = try Self.pipe()
        defer {
            close(leashEnd)
            close(linesEnd)
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, leashEnd, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, linesEnd, STDOUT_FILENO)
        var process = pid_t()
        let words = ([program] + arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        let code = posix_spawn(&process, program, &actions, nil, words, environ)
        guard code == 0 else {
            close(leash)
            close(lines)
            throw Failure("\(program) cannot be started: \(String(cString: strerror(code)))")
        }
        (processID, self.lines, self.leash) = (process, lines, leash)
    }

    deinit {
        letGo()
        close(lines)
        if !hasEnded {
            kill(processID, SIGKILL)
            wait()
        }
    }

    /// The next line it wrote; nil when it has ended.
    func nextLine() -> String? {
        while true {
            if let newline = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: buffer[..<newline], as: UTF8.self)
                buffer.removeSubrange(...newline)
                return line
            }
            var block = [UInt8](repeating: 0, count: 4096)
            let count = read(lines, &block, block.count)
            if count > 0 {
                buffer += block[..<count]
            } else if count == 0 || errno != EINTR {
                return nil
            }
        }
    }

    /// Waits for its next line, up to a time of the boot clock.
    /// - Returns: whether there is something to read.
    func waitForLine(until moment: Int64) -> Bool {
        let left = moment - Latencies.now()
        if left <= 0 || buffer.contains(UInt8(ascii: "\n")) { return left > 0 }
        var descriptor = pollfd(fd: lines, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, Int32(left / 1_000_000) + 1) > 0
    }

    /// Asks the process to end by closing its standard input.
    func letGo() {
        if leash >= 0 { close(leash) }
        leash = -1
    }

    /// Kills the process.
    func kill() { kill(processID, SIGKILL) }

    /// Waits for the process to end.
    /// - Returns: its exit code, or 128 plus the signal that killed it.
    @discardableResult
    func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(processID, &status, 0) < 0 {
            if errno != EINTR { return -1 }
        }
        hasEnded = true
        let signal = status & 0x7F
        return signal == 0 ? status >> 8 & 0xFF : 128 + signal
    }

    private func kill(_ process: pid_t, _ signal: Int32) { _ = Glibc.kill(process, signal) }

    private static func pipe() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { throw Failure("no pipe could be created: \(String(cString: strerror(errno)))") }
        // A process started meanwhile must not inherit these ends.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }
}
