import FreeholdEngine

extension WriteTransaction {
    /// Makes classes that link to one another and extend one another, in an order that lets each find what it needs: those by themselves
    /// together, with their links; one that extends another once all it needs is there.
    func createEach(_ wanted: [ClassSchema]) throws {
        var left = wanted
        while !left.isEmpty {
            let there = Set<ExactText>(exact: classes.map(\.name)), roots = ClassSchema.together(left, there)
            if !roots.isEmpty {
                try createClasses(roots)
                let made = Set<ExactText>(exact: roots.map(\.name))
                left.removeAll { made.contains($0.name) }
            } else if let next = left.firstIndex(where: { $0.superclass != nil && $0.finds(there) }) {
                try createClass(left.remove(at: next))
            } else {
                // Something is missing, or in a circle: the engine says what.
                try createClasses(left.filter { $0.superclass == nil })
                return try left.filter { $0.superclass != nil }.forEach { try createClass($0) }
            }
        }
    }
}

extension ClassSchema {
    /// Whether what a class extends and links to is among others, or itself.
    fileprivate func finds(_ names: Set<ExactText>) -> Bool {
        (properties.compactMap(\.linkTarget) + [superclass].compactMap { $0 }).allSatisfy { names.contains($0) || $0.isSame(as: name) }
    }

    /// The classes by themselves that need nothing but one another and those that are there.
    fileprivate static func together(_ all: [ClassSchema], _ there: Set<ExactText>) -> [ClassSchema] {
        var found = all.filter { $0.superclass == nil }
        while true {
            let names = there.union(Set<ExactText>(exact: found.map(\.name))), fitting = found.filter { $0.finds(names) }
            if fitting.count == found.count { return found }
            found = fitting
        }
    }
}
