import FreeholdEngine

/// The program in Python.
extension QueryProgram {
    var python: String {
        let key = isEncrypted ? "# The file is encrypted: add key= with the bytes of its key.\n" : ""
        return """
            # \(summary)
            import freehold

            \(key)with freehold.open(\(Literal.python(path)), must_exist=True, read_only=True) as database:
                with database.read() as snapshot:
                    \(grouping.map(groups) ?? objects)

            """
    }

    private var objects: String { "for item in \(found(query)):\n            print(item.json())" }

    private func found(_ query: String) -> String {
        let condition = query.isEmpty ? "" : ".where(\(Literal.python(query)))"
        return "snapshot.objects(\(Literal.python(schema.name)))\(condition)"
    }

    private func groups(_ grouping: Grouping) -> String {
        var identifiers = Identifiers(reserved: grouping.paths.map(\.description))
        var arguments = grouping.paths.map { Literal.python($0.description) }
        for figure in grouping.figures {
            // A name that ends with the aggregate's is no keyword.
            let name = (figure.path.map { Identifiers.identifier($0.description, keepsLetters: false) + "_" } ?? "") + figure.kind.rawValue
            arguments.append("\(identifiers.take(name))=\(Literal.python(figure.description))")
        }
        let slices = grouping.steps.map { step in
            switch step {
            case .limit(let count): "[:\(count)]"
            case .offset(let count): "[\(count):]"
            default: ""
            }
        }
        return "for row in \(found(grouping.query)).group(\(arguments.joined(separator: ", ")))\(slices.joined()):\n            print(row)"
    }
}
