import Testing
@testable import FreeholdEngine
@testable import FreeholdMerge

/// Who gets what and may change what by rules, at a server in memory.
@Suite("Streams and rights by rules")
struct RuleRightsTests {
    private static let mine = "stream mine { Task where owner == $user OR $user IN watchers follow project; Country }\n"
    private let task = RuleStage.task("t1")

    private func reasons(_ rejections: [SyncRejection]) -> [SyncRejection.Reason] { rejections.map(\.reason) }

    @Test("each user gets what the user's condition is true of, also a user who comes later, and what is linked to")
    func streams() throws {
        let stage = try RuleStage(Self.mine)
        let ann = try stage.enter("ann", 1), ben = try stage.enter("ben", 2)
        try stage.push(ann, .of(task, creates: true, [("owner", .string("ann")), ("project", .link(RuleStage.project))]),
                       .of(RuleStage.project, creates: true, [("title", .string("secret"))]))
        let country = SyncObject(type: 2, key: .string("is"))
        try stage.push(ann, .of(country, creates: true))
        #expect(try stage.seen(ann).count == 3 && stage.seen(ben) == ["string(\"is\")"])
        let before = try stage.pull(ben).cursor
        try stage.push(ann, SyncChange.of(task).adding("watchers", member: .string("ben")).adding("watchers", member: .string("cy")))
        #expect(try stage.pull(ben, since: before).rows.map(\.object) == [task, RuleStage.project])
        let cy = try stage.enter("cy", 3)
        #expect(try stage.seen(cy).count == 3)
        let then = try stage.pull(ben).cursor
        try stage.push(ann, SyncChange.of(task).adding("watchers", member: .string("ben"), false))
        let answer = try stage.pull(ben, since: then)
        #expect(answer.rows.isEmpty && answer.gone.map(\.reason) == [.left, .left])
    }

    @Test("what two streams give of one class is followed by each stream's own users")
    func severalStreams() throws {
        let stage = try RuleStage("stream a { Task where owner == $user follow project }\nstream b { Task where team == $claim.team }")
        let ann = try stage.enter("ann", 1), ben = try stage.enter("ben", 2, ["team": .string("red")])
        let values: [(String, SyncValue)] = [("owner", .string("ann")), ("team", .string("red")), ("project", .link(RuleStage.project))]
        try stage.push(ann, .of(task, creates: true, values), .of(RuleStage.project, creates: true))
        #expect(try stage.seen(ann).count == 2 && stage.seen(ben).count == 1)
        try stage.push(ben, .of(task, [("owner", .string("ben"))]))
        #expect(try stage.seen(ann).isEmpty && stage.seen(ben).count == 2)
    }

    @Test("a batch with a value or a key of another type than at the server is refused, and nothing of it applied")
    func types() throws {
        let stage = try RuleStage("stream all { Task; Project }"), ann = try stage.enter("ann", 1)
        let wrong: [(String, SyncValue)] = [
            ("owner", .int(1)), ("price", .string("cheap")), ("project", .string("p")), ("done", .int(1)), ("due", .string("now")),
        ]
        let right = SyncChange.of(task, creates: true, [("team", .string("red")), ("any", .list([.int(1), .string("x")]))])
            .adding("watchers", member: .string("ben")).inserting("notes", .string("n"), 2)
        var batches = wrong.map { (SyncChange.of(task, creates: true, [$0, ("team", .string("red"))]), "Task.\($0.0)") }
        batches += [
            (right.adding("watchers", member: .int(3)), "Task.watchers"), (right.inserting("notes", .int(1), 1), "Task.notes"),
            (.of(SyncObject(type: 0, key: .int(5)), creates: true, [("team", .string("red"))]), "class 'Task'"),
        ]
        for (change, name) in batches {
            let error = #expect(throws: FreeholdError.self) { try stage.push(ann, change) }
            #expect(error?.code == .schemaMismatch && error?.message.contains(name) == true)
            #expect(stage.store.row(change.object) == nil)
        }
        #expect(try stage.push(ann, right).isEmpty)
        #expect(stage.value(task, "team") == .string("red") && stage.value(task, "any") == .list([.int(1), .string("x")]))
        #expect(stage.store.row(task)?.shownMembers[RuleStage.number("watchers")] == [.string("ben")])
        // Null is a value of every type.
        #expect(try stage.push(ann, .of(task, [("price", .null), ("project", .null)])).isEmpty)
    }

