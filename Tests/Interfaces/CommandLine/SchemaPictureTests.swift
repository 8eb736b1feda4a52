import FreeholdEngine
import FreeholdTools
import Testing

/// The coordinates that programs draw a schema with.
@Suite struct SchemaPictureTests {
    private static let classes = [
        ClassSchema("Person", primaryKey: "id", [
            PropertySchema("id", .uuid), PropertySchema("name", .string, isIndexed: true), PropertySchema("mentor", linkTo: "Person"),
        ]),
        ClassSchema("Author", superclass: "Person", [PropertySchema("books", linkTo: "Book", collections: [.list])]),
        ClassSchema("Book", [PropertySchema("title", .string), PropertySchema("editor", linkTo: "Person", deleteRule: .deny)]),
        ClassSchema("A\u{7}lone", isEmbedded: true, [PropertySchema(String(repeating: "long", count: 20), .int)]),
    ]

    @Test("each class is a box with its properties as rows that fit it")
    func eachClassIsABox() throws {
        let picture = SchemaPicture(Self.classes)
        #expect(picture.boxes.map(\.className) == Self.classes.map(\.name))
        #expect(picture.boxes.map(\.name) == ["Person", "Author", "Book", "A\\u{7}lone"])
        #expect(picture.boxes.map(\.remark) == ["", "extends Person", "", "embedded"])
        #expect(picture.boxes[0].rows.map(\.name) == ["id", "name", "mentor"])
        #expect(picture.boxes[0].rows.map(\.type) == ["uuid", "string", "link to Person"])
        #expect(picture.boxes[0].rows.map(\.remarks) == ["primary key", "indexed", ""])
        #expect(picture.boxes[3].rows[0].name == String(repeating: "long", count: 10) + "lon…")
        for (index, box) in picture.boxes.enumerated() {
            #expect(box.x >= 0 && box.y >= 0 && box.x + box.width <= picture.width && box.y + box.height <= picture.height)
            #expect(box.height >= SchemaPicture.headHeight + Double(box.rows.count) * SchemaPicture.rowHeight)
            for other in picture.boxes[..<index] {
                let isBeside = box.x + box.width <= other.x || other.x + other.width <= box.x
                #expect(isBeside || box.y + box.height <= other.y || other.y + other.height <= box.y)
            }
        }
    }

    @Test("each relation is an arrow from a row of one box to another box")
    func eachRelationIsAnArrow() throws {
        let picture = SchemaPicture(Self.classes)
        let arrows = picture.arrows.sorted { ($0.from, $0.property ?? "") < ($1.from, $1.property ?? "") }
        #expect(arrows.map { "\($0.from).\($0.property ?? "-") \($0.to) \($0.cardinality)" } == [
            "Author.- Person ", "Author.books Book 0..*", "Book.editor Person 0..1", "Person.mentor Person 0..1",
        ])
        for arrow in arrows {
            let from = try #require(picture.boxes.first { $0.className == arrow.from })
            let to = try #require(picture.boxes.first { $0.className == arrow.to })
            let start = try #require(arrow.points.first), end = try #require(arrow.points.last)
            let row = arrow.property.flatMap { name in from.rows.firstIndex { $0.name == name } }
            #expect((start.x == from.x || start.x == from.x + from.width) && start.y == from.middle(of: row))
            #expect((end.x == to.x || end.x == to.x + to.width) && (to.y...to.y + to.height).contains(end.y))
        }
    }

    @Test("a schema without classes is a picture without boxes")
    func anEmptySchemaIsEmpty() {
        let picture = SchemaPicture([])
        #expect(picture.boxes.isEmpty && picture.arrows.isEmpty && picture.width > 0)
    }
}
