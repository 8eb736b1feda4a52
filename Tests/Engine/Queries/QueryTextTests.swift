@testable import FreeholdEngine
import TestKit
import Testing

/// Reading and writing the text of queries.
@Suite struct QueryTextTests {
    @Test(arguments: [
        ("", "TRUEPREDICATE"), ("age>5", "age > 5"), ("age = 5 and not name == nil", "age == 5 AND NOT (name == NULL)"),
        ("a<>1||b=<2&&c=>3", "a != 1 OR (b <= 2 AND c >= 3)"), ("(a == 1 OR b == 2) AND c == 3", "(a == 1 OR b == 2) AND c == 3"),
        ("active", "active == true"), ("!active", "NOT (active == true)"), ("NOT NOT a", "NOT (NOT (a == true))"), ("TRUE", "TRUEPREDICATE"),
        ("falsepredicate or YES", "FALSEPREDICATE OR TRUEPREDICATE"), ("(a + 1) * 2 > -b", "(a + 1) * 2 > -(b)"), ("a - 1 - 2 == 0", "(a - 1) - 2 == 0"),
        ("a == -9223372036854775808", "a == -9223372036854775808"), ("a > 1.5e3", "a > 1500.0"), ("a > .5", "a > 0.5"), ("a == 0.1", "a == 0.1"),
        ("a == 0.12345678901234567890123", "a == decimal(\"0.12345678901234567890123\")"), ("x IN {1, 'a', nil}", "x IN {1, \"a\", NULL}"), ("x IN {}", "x IN {}"),
        ("x between {1,2}", "x BETWEEN {1, 2}"), ("name beginswith[c] 'a'", "name BEGINSWITH[c] \"a\""), ("name like[dc] 'a*'", "name LIKE[cd] \"a*\""),
        ("ANY dogs.age > 3", "ANY dogs.age > 3"), ("any == 5 and any like 'x'", "`any` == 5 AND `any` LIKE \"x\""), ("any.@size > 1 or all", "`any`.@size > 1 OR `all` == true"), ("SOME tags == 'x'", "ANY tags == \"x\""), ("none dogs.name == nil", "NONE dogs.name == NULL"),
        ("ALL dogs.age > 3", "ALL dogs.age > 3"), ("dogs.@count > 1", "dogs.@count > 1"), ("dogs.@avg.age > 1", "dogs.@avg.age > 1"), ("list.@average > 1", "list.@avg > 1"),
        ("SUBQUERY(dogs, $d, $d.age > 1 AND name == 'a').@count > 0", "SUBQUERY(dogs, $d, $d.age > 1 AND name == \"a\").@count > 0"),
        ("map['k'] == 1", "map[\"k\"] == 1"), ("list[0] == 1", "list[0] == 1"), ("list[FIRST] == 1", "list[FIRST] == 1"), ("list[last].a == 1", "list[LAST].a == 1"),
        ("ANY any[*] == 1", "ANY `any`[*] == 1"), ("ANY #any[*][#any] == 1", "ANY `any`[*][*] == 1"), ("`two words` == 1", "`two words` == 1"), ("#sort == 1", "`sort` == 1"),
        ("@links.Person.dogs.@count == 0", "@links.Person.dogs.@count == 0"), ("a.@links.P.d.name == 'x'", "a.@links.P.d.name == \"x\""), ("SELF == object(5)", "SELF == object(5)"),
        ("self.name == object(2, 5)", "name == object(2, 5)"), ("ANY map.@keys == 'k'", "ANY map.@keys == \"k\""), ("ANY map.@allValues == 'k'", "ANY map.@values == \"k\""),
        ("name.@size > 3 and list[SIZE] > 1", "name.@size > 3 AND list[SIZE] > 1"), ("x.@type == 'string'", "x.@type == \"string\""),
        ("d > 2024-05-01", "d > date(1714521600)"), ("d > 2024-05-01@09:30:00:5", "d > date(1714555800, 5)"), ("d > T-5:7", "d > date(-5, 7)"), ("T5 == 1", "`T5` == 1"),
        ("d > 2024-05-01T09:30:00.25Z", "d > date(1714555800, 250000000)"), ("d > 2024-05-01T09:30:00+02:00 AND a == 1", "d > date(1714548600) AND a == 1"),
        ("d IN {2024-05-01T09:30, 2024-05-02}", "d IN {date(1714555800), date(1714608000)}"), ("`odd#name` == 1", "`odd#name` == 1"),
        ("d == date('1969-12-31T23:59:59.5Z')", "d == date(-1, 500000000)"), ("d == date('2024-05-01 09:30+02:00')", "d == date(1714548600)"), ("d == date(3, 4)", "d == date(3, 4)"),
        ("u == uuid(00000000-0000-0002-0000-00000000000a)", "u == uuid(\"00000000-0000-0002-0000-00000000000a\")"), ("o == oid('000000000000000000000001')", "o == oid(\"000000000000000000000001\")"),
        ("d == base64('AQID')", "d == data(\"010203\")"), ("d == data('00ff')", "d == data(\"00ff\")"), ("p == decimal(1.50)", "p == decimal(\"1.50\")"), ("f == float(0.1)", "f == float(0.1)"),
        ("a == infinity or a == -inf or a == nan", "a == infinity OR a == -infinity OR a == nan"), ("a == 'it\\'s \"x\"\\n\\u{e9}'", "a == \"it's \\\"x\\\"\\né\""),
        ("age > 1 SORT(age desc, b.c) DISTINCT(x) LIMIT(3) OFFSET(1)", "age > 1 SORT(age DESC, b.c ASC) DISTINCT(x) LIMIT(3) OFFSET(1)"), ("sort(a) sort(b DESC)", "SORT(a ASC) SORT(b DESC)"),
        ("SORT(name collate 'de' desc, a.b COLLATE \"en-u-kn\")", "SORT(name DESC COLLATE \"de\", a.b ASC COLLATE \"en-u-kn\")"),
        ("SORT(collate COLLATE 'x\\'y\"', desc DESC COLLATE '')", "SORT(collate ASC COLLATE \"x'y\\\"\", `desc` DESC COLLATE \"\")"),
        ("GROUP(city) SELECT(@count, age.@avg) LIMIT(2)", "GROUP(city) SELECT(@count, age.@avg) LIMIT(2)"), ("GROUP() SELECT(age.@max)", "GROUP() SELECT(age.@max)"),
        ("d > -0044-03-15T00:00:00Z", "d > date(-63549360000)"), ("d > -0044-03-15", "d > date(-63549360000)"), ("d > date('-0044-03-15')", "d > date(-63549360000)"),
        ("d < +12345-02-03T04:05:06.5Z AND a", "d < date(327406248306, 500000000) AND a == true"), ("d > -292277022657-01-27T08:29:52Z", "d > date(-9223372036854775808)"),
        ("a -12345-10-20 == b", "((a - 12345) - 10) - 20 == b"), ("a == -12345-10-20", "a == (-12345 - 10) - 20"), ("d == +2024-05-01", "d == date(1714521600)"),
        ("a == 0x1F or b == -0x10", "a == 31 OR b == -16"), ("a == 5. and b == 5.e2", "a == 5.0 AND b == 500.0"), ("(a + 5.) > .5f", "a + 5.0 > float(0.5)"), ("a == 2f", "a == float(2.0)"),
        ("name\\ x == 1", "`name x` == 1"), ("d.in\\ \\tb > 1", "d.`in \tb` > 1".replacing("\t", with: "\\t")), ("d == B64\"AQID\"", "d == data(\"010203\")"), ("B64 == 1", "B64 == 1"),
        ("@links.@count > 1", "@links.@count > 1"), ("dog.@links.@size == 0", "dog.@links.@count == 0"),
        ("any {1, 2} == age", "age IN {1, 2}"), ("NONE {1} = age", "NOT (age IN {1})"), ("ALL {1, 2} == age", "1 == age AND 2 == age"), ("ANY {1, 2} < age OR b", "(1 < age OR 2 < age) OR b == true"),
        ("SOME {1} < age", "1 < age"), ("NONE {1, 2} < age", "NOT (1 < age OR 2 < age)"), ("ALL {} < age", "TRUEPREDICATE"), ("ANY {} < age", "FALSEPREDICATE"), ("NONE {} < age", "TRUEPREDICATE"), ("NONE {} == age", "NOT (age IN {})"),
        ("age == any {1, 2}", "age IN {1, 2}"), ("age IN ALL {1, 2}", "age == 1 AND age == 2"), ("age IN none {1, 2}", "NOT (age IN {1, 2})"), ("name LIKE[c] ANY {'a*', 'b'}", "name LIKE[c] \"a*\" OR name LIKE[c] \"b\""),
        ("ALL tags == ANY {'a'}", "ALL tags IN {\"a\"}"), ("age < ANY numbers", "ANY numbers > age"), ("age IN NONE numbers", "NONE numbers == age"), ("x == any SORT(x)", "x == `any` SORT(x ASC)"), ("x == all and y", "x == `all` AND y == true"),
        ("limit == 3 LIMIT(2)", "`limit` == 3 LIMIT(2)"), ("'a' IN tags", "\"a\" IN tags"), ("{1} == x", "{1} == x"),
        ("name text 'tea'", "name TEXT \"tea\""), ("a, b.c TEXT '\"x y\" -z' and d", "a, b.c TEXT \"\\\"x y\\\" -z\" AND d == true"),
        ("text TEXT 'x'", "`text` TEXT \"x\""), ("text == 1", "`text` == 1"),
    ] as [(String, String)])
    func aTextHasACanonicalForm(text: String, canonical: String) throws {
        let query = try ObjectQuery(text)
        #expect(query.description == canonical.replacing("[SIZE]", with: ".@size"))
        // What is no number is not equal to itself.
        #expect(try ObjectQuery(query.description) == query || text.contains("nan"))
    }