    @Test("a new object that no stream gives its creator disappears from the file, and is reported")
    func unseenCreations() throws {
        let stage = try RuleStage("stream own { Task where owner == $user }"), ann = try stage.enter("ann", 1)
        let file = try SyncedFile("ann", seed: 1)
        try file.write { transaction in
            let properties = [PropertySchema("id", .string), PropertySchema("owner", .string, isNullable: true)]
            try transaction.createClass(ClassSchema("Task", primaryKey: "id", properties))
            try transaction.sync.mark("Task")
        }
        func pull() throws -> Set<String> {
            let question = try SyncReplica(file.database).pull(sent: 0)
            let report = try file.apply(stage.server.answer(question, for: ann, now: Exchange.now))
            return Set(report.losses.map { "\($0.primaryKey) \($0.property ?? "-") \($0.reason)" })
        }
        #expect(try pull().isEmpty)
        try file.write { transaction in
            for (id, owner) in [("a", "ann"), ("b", "ben"), ("c", "ben"), ("d", "ann"), ("e", "ben")] {
                try transaction.insert(into: "Task", [("id", .string(id)), ("owner", .string(owner))])
            }
        }
        let batch = try #require(try file.push())
        _ = try stage.server.commit(batch, by: ann, in: try stage.server.begin(), now: Exchange.now)
        try file.write { transaction in
            let table = try transaction.table("Task"), key = try #require(try table.key(primaryKey: .string("b")))
            try transaction.set(key, in: table, table.column("owner"), to: .string("cy"))
        }
        let lost = [("b", "-"), ("b", "owner"), ("c", "-"), ("e", "-")].map { "\(Value.string($0)) \($1) notVisible" }
        #expect(try pull() == Set(lost))
        let tasks = try file.database.snapshot().table("Task")
        #expect(try tasks.keys().map { try tasks.value($0, tasks.column("id")) } == [.string("a"), .string("d")])
        #expect(stage.store.row(SyncObject(type: 0, key: .string("b")))?.isAlive == true)
        // What leaves later is no loss.
        try file.write { transaction in
            let table = try transaction.table("Task"), key = try #require(try table.key(primaryKey: .string("d")))
            try transaction.set(key, in: table, table.column("owner"), to: .string("ben"))
        }
        let gift = try #require(try file.push())
        _ = try stage.server.commit(gift, by: ann, in: try stage.server.begin(), now: Exchange.now)
        #expect(try pull().isEmpty)
        #expect(try file.database.snapshot().table("Task").count == 1)
    }

    @Test("what is behind a link is seen as far as links are followed, and by who links to it only if seen before")
    func depth() throws {
        let stage = try RuleStage("stream a { Task where owner == $user follow project, home depth 2 }")
        let ann = try stage.enter("ann", 1), ben = try stage.enter("ben", 2)
        let iceland = SyncObject(type: 2, key: .string("is")), norway = SyncObject(type: 2, key: .string("no"))
        let own: [(String, SyncValue)] = [("owner", .string("ann")), ("project", .link(RuleStage.project))]
        try stage.push(ann, .of(task, creates: true, own), .of(RuleStage.project, creates: true, [("home", .link(iceland))]),
                       .of(iceland, creates: true))
        try stage.push(ben, .of(norway, creates: true))
        #expect(try stage.seen(ann).count == 3 && stage.seen(ben).isEmpty)
        // Ann would see Norway by that.
        let refused = try stage.push(ann, .of(RuleStage.project, [("home", .link(norway))]))
        #expect(reasons(refused) == [.notVisible] && stage.value(RuleStage.project, "home") == .link(iceland))
        let cursor = try stage.pull(ann).cursor
        try stage.push(ann, .of(RuleStage.project, [("home", .null)]))
        #expect(try stage.pull(ann, since: cursor).gone.map(\.object) == [iceland])
        try stage.push(ann, .of(task, [("owner", .string("ben"))]))
        #expect(try stage.seen(ann).isEmpty && stage.seen(ben).count == 2)
    }

