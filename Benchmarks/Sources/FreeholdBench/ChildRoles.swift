import FreeholdEngine

/// What the helper processes do until they are told to stop.
enum ChildRoles {
    static func run(_ role: String, _ arguments: Arguments) throws {
        let page = try SharedPage(joining: arguments.shared)
        switch role {
        case "commit_loop": try insertForEver(arguments, page, file: "contended", perTransaction: 1)
        case "blob_fast": try TimedCommits.run(role, .processCrash, arguments, page)
        case "blob_durable": try TimedCommits.run(role, .full, arguments, page)
        case "mixed_writer": try insertForEver(arguments, page, file: "mixed", perTransaction: 100)
        case "mixed_reader": try lookUpForEver(arguments, page)
        case "notify_reader": try waitForEver(arguments, page)
        case "notify_poller": try Followers.poll(arguments, page)
        case "listener", "waiter": try Followers.follow(role, arguments, page)
        case "idle_waiter", "idle_listener", "idle_nobody": try Followers.idle(role, arguments, page)
        default: throw BenchmarkError("unknown role \(role)")
        }
    }

    private static func insertForEver(_ arguments: Arguments, _ page: SharedPage, file: String, perTransaction: Int) throws {
        let database = try Database.open(arguments.path(file))
        defer { database.close() }
        let table = try withPersons(database) { $0 }
        let set = PersonSet(from: arguments.count, count: 1000)
        var written = 0
        page.waitForGo()
        while !page.isStopped {
            try database.write(durability: .processCrash) { transaction in
                let persons = try table.within(transaction)
                for _ in 0..<perTransaction {
                    set.renumber(written % 1000, to: Int64(arguments.count + written))
                    try persons.insert(set.persons[written % 1000], of: set, in: transaction)
                    written += 1
                }
            }
            page.writes.set(written)
        }
    }

    private static func lookUpForEver(_ arguments: Arguments, _ page: SharedPage) throws {
        let database = try Database.open(arguments.path("mixed"))
        defer { database.close() }
        let snapshot = try database.snapshot()
        defer { snapshot.end() }
        var stream = SplitMix64(seed: 7 + UInt64(arguments.index))
        var persons = try PersonTable(in: snapshot)
        var (reads, sum) = (0, 0)
        page.waitForGo()
        while !page.isStopped {
            snapshot.end()
            try snapshot.begin()
            persons = try persons.within(snapshot)
            for _ in 0..<100 { sum += try persons.age(of: stream.next(below: arguments.count)) }
            reads += 100
            page.reads(arguments.index).set(reads)
        }
        guard sum > 0 || reads == 0 else { throw BenchmarkError("mixed: every age was 0") }
    }

    private static func waitForEver(_ arguments: Arguments, _ page: SharedPage) throws {
        let database = try Database.open(arguments.path("notify"))
        defer { database.close() }
        let snapshot = try database.snapshot(), answers = try AnswerPipe(beside: arguments.shared)
        defer { snapshot.end() }
        page.waitForGo()
        while !page.isStopped {
            guard try database.waitForChange(after: snapshot.version, timeoutMilliseconds: 100) != nil else { continue }
            _ = try snapshot.refresh()
            let count = try snapshot.table(PersonTable.name).count
            page.seenAt.set(Int(nanoseconds()))
            page.seen.set(count)
            answers.answer()
        }
    }
}
