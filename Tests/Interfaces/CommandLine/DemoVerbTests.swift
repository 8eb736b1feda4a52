import FreeholdEngine
import Testing

/// The database that `tools/browse` shows if it is given none.
@Suite struct DemoVerbTests {
    private static let packages = """
        Package: libtea1
        Version: 2.0-1
        Architecture: amd64
        Section: libs
        Maintainer: Ada Lovelace <ada@example.org>
        Description: brews tea

        Package: teapot
        Essential: yes
        Priority: required
        Section: kitchen
        Installed-Size: 418
        Maintainer: "Ada Lovelace" <ada@example.org>
        Architecture: amd64
        Multi-Arch: foreign
        Version: 1.5-2
        Depends: libtea1 (>= 2.0) | libtea0, nothing-like-it, teapot
        Homepage: https://example.org/teapot
        Description: short and stout
         Here is its handle.
         Here is its spout.

        Package: teapot
        Version: 1.5-2
        Architecture: i386
        Description: for another architecture

        """

    @Test("the demonstration's database has packages with links, lists, maps and long strings, and is intact")
    func theDatabaseHasPackages() throws {
        let place = try Workplace()
        let run = try place.run("demo", "d", "--data", try place.file("packages", Self.packages))
        #expect(run.status == 0 && run.output == "2 packages from packages\n" && run.errors == "", "\(run)")
        #expect(try place.run("export", "d", "Package", "--format", "jsonl").output == #"""
            {"name":"libtea1","version":"2.0-1","summary":"brews tea","kilobytes":0,"priority":"unknown","architecture":"amd64",\#
            "isEssential":false,"installed":null,"homepage":null,"section":"libs","maintainer":"ada@example.org",\#
            "dependsOn":[],"description":"","fields":{}}
            {"name":"teapot","version":"1.5-2","summary":"short and stout","kilobytes":418,"priority":"required","architecture":"amd64",\#
            "isEssential":true,"installed":null,"homepage":"https://example.org/teapot","section":"kitchen",\#
            "maintainer":"ada@example.org","dependsOn":["libtea1","teapot"],"description":"Here is its handle.\nHere is its spout.",\#
            "fields":{"Multi-Arch":"foreign"}}

            """#)
        #expect(try place.run("list", "d", "Maintainer", "--json").output.contains(#""name":"Ada Lovelace""#))
        #expect(try place.run("check", "d").status == 0)
        let again = try place.run("demo", "d", "--data", "packages")
        #expect(again.status == 1 && again.errors == "freehold: error: d exists already\n")
    }
}
