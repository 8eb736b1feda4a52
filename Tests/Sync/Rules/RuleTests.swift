import Testing
@testable import FreeholdEngine
@testable import FreeholdMerge

/// Rules as text: what is read, what is refused, and what conditions mean.
@Suite("Rules of streams and rights")
struct RuleTests {
    @Test("a file with all there is is read")
    func everything() throws {
        let rules = try StreamRules("""
            -- who sees what
            stream mine {
                Task where owner == $user      -- its owner's
                       or $user in watchers
                    follow project, parts depth 1
                Project where title == "-- no comment" and (title != 'x'
                    or title == "}")
            }
            stream `all there is` { Country; Task where team == $claim.team }
            RIGHTS {
                Task write where owner == $user; Task create where owner == $user
                Task delete where $claim.role == "admin"
                Task.price read-only where $claim.role != "admin"
                Task.address write where FALSEPREDICATE
                Country read-only
            }
            """, RuleStage.schema)
        #expect(rules.streamNames == ["mine", "all there is"])
        #expect(rules.claims == Set(exact: ["team", "role"]))
        #expect(rules.unnamedClasses(of: RuleStage.schema).isEmpty)
        #expect(rules.entries.map(\.count) == [2, 1, 1])
        #expect(rules.further.isEmpty)
        #expect(rules.followed[0] == [RuleStage.number("project"), RuleStage.number("parts")])
        #expect(rules.rights[0]!.properties.map(\.property) == [RuleStage.number("price"), RuleStage.number("address")].sorted())
        #expect(try StreamRules(" \n-- nothing", RuleStage.schema).unnamedClasses(of: RuleStage.schema) == ["Task", "Project", "Country"])
    }

    @Test("links are followed to a depth, by the properties of the classes that are met")
    func depth() throws {
        let next = RuleStage.number("next"), project = RuleStage.number("project"), parts = RuleStage.number("parts")
        let rules = try StreamRules("""
            stream a { Task follow next, project depth 3 }
            stream b { Task follow parts depth 1; Project where TRUEPREDICATE }
            stream c { Task follow project depth 2 }
            """, RuleStage.schema)
        #expect(rules.entries[0].map(\.follows) == [[next, project], [parts], [project]])
        #expect(rules.entries[0].map(\.reach) == [SyncReach(follow: 0, left: 2), nil, SyncReach(follow: 1, left: 1)])
        #expect(rules.further.map(\.properties) == [[0: [next, project]], [0: [project]]])
        #expect(rules.followed[0] == [next, project, parts])
        let far = try StreamRules("stream a { Task follow project, home depth 2 }", RuleStage.schema)
        #expect(far.further.map(\.properties) == [[0: [project], 1: [RuleStage.number("home", of: 1)]]])
        #expect(far.followed == [[project], [RuleStage.number("home", of: 1)], []])
    }

    @Test("a class that is added changes nothing of what rules follow")
    func added() throws {
        let text = "stream a { A follow next, boss depth 3 }"
        let one = SyncSchema.Class("A", properties: [.init("next", type: .link, target: "B"), .init("boss", type: .link, target: "Boss")])
        let other = SyncSchema.Class("B", properties: [.init("boss", type: .link, target: "Boss")])
        let before = try StreamRules(text, SyncSchema(classes: [one, other]))
        let after = try StreamRules(text, SyncSchema(classes: [one, other, .init("Boss", properties: [.init("title", type: .string)])]))
        #expect(before.further.map(\.properties) == [[0: [0, 1], 1: [0]]])
        #expect(after.further.map(\.properties) == before.further.map(\.properties))
        #expect(after.followed.prefix(2) == before.followed[...])
    }

    @Test("fifty thousand line ends are passed once, wherever they are")
    func lineEnds() throws {
        let ends = String(repeating: "\n", count: 50_000)
        for text in ["stream a { Task where done\(ends)}", "stream a { Task where done and\(ends)done }",
                     "stream a { Task\(ends)where done }", "stream a { Task where (done\(ends)) ; \(ends)Country }",
                     "\(ends)stream\(ends)a\(ends){\(ends)Task }"] {
            #expect(try StreamRules(text, RuleStage.schema).streamNames == ["a"])
        }
        let many = (0..<100).map { "or owner == '\($0)'" }.joined(separator: "\n")
        #expect(try StreamRules("stream a { Task where done \(many)\n Country }", RuleStage.schema).entries.map(\.count) == [1, 0, 1])
    }

