import TestKit
import Testing
@testable import FreeholdEngine
@testable import FreeholdMerge

/// Random batches, claims and rules: what files have is compared with who sees what, found anew from all rows each time.
@Suite("Histories of rules")
struct RuleHistoryTests {
    /// Rules with the same as Swift: who sees a task, and whether its project is followed.
    private struct Variant: Sendable {
        let text: String
        let sees: @Sendable (Facts, Person) -> Bool
        let follows: Bool
        let projects: Bool
        /// Whether the project of a blue task is followed, and of others not.
        var followsBlue = false
        /// How many links are followed, one after the other, by the next task and by the others.
        var next = 0, others = 0
        var rights = ""
        var mayWrite: @Sendable (Facts, Person) -> Bool = { _, _ in true }
    }

    fileprivate struct Person {
        var name: String
        var team: String?
        var level: Int64?
    }

    fileprivate struct Facts: Equatable {
        var owner: String?
        var team: String?
        var watchers: Set<String> = []
        var project: Int64?
        var next: SyncObject?
        var others: Set<SyncObject> = []
        var stock: Int64 = 0
    }

    private static let variants: [Variant] = [
        Variant(text: "stream a { Task where owner == $user OR $user IN watchers follow project }",
                sees: { $0.owner == $1.name || $0.watchers.contains($1.name) }, follows: true, projects: false,
                rights: "rights { Task write where owner == $user; Task create }", mayWrite: { $0.owner == $1.name }),
        Variant(text: "stream a { Task where team == $claim.team follow project }\nstream b { Project where FALSEPREDICATE }",
                sees: { $1.team != nil && $0.team == $1.team }, follows: true, projects: false),
        Variant(text: "stream a { Task where team == 'red' or stock > $claim.level }\nstream b { Project }",
                sees: { $0.team == "red" || $1.level != nil && $0.stock > $1.level! }, follows: false, projects: true,
                rights: "rights { Task write where stock < 3 OR $claim.level == 1; Task create }",
                mayWrite: { $0.stock < 3 || $1.level == 1 }),
        Variant(text: "stream a { Task where team == 'blue' follow project }\nstream b { Task where NOT owner == $user }",
                sees: { $0.team == "blue" || $0.owner != $1.name }, follows: false, projects: false, followsBlue: true),
        Variant(text: "stream a { Task where owner == $user follow next depth 3 }",
                sees: { $0.owner == $1.name }, follows: false, projects: false, next: 3),
        Variant(text: "stream a { Task where team == 'red' OR owner == $user follow project, others, next depth 2 }",
                sees: { $0.team == "red" || $0.owner == $1.name }, follows: true, projects: false, next: 2, others: 2,
                rights: "rights { Task write where owner == $user OR team == 'red'; Task create }",
                mayWrite: { $0.owner == $1.name || $0.team == "red" }),
        Variant(text: "stream a { Task where team == $claim.team follow others depth 8 }\nstream b { Task where stock > 2 follow project }",
                sees: { $1.team != nil && $0.team == $1.team || $0.stock > 2 }, follows: false, projects: false, next: 0, others: 8),
    ]

    fileprivate final class File {
        let number: UInt64
        let user: SyncUser
        var cursor = SyncCursor.never
        var objects: Set<SyncObject> = []

        init(_ number: UInt64, _ user: SyncUser) { (self.number, self.user) = (number, user) }

        func apply(_ answer: SyncAnswer) {
            if answer.isReset { objects = [] }
            for gone in answer.gone { objects.remove(gone.object) }
            objects.formUnion(answer.rows.map(\.object))
            cursor = answer.cursor
        }
    }

    @Test("files have what their users see, whatever changes that", arguments: TestScale.seeds(40, full: 2_000))
    func history(seed: UInt64) throws {
        if let violation = try Self.run(seed, []) { Issue.record("seed \(seed): \(violation)") }
    }

    @Test("a server that leaves a rule out is caught", arguments: [MergeShortcuts.ignoresRights, .showsWhatIsLinked, .keepsLeavings])
    func shortcuts(shortcut: MergeShortcuts) throws {
        #expect(try (1...200).contains { try Self.run($0, shortcut) != nil })
    }

