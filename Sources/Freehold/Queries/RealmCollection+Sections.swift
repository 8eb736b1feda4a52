import FreeholdEngine

/// Elements in sections of those that have one key.
///
/// ```swift
/// let byCity = people.sectioned(by: \.city)
/// let byInitial = people.sectioned(by: { $0.name.prefix(1).uppercased() }, sortDescriptors: ["name"])
/// ```
/// What makes the keys has to give equal ones to objects that the order puts beside each other, or sections come in an order of no use.
extension RealmCollection where Element: KeypathSortable {
    /// The objects sorted by a property, in sections of those that have the same value in it. A computed property does as well, if it is
    /// made of one that is kept: that is what is sorted by.
    public func sectioned<Key: Hashable>(by keyPath: KeyPath<Element, Key>, ascending: Bool = true) -> SectionedResults<Key, Element> {
        let name = SectionKeys.name(keyPath)
        return sections(name.map { sorted(byKeyPath: $0, ascending: ascending) }, keyPath) { $0[keyPath: keyPath] }
    }

    /// The same sorted by more; the first descriptor has to be the property.
    public func sectioned<Key: Hashable>(by keyPath: KeyPath<Element, Key>, sortDescriptors: [SortDescriptor]) -> SectionedResults<Key, Element> {
        guard SectionKeys.require(sortDescriptors), let name = SectionKeys.name(keyPath) else { return sections(nil) { $0[keyPath: keyPath] } }
        if sortDescriptors[0].keyPath == name { return sections(sorted(by: sortDescriptors), keyPath) { $0[keyPath: keyPath] } }
        Misuse.report("The section key path must match the primary sort descriptor.", hint: "Sort by '\(name)' first.")
        return sections(nil) { $0[keyPath: keyPath] }
    }

    /// The objects in sections by what a closure makes of each, in the order of some descriptors.
    public func sectioned<Key: Hashable>(by block: @escaping (Element) -> Key, sortDescriptors: [SortDescriptor]) -> SectionedResults<Key, Element> {
        sections(SectionKeys.require(sortDescriptors) && SectionKeys.require(Key.self) ? sorted(by: sortDescriptors) : nil, nil, block)
    }

    /// The same, with the closure behind.
    public func sectioned<Key: Hashable>(sortDescriptors: [SortDescriptor], _ block: @escaping (Element) -> Key) -> SectionedResults<Key, Element> {
        sectioned(by: block, sortDescriptors: sortDescriptors)
    }

    /// - Parameter results: nil where there are to be none, which has been told.
    private func sections<Key: Hashable>(_ results: Results<Element>?, _ keyPath: AnyKeyPath? = nil,
                                         _ keyOf: @escaping (Element) -> Key) -> SectionedResults<Key, Element> {
        // What is computed may be made of more than what it was seen to read.
        let names = keyPath.flatMap { PathRecorder.names(of: $0) }?.joined(separator: ".")
        return SectionedResults(SectionSource(results ?? Results(ResultsSource(in: nil)), keyPath: names, keyOf))
    }
}

/// Values in sections.
extension RealmCollection where Element.PersistedType: SortableType {
    /// The values, sorted, in sections by what a closure makes of each; nil ones first.
    public func sectioned<Key: Hashable>(by block: @escaping (Element) -> Key, ascending: Bool = true) -> SectionedResults<Key, Element> {
        SectionedResults(SectionSource(sorted(ascending: ascending), block))
    }
}

/// What can be a key.
private enum SectionKeys {
    /// The property that a key path is, or is made of; nil, which has been told, if it cannot make keys.
    static func name<Root, Key: Hashable>(_ keyPath: KeyPath<Root, Key>) -> String? {
        guard require(Key.self) else { return nil }
        let sources = PathRecorder.sources(of: keyPath)
        if sources.count == 1 { return sources[0].joined(separator: ".") }
        Misuse.report("\(keyPath) is made of no property that is kept, or of several, so there is nothing to sort by.",
                      hint: "Say what makes the key, and what to sort by: sectioned(by: { … }, sortDescriptors: […]).")
        return nil
    }

    static func require(_ descriptors: [SortDescriptor]) -> Bool {
        if descriptors.isEmpty { Misuse.report("There must be at least one SortDescriptor when using SectionedResults.") }
        return !descriptors.isEmpty
    }

    /// Links and collections stand for something else from one moment to the next.
    static func require(_ type: (some Hashable).Type) -> Bool {
        guard let kind = (type as? any _Persistable.Type)?._kind ?? (type as? any _Storable.Type)?._kind else { return true }
        if kind.type != .object && kind.collections.isEmpty { return true }
        Misuse.report(kind.collections.isEmpty ? "Links are not supported as section keys." : "Collections are not supported as section keys.")
        return false
    }
}