    @Test("other claims and other rules change what is seen: the next answer brings what comes, and names what goes")
    func renewal() throws {
        let stage = try RuleStage("stream a { Task where team == $claim.team follow project }")
        let ann = try stage.enter("ann", 1), ben = try stage.enter("ben", 2, ["team": .string("red")])
        for (key, team) in [("t1", "red"), ("t2", "blue")] {
            let link = SyncObject(type: 1, key: .int(key == "t1" ? 1 : 2))
            let values: [(String, SyncValue)] = [("team", .string(team)), ("project", .link(link))]
            try stage.push(ann, .of(RuleStage.task(key), creates: true, values), .of(link, creates: true))
        }
        #expect(try stage.seen(ann).isEmpty && stage.seen(ben).count == 2)
        var cursor = try stage.pull(ben).cursor
        try stage.enter("ben", 2, ["team": .string("blue")])
        var answer = try stage.pull(ben, since: cursor)
        #expect(answer.rows.map(\.object) == [RuleStage.task("t2"), SyncObject(type: 1, key: .int(2))])
        #expect(answer.gone.map(\.object) == [task, RuleStage.project])
        cursor = answer.cursor
        try stage.enter("ben", 2, ["team": .string("blue"), "more": .int(1)])
        answer = try stage.pull(ben, since: cursor)
        #expect(answer.rows.isEmpty && answer.gone.isEmpty)
        try stage.change(to: "stream a { Task where team == 'red' }")
        answer = try stage.pull(ben, since: cursor)
        #expect(answer.rows.map(\.object) == [task] && answer.gone.count == 2)
        #expect(try stage.seen(ann) == ["string(\"t1\")"])
        try stage.change(to: "")
        #expect(try stage.pull(ben, since: answer.cursor).gone.map(\.reason) == [.left] && stage.seen(ann).isEmpty)
    }