    @Test("a file may begin with the mark of its byte order")
    func byteOrder() throws {
        #expect(try StreamRules("\u{FEFF}stream a { Task }", RuleStage.schema).streamNames == ["a"])
    }

    static let mistakes: [(String, String)] = [
        ("x", "line 1, column 1: expected `stream`, `rights` or `classes`, found 'x'"),
        ("stream", "expected the name of a stream, found the end"),
        ("stream a Task", "line 1, column 10: expected { after `a`, found 'T'"),
        ("stream a { Task", "column 10: the block that begins here is not closed"),
        ("stream a { }", "column 8: the stream 'a' names no class"),
        ("stream a { Task }\nstream a { Task }", "line 2, column 8: there is another stream 'a'"),
        ("stream a {\n  Tsk }", "line 2, column 3: no synced class 'Tsk'; did you mean 'Task'?"),
        ("stream a { Task; Task where done }", "column 18: the stream 'a' names Task twice"),
        ("stream a { Task wher owner }", "expected `where`, `follow` or the end of the line"),
        ("stream a { Task, Country }", "expected `where`, `follow` or the end of the line, found ','"),
        ("stream a { Task where }", "expected a condition after `where`"),
        ("stream a { Task where 'x }", "column 23: what is quoted here is not closed"),
        ("stream a {\n Task where done and\n   ownr == $user }",
         "line 3, column 4: property 'ownr' not found in Task; did you mean 'owner'?"),
        ("stream a { Task where owner == }", "line 1, column 32: expected a property"),
        ("stream a { Task where owner == $usr }", "column 32: '$usr' stands for nothing"),
        ("stream a { Task where owner == $claim }", "'$claim' stands for nothing"),
        ("stream a { Task where owner == $claim_x }", "'$claim_x' stands for nothing"),
        ("stream a { Task where owner == $0 }", "'$0' stands for nothing"),
        ("stream a { Task where owner == %@ }", "argument 1, but 0 were given"),
        ("stream a { Task where owner == $claim.a.b }", "column 40"),
        ("stream a { Task where done SORT(owner) }", "no SORT, LIMIT"),
        ("stream a { Task where project.title == 'x' }", "follows a link; a rule may ask for the key `id`"),
        ("stream a { Task where project == $user }", "a link is compared with NULL only"),
        ("stream a { Task where watchers.@count > 1 }", "has a step that no rule can take"),
        ("stream a { Task where SUBQUERY(parts, $p, $p.title == 'x').@count > 0 }", "'$p' belongs to a SUBQUERY, which no rule can take"),
        ("stream a { Task where owner TEXT 'x' }", "TEXT is for queries in a file"),
        ("stream a { Task where @distance(price, stock, [1, 2]) < 3 }", "places are for queries in a file"),
        ("stream a { Task where price, stock GEOWITHIN geoCircle([1, 2], 3) }", "GEOWITHIN is for queries in a file"),
        ("stream a { Task where @links.Task.project.@count > 0 }", "a rule compares properties of the object"),
        ("stream a { Task where watchers == $user }", "has several values; put ANY"),
        ("stream a { Task where ANY owner == $user }", "ANY needs a collection"),
        ("stream a { Task where owner IN team }", "IN takes values in braces, a collection or a claim"),
        ("stream a { Task where price == $user }", "$user is a string, and never a value of type double"),
        ("stream a { Task where price == 'x' }", "a value of type string is never one of type double"),
        ("stream a { Task where owner == price }", "a value of type double is never one of type string"),
        ("stream a { Task where done < true }", "< needs an order"),
        ("stream a { Task where price LIKE 'x' }", "LIKE needs strings"),
        ("stream a { Task where owner + 1 == 2 }", "is not numeric"),
        ("stream a { Task follow owner }", "'owner' has no links to objects"),
        ("stream a { Task follow address }", "'address' has no links to objects"),
        ("stream a { Task follow nothing }", "property 'nothing' not found in Task"),
        ("stream a { Task follow project, project }", "'project' is named twice"),
        ("stream a { Task follow project depth 0 }", "column 32: links are followed 1 to 8 times"),
        ("stream a { Task follow next depth 9 }", "column 29: links are followed 1 to 8 times"),
        ("stream a { Task follow next depth far }", "column 29: links are followed 1 to 8 times"),
        ("stream a { Task follow next depth }", "expected the number of links"),
        ("stream a { Task follow next, owner depth 2 }", "'owner' has no links to objects"),
        ("stream a { Task follow project, titel depth 2 }", "property 'titel' not found in Task"),
        ("stream a { Task follow project, home }", "property 'home' not found in Task"),
        ("stream a { Task where id.x == 'a' }", "the primary key `id` has no parts"),
        ("stream a { Task where $claim.a.b == 1 }", "found '$claim.a'"),
        ("rights { Task }", "expected `write`, `create`, `delete` or `read-only`"),
        ("rights { Task change }", "expected `write`, `create`, `delete` or `read-only`, found 'change'"),
        ("rights { Task.address.city read-only }", "line 1, column 15: a right of a property is one of all that it embeds"),
        ("rights { Task.price delete }", "objects are created and deleted, and not properties"),
        ("rights { Task.prise read-only }", "property 'prise' not found in Task; did you mean 'price'?"),
        ("rights { Task.id read-only }", "property 'id' not found in Task"),
        ("rights { Task read-only\nTask write }", "line 2, column 1: this right of Task is declared before"),
        ("rights { Task.price read-only; Task.price write }", "this right of Task is declared before"),
        ("rights { Task write owner == $user }", "expected `where` or the end of the line"),
        ("classes { }", "column 1: the block `classes` says nothing"),
        ("classes { remove }", "expected `add`, found 'remove'"),
        ("classes { add $user }", "expected `where` or the end of the line"),
        ("classes { add where }", "expected a condition after `where`"),
        ("classes { add where owner == $user }", "property 'owner' not found in the user"),
        ("classes { add where id == $user }", "property 'id' not found in the user"),
        ("classes { add; add }", "column 16: `add` is declared before"),
        ("classes { add }\nclasses { add }", "line 2, column 1: there is another block `classes`"),
        ("rights { }\nrights { }", "line 2, column 1: there is another block `rights`"),
    ]

