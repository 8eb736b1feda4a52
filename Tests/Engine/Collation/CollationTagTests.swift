@testable import FreeholdEngine
import Testing

@Suite("Tags of collations") struct CollationTagTests {
    @Test("tags that ask for the same order have one spelling", arguments: [
        ("de", "de"), ("DE", "de"), ("fr-ca", "fr-CA"), ("SR-LATN-rs", "sr-Latn-RS"), ("de-1996", "de-1996"),
        ("de-u-kn-true", "de-u-kn"), ("de-u-kn", "de-u-kn"), ("DE-U-KN-TRUE-CO-PHONEBK", "de-u-co-phonebk-kn"),
        ("de-u-co-phonebk-kn", "de-u-co-phonebk-kn"), ("en-u-kn-false", "en-u-kn-false"),
        ("el-u-kr-LATN-grek-ks-level1", "el-u-kr-latn-grek-ks-level1"),
        ("und", "und"), ("", ""), ("-", "-"),
    ])
    func normal(tag: String, wanted: String) {
        #expect(CollationTag.normal(tag) == wanted)
        #expect(CollationTag.normal(wanted) == wanted)
        #expect(CollationIndex("name", collation: tag) == CollationIndex("name", collation: wanted))
    }
}
