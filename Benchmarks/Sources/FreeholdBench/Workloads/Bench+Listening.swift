import FreeholdEngine
import Glibc

extension Bench {
    /// From the return of a durable commit here to the new count being read by a process that waited for changes, and by one that polls a
    /// listener's descriptor.
    func notify() throws {
        try notify("notify", role: "notify_reader")
        try notify("notify_poll", role: "notify_poller")
    }

    private func notify(_ name: String, role: String) throws {
        let path = arguments.path("notify")
        try Files.remove(path)
        try opening(path) { try notify(name, role: role, in: $0) }
        try Files.remove(path)
    }

    private func notify(_ name: String, role: String, in database: Database) throws {
        let commits = 2000
        try database.write { try $0.createClass(PersonTable.schema) }
        let persons = try withPersons(database) { $0 }
        let set = PersonSet(from: 0, count: commits)
        let children = try Children(arguments)
        try children.spawn(role)
        try children.start()
        var stream = SplitMix64(seed: 7)
        var taken: [Double] = []
        for (number, person) in set.persons.enumerated() {
            usleep(UInt32(stream.next(below: 2000))) // so that commits do not fall in step with the reader
            try persons.insertAlone(person, of: set, into: database, .full)
            let start = nanoseconds()
            while children.page.seen.value < number + 1 { children.answers.waitForOne() }
            // The reader is woken by the commit itself, so it may have read before the call here returned.
            taken.append(max(0, Double(Int64(children.page.seenAt.value) - start) * 1e-3))
        }
        try children.finish()
        taken.sort()
        Output.figure(name + "_p50", taken[commits / 2], "us")
        Output.figure(name + "_p99", taken[commits * 99 / 100], "us")
    }

    /// Commits without flushes, alone and while four processes follow them, in turns: the ratio of the medians of three, and how often a
    /// follower was woken in a second.
    func commitHeard() throws {
        let commits = min(count, 50_000)
        for (name, role) in [("commit_heard", "listener"), ("commit_waited", "waiter")] {
            var alone: [Double] = [], heard: [Double] = [], wakeUps: [Double] = []
            for _ in 0..<3 {
                try withCopy("heard") { database in alone.append(try commitsOneByOne(commits, in: database)) }
                try withCopy("heard") { database in
                    let children = try Children(arguments)
                    for index in 0..<4 { try children.spawn(role, index: index) }
                    try children.start()
                    let taken = try commitsOneByOne(commits, in: database)
                    heard.append(taken)
                    try children.finish()
                    wakeUps.append((0..<4).map { Double(children.page.reads($0).value) / taken }.max() ?? 0)
                }
            }
            Output.figure(name, Double(commits) / heard.sorted()[1], "tx/s")
            Output.figure(name + "_ratio", alone.sorted()[1] / heard.sorted()[1], "ratio")
            Output.figure(name + "_wakes", wakeUps.sorted()[1], "wakes")
        }
    }

    /// How long so many commits of an insert take, in seconds.
    private func commitsOneByOne(_ commits: Int, in database: Database) throws -> Double {
        let persons = try withPersons(database) { $0 }
        let set = PersonSet(from: count, count: commits)
        return try seconds { for person in set.persons { try persons.insertAlone(person, of: set, into: database, .processCrash) } }
    }

    /// How often processes that only watch, by waiting and by a listener, are woken in ten seconds in which nobody commits, and one that does
    /// neither; and what part of a processor each of them used.
    func idleWatch() throws {
        try withCopy("idle") { database in
            let children = try Children(arguments)
            let roles = ["idle_waiter", "idle_listener", "idle_nobody"]
            for (index, role) in roles.enumerated() { try children.spawn(role, index: index) }
            try children.start()
            usleep(300_000)  // until each has noted what starting took
            let woken = roles.indices.map { children.page.reads($0).value }, used = roles.indices.map { children.page.processorTime($0).value }
            sleep(10)
            for (index, role) in roles.enumerated() {
                Output.figure(role, Double(children.page.reads(index).value - woken[index]), "wakes")
                Output.figure(role + "_time", Double(children.page.processorTime(index).value - used[index]) / 10e6 * 100, "%")
            }
            try children.finish()
            withExtendedLifetime(database) {}
        }
    }

    /// How many MiB of a file are kept for nobody, for a watch that sleeps and may keep ten bytes an object, and for one that may keep any amount,
    /// at most, while commits delete all objects.
    func sleepingWatch() throws {
        var bounded = OpenOptions(), unbounded = OpenOptions()
        bounded.parkedBytesLimit = UInt64(10 * count)
        unbounded.parkedBytesLimit = nil
        try sleepingWatch("sleeping_nobody", bounded, isWatched: false)
        try sleepingWatch("sleeping_bounded", bounded, isWatched: true)
        try sleepingWatch("sleeping_unbounded", unbounded, isWatched: true)
    }

    private func sleepingWatch(_ name: String, _ options: OpenOptions, isWatched: Bool) throws {
        try withCopy("sleeping", options) { database in
            let watch = isWatched ? try LiveWatch(database) : nil
            try watch?.follow(ObjectQuery("age == 7 SORT(score ASC)"), of: PersonTable.name)
            var kept: UInt64 = 0
            for part in 0..<100 {
                // Durable, or the version that is would be kept as well, for itself.
                try database.write { transaction in
                    let persons = try PersonTable(in: transaction)
                    for id in count * part / 100..<count * (part + 1) / 100 {
                        try transaction.delete(ObjectKey(Int64(id)), from: persons.table)
                    }
                }
                kept = try max(kept, database.information().holders.map(\.keptBytes).max() ?? 0)
            }
            Output.figure(name, Double(kept) / Double(1 << 20), "MiB")
            // Whoever wakes up is told all the same, and once only.
            var told = 0
            try watch?.deliver { told += $0.changes.count }
            if isWatched { Output.check(name, told) }
        }
    }

    /// Observers of one file by the thousand, each of a thousandth of the ids, brought up to date after commits that touch one of them, ten, and
    /// none: what that costs, the commit left out.
    func observers() throws {
        let watchers = 1000, rounds = 50
        try withCopy("observers") { database in
            let span = max(1, count / watchers)
            try database.write { try $0.createClass(ClassSchema("other", [PropertySchema("number", .int)])) }
            let before = try database.snapshot(), now = try database.snapshot()
            let answers = try (0..<watchers).map { number in
                try LiveQuery(ObjectQuery("id >= \(number * span) AND id < \((number + 1) * span) SORT(score ASC)"), of: PersonTable.name, at: before)
            }
            var stream = SplitMix64(seed: 13), told = 0
            for touched in [0, 1, 10] {
                var taken: [Double] = []
                for _ in 0..<rounds {
                    try database.write(durability: .processCrash) { transaction in
                        let persons = try PersonTable(in: transaction)
                        if touched == 0 { try transaction.insert(into: "other", [("number", .int(1))]) }
                        for _ in 0..<touched {
                            let key = ObjectKey(Int64(stream.next(below: min(count, watchers * span))))
                            try transaction.set(key, in: persons.table, persons.score, to: .double(Double(stream.next(below: 1_000_000))))
                        }
                    }
                    taken.append(try seconds {
                        try now.refresh()
                        let step = try VersionStep(from: before, to: now)
                        for answer in answers { if try !answer.advance(step).isEmpty { told += 1 } }
                    })
                    try before.refresh()
                }
                taken.sort()
                Output.figure("observers_\(touched)", taken[rounds / 2] * 1e6, "us")
            }
            Output.check("observers", told)
        }
    }
}