    @Test("a mistake is named with its place, and what to do", arguments: mistakes)
    func mistake(text: String, what: String) {
        do throws(FreeholdError) {
            _ = try StreamRules(text, RuleStage.schema)
            Issue.record("it is taken: \(text)")
        } catch {
            #expect(error.message.hasPrefix("rules, line ") && error.message.utf8.count > 12, "\(error.message)")
            #expect(error.message.split(separator: what).count > 1 || error.message.hasSuffix(what), "\(text): \(error.message)")
        }
    }

    @Test("who may add classes", arguments: [
        ("", "dev", false), ("classes { add }", nil, true), ("classes { add where $claim.role == 'dev' }", "dev", true),
        ("classes { add where $claim.role == 'dev' }", "user", false), ("classes { add where $claim.role == 'dev' }", nil, false),
        ("classes { add where $user in {'ann', 'ben'} }", nil, true),
        ("classes { add where $user == 'ben' or $user == 'cy' }", "dev", false),
    ] as [(String, String?, Bool)])
    func additions(text: String, role: String?, isAllowed: Bool) throws {
        let stage = try RuleStage("stream all { Task }\n\(text)")
        let ann = try stage.enter("ann", 1, role.map { ["role": .string($0)] } ?? [:])
        #expect(try stage.server.streams.allowsAdditions(by: ann) == isAllowed)
        #expect(try stage.server.streams.allowsAdditions(by: SyncUser(rawValue: 77)) == (text == "classes { add }"))
        #expect(OpenStreams().allowsAdditions(by: ann))
    }