    @Test("what a user does not see can neither be changed nor deleted, nor be seen by linking to it")
    func forgeries() throws {
        let stage = try RuleStage(Self.mine)
        let ann = try stage.enter("ann", 1), ben = try stage.enter("ben", 2), other = RuleStage.task("t2")
        try stage.push(ann, .of(task, creates: true, [("owner", .string("ann")), ("project", .link(RuleStage.project))]),
                       .of(RuleStage.project, creates: true))
        #expect(try reasons(stage.push(ben, .of(task, creates: true, [("owner", .string("ben"))]))) == [.notVisible, .notVisible])
        #expect(try reasons(stage.push(ben, .deletion(of: task), .of(RuleStage.project, deletes: true, [("title", .string("x"))])))
                == [.notVisible, .notVisible, .notVisible])
        #expect(try reasons(stage.push(ben, .of(other, creates: true, [("owner", .string("ben")), ("project", .link(RuleStage.project))])))
                == [.notVisible])
        #expect(try stage.seen(ben) == ["string(\"t2\")"] && stage.value(other, "project")?.isNull == true)
        // Nor by what is not there yet.
        let late = SyncObject(type: 1, key: .int(9))
        #expect(try reasons(stage.push(ben, .of(other, [("project", .link(late))]))) == [.notVisible])
        try stage.push(ann, .of(late, creates: true), .of(task, [("project", .link(late))]))
        #expect(try stage.seen(ben).count == 1 && stage.seen(ann).count == 2)
        #expect(stage.value(task, "owner") == .string("ann"))
        // By what a stream does not follow, anything may be linked to: it is not seen for that.
        #expect(try stage.push(ben, SyncChange.of(other).adding("parts", member: .link(late))).isEmpty)
        #expect(try stage.seen(ben).count == 1)
    }

    private static let rights = mine + """
        rights {
            Task write where owner == $user
            Task create where owner == $user AND team != 'blue'
            Task delete where $claim.role == 'admin'
            Task.price read-only where $claim.role != 'admin'
            Task.stock read-only where done == true
            Task.watchers write where $claim.role == 'admin'
            Task.notes read-only
            Task.address write where $claim.role == 'admin'
            Country read-only
            Project create where FALSEPREDICATE
        }
        """

    @Test("a write is allowed by what the object was before the batch")
    func writes() throws {
        let stage = try RuleStage(Self.rights)
        let root = try stage.enter("root", 9, ["role": .string("admin")]), ann = try stage.enter("ann", 1), ben = try stage.enter("ben", 2)
        let made = SyncChange.of(task, creates: true, [("owner", .string("root")), ("price", .double(1))])
        #expect(try stage.push(root, made.adding("watchers", member: .string("ben")).adding("watchers", member: .string("ann"))).isEmpty)
        #expect(try stage.push(root, .of(task, [("owner", .string("ann"))])).isEmpty)
        let rejections = try stage.push(ben, .of(task, [("owner", .string("ben")), ("team", .string("red"))]))
        #expect(reasons(rejections) == [.notAllowed, .notAllowed] && rejections.map(\.object) == [task, task])
        #expect(rejections.map(\.place) == [.register(SyncPath(property: 0)), .register(SyncPath(property: 1))])
        let mixed = SyncChange.of(task, [("team", .string("red")), ("price", .double(2)), ("address", .null)])
            .adding("watchers", member: .string("eve")).inserting("notes", .string("x"), 5).counting("stock", 3)
        #expect(try reasons(stage.push(ann, mixed)) == [.notAllowed, .notAllowed, .notAllowed, .notAllowed])
        #expect(stage.value(task, "team") == .string("red") && stage.value(task, "price") == .double(1))
        let row = stage.store.row(task)!
        #expect(row.counters[RuleStage.number("stock")] == 3 && row.shownMembers[RuleStage.number("watchers")]?.count == 2)
        #expect(row.shownElements[RuleStage.number("notes")] ?? [] == [])
        // A batch that makes itself allowed, or not allowed, is asked about what was before.
        #expect(try stage.push(ann, SyncChange.of(task, [("done", .bool(true)), ("owner", .string("ben"))]).counting("stock", 1)).isEmpty)
        #expect(try reasons(stage.push(ann, .of(task, [("team", .string("blue"))]))) == [.notAllowed])
        #expect(try reasons(stage.push(ben, SyncChange.of(task, [("done", .bool(false))]).counting("stock", 1))) == [.notAllowed])
        #expect(try stage.push(ben, SyncChange.of(task).counting("stock", 1)).isEmpty)
        #expect(stage.store.row(task)!.counters[RuleStage.number("stock")] == 5)
    }

    @Test("a creation is allowed by what the batch makes of the object; properties that are not allowed are left out of it")
    func creations() throws {
        let stage = try RuleStage(Self.rights)
        let ann = try stage.enter("ann", 1)
        #expect(try reasons(stage.push(ann, .of(task, creates: true, [("owner", .string("ben"))]))) == [.notAllowed, .notAllowed])
        #expect(stage.store.row(task) == nil)
        #expect(try reasons(stage.push(ann, .of(task, creates: true))) == [.notAllowed])
        let blue = SyncChange.of(task, creates: true, [("owner", .string("ann")), ("team", .string("blue"))])
        #expect(try stage.push(ann, blue).count == 3)
        let made = SyncChange.of(task, creates: true, [("owner", .string("ann")), ("price", .double(7)), ("number", .int(1))])
            .adding("watchers", member: .string("ben")).inserting("notes", .string("x"), 1).counting("stock", 2)
        #expect(try reasons(stage.push(ann, made)) == [.notAllowed, .notAllowed, .notAllowed])
        let row = stage.store.row(task)!
        #expect(stage.value(task, "price")?.isNull == true && stage.value(task, "number") == .int(1))
        #expect(row.counters[RuleStage.number("stock")] == 2)
        #expect(row.shownMembers.isEmpty && row.shownElements[RuleStage.number("notes")] ?? [] == [])
        #expect(try reasons(stage.push(ann, .of(SyncObject(type: 2, key: .string("is")), creates: true))) == [.notAllowed])
        // An object whose creation is refused is no target of a followed link.
        let second = RuleStage.task("t2")
        let linking = SyncChange.of(second, creates: true, [("owner", .string("ann")), ("project", .link(RuleStage.project))])
        #expect(try reasons(stage.push(ann, linking, .of(RuleStage.project, creates: true))) == [.notAllowed, .notVisible])
        #expect(stage.value(second, "project")?.isNull == true && stage.store.row(RuleStage.project) == nil)
    }

    @Test("a deletion has a right of its own, else that of writing; one that is refused brings the object back")
    func deletions() throws {
        let stage = try RuleStage(Self.rights)
        let root = try stage.enter("root", 9, ["role": .string("admin")]), ann = try stage.enter("ann", 1)
        try stage.push(ann, .of(task, creates: true, [("owner", .string("ann"))]))
        let cursor = try stage.pull(ann).cursor
        #expect(try stage.push(ann, .deletion(of: task)).map(\.place) == [.deletion])
        #expect(try stage.pull(ann, since: cursor).rows.map(\.object) == [task])
        // Deleted and made anew: it is the one that is there.
        #expect(try reasons(stage.push(ann, .of(task, creates: true, deletes: true, [("team", .string("red"))]))) == [.notAllowed])
        #expect(stage.value(task, "team") == .string("red") && stage.value(task, "owner") == .string("ann"))
        try stage.push(ann, .of(task, [("owner", .string("root"))]))
        #expect(try stage.push(root, .deletion(of: task)).isEmpty && stage.store.row(task)?.isAlive == false)
        try stage.change(to: Self.mine + "rights { Task write where owner == $user }")
        let third = RuleStage.task("t3"), made = SyncChange.of(third, creates: true, [("owner", .string("ann"))])
        try stage.push(ann, made.adding("watchers", member: .string("root")))
        #expect(try reasons(stage.push(root, .deletion(of: third))) == [.notAllowed])
        #expect(try stage.push(ann, .deletion(of: third)).isEmpty)
    }

    @Test("a deleted object comes back only by a change that is allowed")
    func revivals() throws {
        let rights = "rights { Project write where title != 'locked'; Project create; Project delete }"
        let stage = try RuleStage("stream a { Project }\n\(rights)")
        let ann = try stage.enter("ann", 1), project = RuleStage.project
        for (title, isBack) in [("open", true), ("locked", false)] {
            try stage.push(ann, .of(project, creates: true, [("title", .string("open"))]))
            try stage.push(ann, .of(project, [("title", .string(title))]))
            let cursor = try stage.pull(ann, file: 50).cursor
            try stage.push(ann, .deletion(of: project))
            // A file that has not heard of it.
            let entry = SyncEntry(stamp: SyncStamp(milliseconds: 1_500_000), epoch: isBack ? 1 : 2)
            let register = SyncChange.Register(path: SyncPath(property: 0), entry: entry, value: .string("new"))
            let push = SyncPush(epoch: isBack ? 1 : 2, history: 1, cursor: cursor, seen: .none, names: RuleStage.schema.names,
                                replicas: [ReplicaIdentity(high: 7, low: 50)],
                                changes: [SyncChange(object: project, registers: [register])])
            _ = try stage.server.commit(push, by: ann, in: stage.server.begin(), now: 2_000_000)
            #expect(stage.store.row(project)?.isAlive == isBack, "\(title)")
            if isBack { try stage.push(ann, .deletion(of: project)) }
        }
    }

    @Test("who may not change an object does not join its creation")
    func joinedCreations() throws {
        let stage = try RuleStage("stream a { Project }\nrights { Project write where $user == 'ann'; Project create }")
        let ann = try stage.enter("ann", 1), ben = try stage.enter("ben", 2), project = RuleStage.project
        try stage.push(ann, .of(project, creates: true, [("title", .string("ann's"))]))
        let before = stage.store.row(project)!
        let refused = try stage.push(ben, .of(project, creates: true, [("title", .string("ben's"))]))
        #expect(reasons(refused) == [.notAllowed, .notAllowed] && refused.map(\.object) == [project, project])
        #expect(stage.store.row(project)!.births == before.births && stage.store.row(project)!.last == before.last)
        // Its owner's deletion stands: nothing has changed since.
        #expect(try stage.push(ann, .deletion(of: project)).isEmpty && stage.store.row(project)?.isAlive == false)
    }

    @Test("who had ceased to see an object before its deletion does not bring it back", arguments: [false, true])
    func withdrawnRevivals(ceases: Bool) throws {
        let stage = try RuleStage("stream a { Project where title != $user }")
        let ann = try stage.enter("ann", 1), ben = try stage.enter("ben", 2), project = RuleStage.project
        try stage.push(ann, .of(project, creates: true, [("title", .string("x"))]))
        let cursor = try stage.pull(ben, file: 60).cursor
        if ceases { try stage.push(ann, .of(project, [("title", .string("ben"))])) }
        try stage.push(ann, .deletion(of: project))
        let entry = SyncEntry(stamp: SyncStamp(milliseconds: 1_500_000), epoch: 1)
        let register = SyncChange.Register(path: SyncPath(property: 0), entry: entry, value: .string("new"))
        let push = SyncPush(epoch: 1, history: 1, cursor: cursor, seen: .none, names: RuleStage.schema.names,
                            replicas: [ReplicaIdentity(high: 7, low: 60)], changes: [SyncChange(object: project, registers: [register])])
        _ = try stage.server.commit(push, by: ben, in: stage.server.begin(), now: 2_000_000)
        #expect(stage.store.row(project)?.isAlive == !ceases)
    }
}
