import Testing

@testable import FreeholdCommandLine
import FreeholdTools

@Suite struct TerminalTests {
    @Test(arguments: [("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("👩‍👩‍👧", 2), ("❤️", 2), ("한", 2), ("ﾊ", 1), ("", 0), ("\u{200D}", 0)])
    func textTakesAsManyColumnsAsATerminalGivesIt(text: String, width: Int) {
        #expect(DisplayWidth.of(text) == width)
    }

    @Test func textIsCutBetweenCharacters() {
        #expect(DisplayWidth.cut("日本語", to: 6) == "日本語")
        #expect(DisplayWidth.cut("日本語", to: 5) == "日本…")
        #expect(DisplayWidth.cut("日本語", to: 4) == "日…")
        #expect(DisplayWidth.cut("abc", to: 1) == "…")
    }

    @Test func figuresReadAsPeopleWriteThem() {
        #expect(Figures.grouped(-1_234_567) == "-1,234,567")
        #expect(Figures.count(1, "row") == "1 row")
        #expect(Figures.bytes(999) == "999 B")
        #expect(Figures.bytes(12_345_678) == "12.3 MB")
        #expect(Figures.duration(0.0123) == "12.3 ms")
        #expect(Figures.clock(67) == "1:07")
        #expect(Figures.fixed(-0.04, 1) == "0.0")
        #expect(Figures.fixed(1999.96, 1) == "2,000.0")
    }

    @Test func theProgressBarTellsBytesRowsRateAndTimeLeft() {
        let bar = ProgressBar(totalBytes: 4_000_000)
        #expect(bar.text(bytes: 1_000_000, rows: 5000, seconds: 2)
            == "[####------------] 25 %  1.0 MB of 4.0 MB  5,000 rows  2,500/s  0:06 left")
        #expect(ProgressBar(totalBytes: nil).text(bytes: 10, rows: 1, seconds: 1) == "10 B  1 row  1/s")
    }

    @Test func theNearestNameIsSuggested() {
        #expect(Suggestion.nearest(to: "nmae", among: ["age", "name", "game"]) == "name")
        #expect(Suggestion.nearest(to: "Name", among: ["name"]) == "name")
        #expect(Suggestion.nearest(to: "desc", among: ["id", "description"]) == "description")
        #expect(Suggestion.nearest(to: "xyz", among: ["name", "age"]) == nil)
    }
}