    @Test("no text stops the reader: every beginning of a file, and files with characters left out or doubled")
    func anyText() throws {
        let text = Array("""
            stream mine { Task where owner == $user or $user in watchers follow project depth 1; Country } -- a
            rights { Task.price read-only where $claim.role != "ad\\"min" ; `Task` write where roles['a'] == 'b' }
            classes { add where $claim.role == "dev" or $user == 'ann' }
            """)
        for place in text.indices {
            for changed in [Array(text[..<place]), Array(text[..<place] + text[(place + 1)...]), Array(text[...place] + text[place...])] {
                do throws(FreeholdError) { _ = try StreamRules(String(changed), RuleStage.schema) } catch {
                    #expect(error.message.hasPrefix("rules, line "), "\(error.message)")
                }
            }
        }
    }

    // MARK: Conditions

    /// Conditions that Ann's task meets, and ones that it does not: claims are team "red", teams ["red", "blue"], level 3, admin false.
    static let conditions: [(String, Bool)] = [
        ("owner == $user", true), ("$user == owner", true), ("owner != $user", false), ("owner ==[c] 'ANN'", true),
        ("owner ==[c] $user", true),
        ("owner BEGINSWITH 'a'", true), ("owner LIKE 'a?n'", true), ("owner CONTAINS 'x'", false), ("owner IN {'ben', $user}", true),
        ("owner IN {'ben'}", false), ("team == $claim.team", true), ("team IN $claim.teams", true), ("team IN $claim.team", true),
        ("team == $claim.none", false), ("team != $claim.none", true), ("NOT team == $claim.none", true), ("team IN $claim.none", false),
        ("$claim.none == NULL", true), ("$claim.none != NULL", false), ("$claim.team != NULL", true), ("NULL == $claim.none", true),
        ("any == $claim.none", false), ("any == NULL", true), ("any != $claim.none", true), ("$claim.level >= 3", true),
        ("$claim.level > 3", false),
        ("$claim.level < 'x'", false), ("$claim.team == 3", false), ("$claim.team != 3", true), ("price == $claim.team", false),
        ("price != $claim.team", true), ("$claim.admin == false", true), ("price > 1 AND price < 2", true), ("price * 2 == 3", true),
        ("-price < 0", true), ("price BETWEEN {1, 2}", true), ("price BETWEEN {1, NULL}", false), ("$claim.level BETWEEN {1, 5}", true),
        ("stock == 5", true), ("done", true), ("done == 1", true), ("!done", false), ("due < 2030-01-01", true), ("due == NULL", false),
        ("$user IN watchers", false), ("'ben' IN watchers", true), ("ANY watchers == 'cy'", true), ("ALL watchers != 'ann'", true),
        ("NONE watchers == 'ben'", false), ("watchers CONTAINS 'ben'", true), ("ANY watchers IN {'x', 'cy'}", true),
        ("ANY notes BEGINSWITH 'n'", true), ("ANY notes[*] == 'n1'", true), ("roles['ann'] == 'writer'", true),
        ("roles[$user] == 'writer'", true),
        ("roles['ben'] == NULL", true), ("roles[$claim.none] == NULL", true), ("$user IN roles.@keys", true),
        ("ANY roles == 'writer'", true),
        ("ANY roles.@values == 'reader'", false), ("address.city == 'Rome'", true), ("address != NULL", true), ("project != NULL", true),
        ("project.id == 1", true), ("project.id == $claim.level", false), ("ANY parts.id == 2", true), ("3 IN parts.id", false),
        ("id == 't1'", true), ("id == $user", false), ("`odd name` == 7", true), ("odd\\ name == 7", true), ("TRUEPREDICATE", true),
        ("owner == 'ann' AND (team == 'blue' OR stock > 4)", true), ("owner == 'ann' AND team == 'blue' OR stock > 5", false),
        ("number == NULL", true), ("number != 4", true), ("number < 4", false), ("$user BEGINSWITH owner", true), ("'ann' == $user", true),
    ]

