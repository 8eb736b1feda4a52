import FreeholdEngine

/// The program in Swift: with models of the class and of the classes that belong to it, or, where models would have other
/// names than the file, without models.
extension QueryProgram {
    private static let mostModels = 20

    var swift: String {
        let models = family.count <= Self.mostModels ? SwiftModels(family) : nil
        let hasModels = models?.hasNamesOfFile ?? false
        let objects = hasModels
            ? "realm.objects(\(SwiftWords.quoted(schema.name)).self)" : "realm.dynamicObjects(\(Literal.swift(schema.name)))"
        var options = ["fileURL: URL(fileURLWithPath: \(Literal.swift(path)))", "readOnly: true"]
        if let schemaVersion { options.append("schemaVersion: \(schemaVersion)") }
        let types = hasModels ? family.map { "\(SwiftWords.quoted($0.name)).self" } : []
        options.append("objectTypes: [\(types.joined(separator: ", "))]")
        let key = isEncrypted ? "// The file is encrypted: add encryptionKey: with the bytes of its key.\n" : ""
        return """
            // \(summary)
            import Foundation
            import Freehold
            \(hasModels ? models?.declarations ?? "" : "")
            \(key)let configuration = Realm.Configuration(
                \(options.joined(separator: ", ")))
            let realm = try Realm(configuration: configuration)
            \(grouping.map { groups($0, of: objects) } ?? "for object in \(found(objects, query)) { print(object) }")

            """
    }

    /// The class, the classes that it extends and links to, those that extend these, and so on.
    private var family: [ClassSchema] {
        var names: Set<ExactText> = [], waiting = [schema.name]
        while let name = waiting.popLast() {
            guard names.insert(name).inserted, let schema = outline.find(name) else { continue }
            waiting += [schema.superclass].compactMap { $0 } + schema.properties.compactMap(\.linkTarget)
            waiting += outline.classes.filter { $0.superclass?.isSame(as: name) ?? false }.map(\.name)
        }
        return outline.classes.filter { names.contains($0.name) }
    }

    private func found(_ objects: String, _ query: String) -> String {
        query.isEmpty ? objects : "try \(objects).filter(parsing: \(Literal.swift(query)))"
    }

    private func groups(_ grouping: Grouping, of objects: String) -> String {
        let paths = grouping.paths.map { Literal.swift($0.description) }.joined(separator: ", ")
        let figures = grouping.figures.map { Literal.swift($0.description) }.joined(separator: ", ")
        let slices = grouping.steps.map { step in
            switch step {
            case .limit(let count): ".prefix(\(count))"
            case .offset(let count): ".dropFirst(\(count))"
            default: ""
            }
        }
        return """
            let objects = \(found(objects, grouping.query))
            for group in objects.grouped(by: [\(paths)], select: \(figures))\(slices.joined()) { print(group) }
            """
    }
}
