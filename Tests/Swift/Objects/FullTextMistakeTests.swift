import Foundation
import Freehold
import Testing

class MistakenText: Object {
    @Persisted(fullText: .init(weight: 300)) var heavy = ""
    @Persisted(fullText: true) var number = 0
    @Persisted(fullText: true) var tags: List<String>
    @Persisted var next: MistakenText?
    @Persisted var others: List<MistakenText>
    @Persisted(originProperty: "next") var before: LinkingObjects<MistakenText>
    @Persisted var text = ""

    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    override class func fullTextIndexes() -> [FullTextIndex] {
        [["missing"], ["next.missing"], ["next.next.text"], ["others.text"], ["before.text"], ["text.text"], ["next.number"], [],
                ["text"], ["text"], ["text", "next.text", "text"]]
    }
}

class MistakenLanguage: Object {
    @Persisted(fullText: .init(language: "english")) var title = ""
    @Persisted(fullText: .init(language: "German", weight: 2)) var body = ""
    @Persisted(fullText: .init(language: "english")) var note = ""

    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    override class func fullTextIndexes() -> [FullTextIndex] { [.init("title", language: "en")] }
}

class MistakenPart: EmbeddedObject {
    @Persisted(fullText: true) var text = ""

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Wrong declarations of full-text indexes")
struct FullTextMistakeTests {
    @Test("each is named, with its class and what is wrong, when the file is opened")
    func mistakes() throws {
        let types = [MistakenText.self, MistakenLanguage.self, MistakenPart.self]
        let folder = try Folder(), error = try #require(refusal(folder.configuration(types)))
        let place = "Full-text index of class 'MistakenText'"
        let wanted = [
            "\(place): 'heavy' has a weight out of range; a field counts from 1/256 to 255.",
            "\(place): 'number' is of type 'int'; a field is a string.",
            "\(place): 'tags' is of type 'collection of string'; a field is a string.",
            "\(place): 'missing' does not exist on object 'MistakenText'.",
            "\(place): 'next.missing' leads to 'missing', which does not exist on object 'MistakenText'.",
            "\(place): 'next.next.text' leads over more than one link.",
            "\(place): 'others.text' leads over 'others', which is no link to one object.",
            "\(place): 'before.text' leads over 'before', which is no link to one object.",
            "\(place): 'text.text' leads over 'text', which is no link to one object.",
            "\(place): 'next.number' leads to a property of type 'int'; a field is a string.",
            "\(place) has 0 fields; it has 1 to 16.",
            "\(place) of 'text' is declared twice.",
            "\(place) names a property twice: 'text, next.text, text'.",
            "Full-text index of class 'MistakenLanguage': its properties say different languages, 'english' and 'German'; an index has "
                + "one.",
            "Full-text index of class 'MistakenLanguage': 'en' is no language of full-text indexes, which are "
                + "\(FullTextIndex.languages.joined(separator: ", ")).",
            "Embedded class 'MistakenPart' cannot have a full-text index; declare one in the class that holds it, with fields such as "
                + "'address.street'.",
        ]
        let told = error.message.components(separatedBy: "\n").dropFirst().map { String($0.dropFirst(2)) }
        #expect(Set(told) == Set(wanted), "\(error.message)")
    }
}
