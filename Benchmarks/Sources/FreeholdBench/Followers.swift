import FreeholdEngine
import Glibc

/// Helper processes that follow what others commit.
enum Followers {
    /// Polls a listener's descriptor and reads the new count.
    static func poll(_ arguments: Arguments, _ page: SharedPage) throws {
        let database = try Database.open(arguments.path("notify")), snapshot = try database.snapshot()
        defer { database.close() }
        let listener = try database.listen(), answers = try AnswerPipe(beside: arguments.shared)
        page.waitForGo()
        while !page.isStopped {
            wait(for: listener, milliseconds: 100)
            guard try listener.take() != nil else { continue }
            _ = try snapshot.refresh()
            let count = try snapshot.table(PersonTable.name).count
            page.seenAt.set(Int(nanoseconds()))
            page.seen.set(count)
            answers.answer()
        }
    }

    /// Reads the count of each version that it is told of, and notes how often it was woken.
    static func follow(_ role: String, _ arguments: Arguments, _ page: SharedPage) throws {
        let database = try Database.open(arguments.path("heard")), snapshot = try database.snapshot()
        defer { database.close() }
        let listener = role == "listener" ? try database.listen() : nil
        page.waitForGo()
        while !page.isStopped {
            if let listener {
                wait(for: listener, milliseconds: 100)
                _ = try listener.take()
            } else {
                _ = try database.waitForChange(after: snapshot.version, timeoutMilliseconds: 100)
            }
            try snapshot.refresh()
            _ = try snapshot.table(PersonTable.name).count
            page.reads(arguments.index).set(Int(try database.wakeUps))
        }
    }

    /// Watches while nothing happens, and notes how often it was woken, and for how long.
    static func idle(_ role: String, _ arguments: Arguments, _ page: SharedPage) throws {
        let database = try Database.open(arguments.path("idle")), version = try database.snapshot().version
        defer { database.close() }
        let listener = role == "idle_listener" ? try database.listen() : nil
        func note() throws {
            page.reads(arguments.index).set(Int(try database.wakeUps))
            page.processorTime(arguments.index).set(processorMicroseconds())
        }
        page.waitForGo()
        try note()
        while !page.isStopped {
            if let listener {
                wait(for: listener, milliseconds: 60_000)
                _ = try listener.take()
            } else if role == "idle_waiter" {
                _ = try database.waitForChange(after: version, timeoutMilliseconds: 1000)
            } else {
                usleep(200_000)
            }
            try note()
        }
    }

    /// What this process has used of a processor so far.
    private static func processorMicroseconds() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
    }

    private static func wait(for listener: ChangeListener, milliseconds: Int32) {
        var entry = pollfd(fd: listener.fileDescriptor, events: Int16(POLLIN), revents: 0)
        _ = Glibc.poll(&entry, 1, milliseconds)
    }
}