    private static func run(_ seed: UInt64, _ shortcuts: MergeShortcuts) throws -> String? {
        var random = SeededRandom(seed: seed), variant = variants[random.below(variants.count)]
        let stage = try RuleStage(variant.text + variant.rights)
        stage.server.shortcuts = shortcuts
        var people: [Person] = [], files: [File] = []
        func enter() throws {
            people.append(Person(name: ["ann", "ben", "cy", "dan"][people.count]))
            let user = try stage.enter(people.last!.name, Int64(people.count))
            files += [File(UInt64(files.count + 1), user), File(UInt64(files.count + 2), user)]
        }
        try enter()
        for _ in 0..<60 {
            switch random.below(12) {
            case 0 where people.count < 4: try enter()
            case 1:
                let place = random.below(people.count)
                people[place].team = [nil, "red", "blue"][random.below(3)]
                people[place].level = [nil, 1, 2][random.below(3)]
                var claims = TextMap<Value>()
                if let team = people[place].team { claims["team"] = .string(team) }
                if let level = people[place].level { claims["level"] = .int(level) }
                try stage.enter(people[place].name, Int64(place + 1), claims)
            case 2 where random.oneIn(3):
                variant = variants[random.below(variants.count)]
                try stage.change(to: variant.text + variant.rights)
            case 3...5:
                let file = files[random.below(files.count)]
                file.apply(try stage.pull(file.user, file: file.number, since: file.cursor))
                if let wrong = compare(file, stage, variant, people) { return wrong }
            default:
                if let wrong = try push(files[random.below(files.count)], stage, variant, people, &random) { return wrong }
            }
        }
        for file in files {
            file.apply(try stage.pull(file.user, file: file.number, since: file.cursor))
            if let wrong = compare(file, stage, variant, people) { return wrong }
        }
        return nil
    }

    // MARK: Who sees what

    private static func tasks(_ stage: RuleStage) -> [SyncObject: Facts] {
        var found: [SyncObject: Facts] = [:]
        for key in 0..<5 {
            let object = RuleStage.task("t\(key)")
            guard let row = stage.store.row(object), row.isAlive else { continue }
            var facts = Facts()
            if case .string(let owner) = row.value(of: RuleStage.number("owner")) { facts.owner = owner }
            if case .string(let team) = row.value(of: RuleStage.number("team")) { facts.team = team }
            if case .link(let target) = row.value(of: RuleStage.number("project")), case .int(let key) = target.key { facts.project = key }
            for member in row.shownMembers[RuleStage.number("watchers")] ?? [] {
                if case .string(let name) = member { facts.watchers.insert(name) }
            }
            if case .link(let target) = row.value(of: RuleStage.number("next")) { facts.next = target }
            for member in row.shownMembers[RuleStage.number("others")] ?? [] {
                if case .link(let target) = member { facts.others.insert(target) }
            }
            facts.stock = row.counters[RuleStage.number("stock")] ?? 0
            found[object] = facts
        }
        return found
    }

    private static func seen(_ stage: RuleStage, _ variant: Variant, _ person: Person) -> Set<SyncObject> {
        let living = Set((0..<4).map { SyncObject(type: 1, key: .int($0)) }.filter { stage.store.row($0)?.isAlive == true })
        let all = tasks(stage), own = Set(all.filter { variant.sees($0.value, person) }.keys)
        var found = (variant.projects ? living : []).union(own), met = own
        // Of the last rules, only the second stream follows projects, and only from its own tasks.
        let isLast = variant.others == 8
        for step in 0..<max(1, variant.next, variant.others) {
            var next: Set<SyncObject> = []
            for facts in met.compactMap({ all[$0] }) {
                if isLast, step == 0, !(person.team != nil && facts.team == person.team) { continue }
                if step < variant.next, let one = facts.next { next.insert(one) }
                if step < variant.others { next.formUnion(facts.others) }
                let follows = variant.follows || variant.followsBlue && facts.team == "blue"
                guard follows, step == 0 || step < variant.next, let project = facts.project else { continue }
                next.insert(SyncObject(type: 1, key: .int(project)))
            }
            met = next.filter { all[$0] != nil || living.contains($0) }
            found.formUnion(met)
        }
        if isLast {
            for facts in own.compactMap({ all[$0] }) where facts.stock > 2 {
                if let project = facts.project { found.insert(SyncObject(type: 1, key: .int(project))) }
            }
            found = found.filter { all[$0] != nil || living.contains($0) }
        }
        return found
    }