    @Test(arguments: [
        ("age >", "column 6: expected a property, a value, %@ or '(', found the end"), ("age > 5 5", "column 9: expected AND, OR, SORT(…)"), ("(age > 5", "column 9: expected ')'"),
        ("age > 5)", "column 8: expected AND"), ("age", nil), ("age +", "column 6"), ("age & 5", "column 5: unexpected '&'"), ("name == 'abc", "column 9: the string that begins here is not closed"),
        ("name MATCHES 'a'", "MATCHES is not supported"),
        ("a, b == 1", "column 6: several properties are for TEXT and GEOWITHIN only"),
        ("a, 5 TEXT 'x'", "column 4: expected a property"),
        ("ANY a TEXT 'x'", "ANY is not for TEXT"), ("a TEXT[c] 'x'", "TEXT has no options"), ("a TEXT", "expected a property, a value"), ("a == %@", "uses argument 1, but 0 were given"), ("a == $3", "uses argument $3"), ("a == $x", "no argument named 'x'"),
        ("a == %q", "'%q' is not a placeholder"), ("age BETWEEN[c] {1,2}", "[c] is for"), ("a == uuid('x')", "invalid uuid value"), ("a == foo(1)", "unknown type 'foo'"), ("a == 5x", "'5x' is neither"),
        ("a.@foo == 1", "unknown '@foo'"), ("@links.X == 1", "expected '.' and the property that links"), ("a[b] == 1", "an element is selected by a position"), ("SORT(a", "expected ')' that closes SORT"),
        ("SORT(a COLLATE de)", "column 16: COLLATE takes a language tag in quotes"), ("SORT(a COLLATE)", "column 15: expected"),
        ("SORT(a COLLATE 'de' COLLATE 'de')", "expected ')' that closes SORT"), ("SORT(a COLLATE 5)", "COLLATE takes a language tag"),
        ("LIMIT(-1)", "LIMIT takes a whole number"), ("LIMIT('x')", "LIMIT takes a whole number"), ("GROUP(a)", "expected SELECT(…)"), ("GROUP(a) SELECT(b)", "ends with @count"),
        ("GROUP(a) SELECT(@sum)", "must follow a property"), ("GROUP(a) SELECT(@count) SORT(a)", "only LIMIT(…) and OFFSET(…)"), ("(a == 1) == 2", "condition in parentheses cannot be compared"),
        ("(a == 1) + 2 == 3", "'+' is for numbers"), ("x IN {1, 2", "expected ',' or '}'"), ("SUBQUERY(a, b, c == 1).@count > 0", "expected a variable"), ("SUBQUERY(a, $b, $b.c == 1) > 0", "'.@count' after SUBQUERY"),
        ("d == 2024-13-01", "invalid date"), ("d == 2024-02-30", "invalid date"),
        ("d == 2024-05-01T25:00", "invalid date"), ("d == 2024-05-01T10:00+9", "invalid date"), ("a == date('x')", "invalid date value"), ("ANY dogs", "expected a comparison"), ("a == 'x' 'y'", "expected AND"), ("a == \\", "unexpected '"),
        ("age IN (1, 2)", "IN takes values in braces, as in age IN {1, 2}"), ("age > 1 LIMIT 1", "LIMIT 10 is written LIMIT(10)"),
        ("age > 1 ORDER BY name", "written SORT(name DESC)"), ("age IS NULL", "IS NULL is written == nil"), ("a == 1 GROUP BY a", "written GROUP(city)"),
        ("LIMIT 1", "LIMIT 10 is written LIMIT(10)"), ("OFFSET $0", "OFFSET 10 OFFSET(10)"), ("ORDER BY name", "written SORT(name DESC)"), ("SORT BY name", "SORT BY name is written SORT(name)"),
        ("GROUP BY name", "written GROUP(city)"), ("DISTINCT name", "written DISTINCT(name)"), ("a == 1 SORT BY b", "SORT BY name is written SORT(name)"), ("WHERE age > 3", "WHERE age > 3 is written age > 3"),
        ("WHERE (age > 3)", "WHERE age > 3 is written age > 3"), ("where not a == 1", "WHERE age > 3 is written age > 3"), ("SELECT * FROM Person", "is written age > 3"), ("select name, age from Person", "is written age > 3"),
        ("SELECT COUNT(*) FROM Person", "is written age > 3"), ("age NOT IN (1, 2)", "written NOT age IN {1, 2}"), ("(name NOT LIKE 'x')", "written NOT name LIKE 'x'"), ("ANY tags NOT CONTAINS 'x'", "written NOT name CONTAINS 'x'"),
        ("age NOT BETWEEN 1 AND 5", "written NOT age BETWEEN {1, 5}"), ("age BETWEEN 1 AND 5", "column 13: BETWEEN takes two values in braces, as in age BETWEEN {1, 5}"), ("age BETWEEN (1, 5)", "in braces, as in age BETWEEN {1, 5}"),
        ("BETWEEN 1 AND 5", "as in age BETWEEN {1, 5}"), ("(a == 1 LIMIT 3)", "LIMIT 10 is written LIMIT(10)"), ("a IN {1} WHERE b == 2", "WHERE age > 3 is written age > 3"),
        ("a == 0x", "'0x' is neither a number nor a name"), ("a == 0x10000000000000000", "too large for 64 bits"), ("a == B64\"A\"", "invalid base64"), ("d == -2024-13-01", "invalid date"),
        ("d > +999999999999-01-01T00:00:00Z", "invalid date"),
        ("ALL tags == NONE {'a'}", "on one side only"), ("ANY {1} == ANY {1}", "on one side only"), ("ANY tags == ANY other", "on one side only"), ("name BEGINSWITH ANY tags", "BEGINSWITH allows ANY on its left only"),
        ("a == ANY (5)", "ANY must be followed by a collection or values in braces"), ("@links == 1", "expected '.' and the class that links"),
        ("#", "unexpected '"), ("$", "'$' must be followed by"), ("a == '\\u{110000}'", "character code"),
    ] as [(String, String?)])
    func aMistakeIsToldWithItsPlace(text: String, message: String?) {
        do {
            let query = try ObjectQuery(text)
            #expect(message == nil, "\(query)")
        } catch {
            #expect(error.code == .malformedInput)
            #expect(message.map { error.message.contains($0) } ?? false, "\(error.message)")
        }
    }