    private static func row() -> StoredRow {
        var row = StoredRow(transaction: 1, propertyCount: RuleStage.schema.classes[0].properties.count)
        let address = SyncIdentity(replica: 1, count: 1)
        func set(_ name: String, _ value: SyncValue, in instance: SyncIdentity = .none) {
            row.registers[Int(RuleStage.number(name))] = StoredRegister(value: value, stamp: SyncStamp(milliseconds: 1), instance: instance)
        }
        set("owner", .string("ann"))
        set("team", .string("red"))
        set("price", .double(1.5.bitPattern))
        set("project", .link(RuleStage.project))
        set("address", .embedded(address))
        set("address.city", .string("Rome"), in: address)
        set("done", .bool(true))
        set("due", .timestamp(1_000, 0))
        set("odd name", .int(7))
        row.counters[RuleStage.number("stock")] = 5
        var additions = TransactionsByReplica()
        additions[1] = 1
        for name in ["ben", "cy"] { row.members[StoredMember(property: RuleStage.number("watchers"), element: .string(name))] = additions }
        let part = SyncObject(type: 1, key: .int(2))
        row.members[StoredMember(property: RuleStage.number("parts"), element: .link(part))] = additions
        let written = StoredRegister(value: .string("writer"), stamp: SyncStamp(milliseconds: 1))
        row.entries[SyncPath(property: RuleStage.number("roles"), key: .string("ann"))] = written
        let gone = StoredRegister(value: .absent, stamp: SyncStamp(milliseconds: 1))
        row.entries[SyncPath(property: RuleStage.number("roles"), key: .string("cy"))] = gone
        var list = StoredList()
        let element = SyncIdentity(replica: 1, count: 2), note = StoredRegister(value: .string("n1"), stamp: SyncStamp(milliseconds: 1))
        list.tree.insert(element, left: .none, right: .none, isTree: true, prefersOwn: true)
        list.elements[element] = StoredElement(value: note, position: element, move: note.write)
        row.lists[RuleStage.number("notes")] = list
        return row
    }

    private static let ann = SyncPerson("ann", claims: [
        "team": .string("red"), "teams": .list([.string("red"), .string("blue")]), "level": .int(3), "admin": .bool(false),
    ])

    @Test("a condition means what it means in a query, with the user and the claims", arguments: conditions)
    func condition(text: String, isMet: Bool) throws {
        let rules = try StreamRules("stream a { Task where \(text) }", RuleStage.schema)
        let condition = rules.entries[0][0].condition
        let context = RuleContext(object: RuleStage.task("t1"), row: Self.row(), type: RuleStage.schema.classes[0], person: Self.ann)
        #expect(condition.holds(context) == isMet)
        // Where the row says the names of all who can meet it, hers is one if she does.
        let nobody = RuleContext(object: context.object, row: context.row, type: context.type, person: nil)
        if isMet, let names = condition.names(nobody) { #expect(names.contains(ExactText("ann"))) }
    }

    @Test("conditions on a user's name are looked up by name, all others asked of each user", arguments: [
        ("owner == $user", ["ann"]), ("$user IN watchers", ["ben", "cy"]), ("ANY watchers == $user", ["ben", "cy"]),
        ("owner == $user OR $user IN watchers", ["ann", "ben", "cy"]), ("owner == $user AND $claim.level > 2", ["ann"]),
        ("owner == $user OR $claim.level > 2", nil), ("NOT owner == $user", nil), ("ALL watchers == $user", nil),
        ("owner ==[c] $user", nil),
        ("$user IN {'x', owner}", ["ann", "x"]), ("owner IN {$user, 'x'}", nil), ("roles[$user] == 'writer'", nil),
        ("roles[$claim.team] == $user", nil), ("NONE watchers == $user", nil), ("FALSEPREDICATE AND owner == $user", []),
        ("$user IN roles.@keys", ["ann"]), ("owner != $user", nil), ("id == $user", ["t1"]),
    ] as [(String, [String]?)])
    func names(text: String, expected: [String]?) throws {
        let rules = try StreamRules("stream a { Task where \(text) }", RuleStage.schema)
        let nobody = RuleContext(object: RuleStage.task("t1"), row: Self.row(), type: RuleStage.schema.classes[0], person: nil)
        #expect(rules.entries[0][0].condition.names(nobody)?.map(\.text).sorted() == expected)
    }
}
