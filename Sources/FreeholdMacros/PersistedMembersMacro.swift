#if OldModels
import SwiftCompilerPlugin
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// Puts `@Persisted` before the properties of a class that models of the old manner declare as `dynamic var name = ""`.
///
/// It looks at what is written only: no type is known to it. `primaryKey()`, `indexedProperties()` and `propertiesMapping()` are asked
/// when the program runs, as for every class; `ignoredProperties()` has to be read here.
struct PersistedMembersMacro: MemberAttributeMacro {
    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax, providingAttributesFor member: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AttributeSyntax] {
        guard let model = declaration.as(ClassDeclSyntax.self) else { throw Complaint.noClass }
        guard let variable = member.as(VariableDeclSyntax.self), variable.isToBeKept else { return [] }
        let names = variable.bindings.compactMap { $0.pattern.as(IdentifierPatternSyntax.self)?.identifier.text }
        // A wrapper stands before one property.
        guard names.count == 1, let name = names.first else { throw Complaint.severalProperties }
        return try model.ignoredNames().contains(name) ? [] : ["@Persisted"]
    }
}

/// What a model does that the macro cannot follow.
enum Complaint: String, Error, CustomStringConvertible {
    case noClass = "@PersistedMembers belongs before a class that extends Object or EmbeddedObject"
    case severalProperties = "@PersistedMembers: declare each property separately"
    case unreadableNames = "@PersistedMembers reads the names in ignoredProperties(); write them as string literals"

    var description: String { rawValue }
}

extension VariableDeclSyntax {
    /// Whether it is a `dynamic var` that is stored, and no wrapper's already.
    fileprivate var isToBeKept: Bool {
        let others: Set<TokenKind> = [.keyword(.static), .keyword(.class), .keyword(.lazy), .keyword(.weak), .keyword(.unowned)]
        return bindingSpecifier.tokenKind == .keyword(.var) && attributes.isEmpty && bindings.allSatisfy(\.isStored)
            && modifiers.contains { $0.name.tokenKind == .keyword(.dynamic) } && !modifiers.contains { others.contains($0.name.tokenKind) }
    }
}

extension PatternBindingSyntax {
    /// Whether it has no accessors, or observers only.
    fileprivate var isStored: Bool {
        switch accessorBlock?.accessors {
        case nil: true
        case .getter: false
        case .accessors(let accessors):
            accessors.allSatisfy { [.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind) }
        }
    }
}

extension ClassDeclSyntax {
    /// The texts within `ignoredProperties()`; none without it.
    fileprivate func ignoredNames() throws -> [String] {
        let functions = memberBlock.members.compactMap { $0.decl.as(FunctionDeclSyntax.self) }
        guard let body = functions.first(where: { $0.name.text == "ignoredProperties" })?.body else { return [] }
        let texts = TextCollector(viewMode: .sourceAccurate)
        texts.walk(body)
        if texts.found.isEmpty, !texts.hasEmptyArray { throw Complaint.unreadableNames }
        return texts.found
    }
}

/// Finds the texts in some code.
private final class TextCollector: SyntaxVisitor {
    private(set) var found: [String] = []
    private(set) var hasEmptyArray = false

    override func visit(_ node: StringLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        if let text = node.representedLiteralValue { found.append(text) }
        return .skipChildren
    }

    override func visit(_ node: ArrayExprSyntax) -> SyntaxVisitorContinueKind {
        hasEmptyArray = hasEmptyArray || node.elements.isEmpty
        return .visitChildren
    }
}

@main
struct FreeholdMacros: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [PersistedMembersMacro.self]
}
#else
/// Without the trait `OldModels` there are no macros, and nothing is fetched to build them.
@main
enum FreeholdMacros {
    static func main() {}
}
#endif