    /// What begins like SQL and is a property, or is wrong for another reason, has no hint.
    @Test(arguments: ["limit == 3 4", "where IN {1} 5", "order == 1 (", "select AND b (", "distinct NOT IN {1}", "SORT(a LIMIT(3))", "age > LIMIT(3)"])
    func aHintIsForSQLOnly(text: String) {
        let error = #expect(throws: FreeholdError.self) { try ObjectQuery(text) }
        let isNegated = text.contains("NOT IN")
        #expect(error.map { $0.message.contains("is written") == isNegated && !$0.message.contains("DISTINCT name") } == true, "\(error?.message ?? "")")
    }

    @Test func quantifiersTakeListsAsArguments() throws {
        let list = Value.list([.int(1), .int(2)])
        #expect(try ObjectQuery("ANY %@ == age", [list]).description == "age IN {1, 2}")
        #expect(try ObjectQuery("age == NONE $0", [list]).description == "NOT (age IN {1, 2})")
        #expect(try ObjectQuery("ALL $some < age", named: ["some": list]).description == "1 < age AND 2 < age")
        #expect(throws: FreeholdError.self) { try ObjectQuery("age == ANY %@", [.int(1)]) }
    }

    @Test func argumentsBecomeValues() throws {
        let query = try ObjectQuery("%K > %@ AND name IN %@ AND age < $1", [.string("owner.age"), .int(5), .list([.string("a"), .null])])
        #expect(query.description == "owner.age > 5 AND name IN {\"a\", NULL} AND age < 5")
        #expect(try ObjectQuery("$K0 == $1 AND b == $1", [.string("a"), .int(1)]).description == "a == 1 AND b == 1")
        #expect(try ObjectQuery("a == $low AND b > $low", named: ["low": .int(3)]).description == "a == 3 AND b > 3")
        #expect(try ObjectQuery("name == %@", [.string("x' OR 1 == 1")]).description == "name == \"x' OR 1 == 1\"")
        #expect(try ObjectQuery("SORT(%K DESC COLLATE %@)", [.string("a.b"), .string("de")]).description == "SORT(a.b DESC COLLATE \"de\")")
        for (text, arguments, named) in [
            ("map[%@] == 1", [Value.string("k")], [:]), ("map[$0] == 1", [.string("k")], [:]),
            ("map[$key] == 1", [], ["key": .string("k")]),
        ] as [(String, [Value], TextMap<Value>)] {
            #expect(try ObjectQuery(text, arguments, named: named).description == "map[\"k\"] == 1")
        }
        #expect(try ObjectQuery("list[$place].a == 1", named: ["place": .int(3)]).description == "list[3].a == 1")
        #expect(throws: FreeholdError.self) { try ObjectQuery("map[$key] == 1", named: ["key": .double(1)]) }
        #expect(throws: FreeholdError.self) { try ObjectQuery("a == %@", [.int(1), .int(2)]) }
        #expect(throws: FreeholdError.self) { try ObjectQuery("a == 1", named: ["x": .int(1)]) }
        #expect(throws: FreeholdError.self) { try ObjectQuery("%K == 1", [.string("a ==")]) }
    }

