/// Classes as they are declared, by name, with the classes that they extend. Of two with one name the first counts.
package struct DeclaredClasses {
    private let classes: TextMap<ClassSchema>

    package init(_ declared: [ClassSchema]) { classes = TextMap(declared.map { ($0.name, $0) }) { first, _ in first } }

    package subscript(name: String) -> ClassSchema? { classes[name] }

    package var all: some Collection<ClassSchema> { classes.values }

    /// Whether a class is another one, or extends it.
    package func extends(_ heir: ClassSchema, _ root: ClassSchema) -> Bool {
        var isFound = false
        _ = climb(from: heir) { above in
            isFound = above.name.isSame(as: root.name)
            return isFound
        }
        return isFound
    }

    /// The last of the classes that a class extends, directly or not; itself if it extends none.
    package func topmost(_ schema: ClassSchema) -> ClassSchema { climb(from: schema) { _ in false } }

    /// Walks from a class to those that it extends, until `body` says that it is enough. Wrong declarations may lead in a circle.
    private func climb(from schema: ClassSchema, until body: (ClassSchema) -> Bool) -> ClassSchema {
        var found = schema
        for _ in 0...classes.count {
            guard !body(found), let above = found.superclass.flatMap({ classes[$0] }) else { break }
            found = above
        }
        return found
    }
}