    private static func compare(_ file: File, _ stage: RuleStage, _ variant: Variant, _ people: [Person]) -> String? {
        let expected = seen(stage, variant, people[Int(file.user.rawValue) - 1])
        if file.objects == expected { return nil }
        return "file \(file.number) of user \(file.user.rawValue) has \(file.objects), and should have \(expected)"
    }

    // MARK: Batches

    /// A batch of one or two objects; what becomes of the tasks is compared with what the rights say.
    private static func push(_ file: File, _ stage: RuleStage, _ variant: Variant, _ people: [Person], _ random: inout SeededRandom)
        throws -> String?
    {
        let person = people[Int(file.user.rawValue) - 1], before = tasks(stage), visible = seen(stage, variant, person)
        let task = RuleStage.task("t\(random.below(5))"), project = SyncObject(type: 1, key: .int(Int64(random.below(4))))
        var change = SyncChange.of(task, creates: before[task] == nil, deletes: before[task] != nil && random.oneIn(8))
        let names = ["ann", "ben", "cy", "dan"]
        if change.deleted == nil {
            var values: [(String, SyncValue)] = []
            if random.oneIn(2) || change.created != nil { values.append(("owner", .string(names[random.below(4)]))) }
            if random.oneIn(2) { values.append(("team", .string(["red", "blue", "green"][random.below(3)]))) }
            if random.oneIn(3) { values.append(("project", random.oneIn(4) ? .null : .link(project))) }
            if random.oneIn(3) { values.append(("next", random.oneIn(4) ? .null : .link(RuleStage.task("t\(random.below(5))")))) }
            change.registers = SyncChange.of(task, values).registers
            if random.oneIn(3) {
                change = change.adding("others", member: .link(RuleStage.task("t\(random.below(5))")), random.oneIn(2))
            }
            if random.oneIn(3) { change = change.adding("watchers", member: .string(names[random.below(4)]), random.oneIn(2)) }
            if random.oneIn(3) { change = change.counting("stock", Int64(random.below(4)) - 1) }
        }
        var changes = [change]
        let isThere = stage.store.row(project)?.isAlive == true, isNew = !isThere && random.oneIn(2)
        if isNew { changes.append(.of(project, creates: true, [("title", .string("p"))])) }
        if isThere, random.oneIn(10) { changes.append(.deletion(of: project)) }
        let rejections = try stage.push(file.user, file: file.number, changes), after = tasks(stage)
        guard let was = before[task] else { return nil }
        let may = visible.contains(task) && variant.mayWrite(was, person)
        if !may, after[task] != was { return "\(person.name) has changed \(task), which was \(was), to \(String(describing: after[task]))" }
        let linked = change.registers.contains { if case .link = $0.value { true } else { false } }
        let linksTasks = change.members.contains { if case .link = $0.element { true } else { false } }
        if may, !linked, !linksTasks, rejections.contains(where: { $0.object == task }) {
            return "a change of \(person.name) of \(task) is refused"
        }
        if may, let to = after[task]?.next, to != was.next, variant.next > 0, !visible.contains(to) {
            return "\(person.name) links to \(to), which is not seen"
        }
        if may, let to = after[task]?.others.subtracting(was.others).first(where: { !visible.contains($0) }), variant.others > 0 {
            return "\(person.name) adds a link to \(to), which is not seen"
        }
        // Who may write may link by a followed property to what the user sees, or creates.
        let isKnown = visible.contains(project) || isNew
        if may, let to = after[task]?.project, to != was.project, variant.follows || variant.followsBlue, !isKnown {
            return "\(person.name) links \(task), which was \(was), to \(project), which is not seen: \(variant.text)"
        }
        return nil
    }
}