    @Test func nestingIsBounded() {
        for text in [String(repeating: "(", count: 10_000) + "a == 1", String(repeating: "NOT ", count: 10_000) + "a", "a == " + String(repeating: "-", count: 10_000) + "1",
                     String(repeating: "SUBQUERY(a, $x, ", count: 500)] {
            #expect(throws: FreeholdError.self) { try ObjectQuery(text) }
        }
        #expect(throws: Never.self) { try ObjectQuery((0..<5000).map { "a == \($0)" }.joined(separator: " OR ")) }
    }

    /// Whatever is read, reading ends, and what is accepted reads back as the same query.
    @Test(arguments: TestScale.seeds(2000))
    func randomTextsAreReadOrRefused(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let words = ["a", "dogs", ".", "@count", "(", ")", "[", "]", "{", "}", "==", "!=", "<", "IN", "BETWEEN", "LIKE", "AND", "OR", "NOT", "ANY", "'x'", "\"", "5", "1.5", "-", "+", "*", "%@", "$x",
                     "SUBQUERY(", ",", "nil", "SORT(", "LIMIT(", "GROUP(", "SELECT(", "ASC", "COLLATE", "uuid(", "2024-01-01", "T1:2", "#", "`", "\\", "é", "[c]", "@links", "SELF", "date(", " "]
        let text = (0..<Int.random(in: 1...14, using: &random)).map { _ in words.randomElement(using: &random)! }.joined(separator: random.oneIn(2) ? " " : "")
        do {
            let query = try ObjectQuery(text)
            #expect(try ObjectQuery(query.description) == query || text.contains("nan"), "\(text) → \(query)")
        } catch {
            #expect([.malformedInput].contains(error.code), "\(text): \(error)")
        }
    }

    @Test("ASCII characters are in names by the rule for all others")
    func characters() {
        for value in 0..<0x80 as Range<UInt8> {
            let scalar = Unicode.Scalar(value), properties = scalar.properties
            #expect(QueryLexer.beginsName(scalar) == (scalar == "_" || properties.isAlphabetic), "\(value)")
            #expect(QueryLexer.isInName(scalar) == (scalar == "_" || properties.isAlphabetic || properties.numericType != nil), "\(value)")
        }
    }
}
