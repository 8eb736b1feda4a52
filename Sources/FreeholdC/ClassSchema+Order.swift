import FreeholdEngine

extension WriteTransaction {
    /// Creates classes that link to and extend one another, in dependency order: classes without a superclass together,
    /// with their links; a subclass once the classes it needs exist.
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
                // A class is missing, or there is a cycle: the engine reports which.
                try createClasses(left.filter { $0.superclass == nil })
                return try left.filter { $0.superclass != nil }.forEach { try createClass($0) }
            }
        }
    }
}

extension ClassSchema {
    /// Whether `names` or the class itself include every class that it extends or links to.
    fileprivate func finds(_ names: Set<ExactText>) -> Bool {
        (properties.compactMap(\.linkTarget) + [superclass].compactMap { $0 }).allSatisfy { names.contains($0) || $0.isSame(as: name) }
    }

    /// The classes without a superclass that need only one another and the classes in `there`.
    fileprivate static func together(_ all: [ClassSchema], _ there: Set<ExactText>) -> [ClassSchema] {
        var found = all.filter { $0.superclass == nil }
        while true {
            let names = there.union(Set<ExactText>(exact: found.map(\.name))), fitting = found.filter { $0.finds(names) }
            if fitting.count == found.count { return found }
            found = fitting
        }
    }
}
