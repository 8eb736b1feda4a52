import FreeholdEngine

/// Elements in sections, one for each key.
///
/// ```swift
/// let byCity = people.sectioned(by: \.city)
/// let byInitial = people.sectioned(by: { $0.name.prefix(1).uppercased() }, sortDescriptors: ["name"])
/// ```
/// The closure or property has to give neighbouring objects of the sort order equal keys; otherwise the order of the
/// sections is of no use.
extension RealmCollection where Element: KeypathSortable {
    /// The objects sorted by a property, with one section for each of its values. A computed property works as well if
    /// it is computed from one stored property: the objects are sorted by that one.
    public func sectioned<Key: Hashable>(by keyPath: KeyPath<Element, Key>, ascending: Bool = true) -> SectionedResults<Key, Element> {
        let name = SectionKeys.name(keyPath)
        return sections(name.map { sorted(byKeyPath: $0, ascending: ascending) }, keyPath) { $0[keyPath: keyPath] }
    }

    /// The objects in sections by a property, sorted by descriptors, the first of which has to be that property.
    public func sectioned<Key: Hashable>(by keyPath: KeyPath<Element, Key>, sortDescriptors: [SortDescriptor]) -> SectionedResults<Key, Element> {
        guard SectionKeys.require(sortDescriptors), let name = SectionKeys.name(keyPath) else { return sections(nil) { $0[keyPath: keyPath] } }
        if sortDescriptors[0].keyPath == name { return sections(sorted(by: sortDescriptors), keyPath) { $0[keyPath: keyPath] } }
        Misuse.report("The section key path must match the primary sort descriptor.", hint: "Sort by '\(name)' first.")
        return sections(nil) { $0[keyPath: keyPath] }
    }

    /// The objects sorted by descriptors, in sections by the key that a closure returns for each.
    public func sectioned<Key: Hashable>(by block: @escaping (Element) -> Key, sortDescriptors: [SortDescriptor]) -> SectionedResults<Key, Element> {
        sections(SectionKeys.require(sortDescriptors) && SectionKeys.require(Key.self) ? sorted(by: sortDescriptors) : nil, nil, block)
    }

    /// The objects sorted by descriptors, in sections by the key that a trailing closure returns for each.
    public func sectioned<Key: Hashable>(sortDescriptors: [SortDescriptor], _ block: @escaping (Element) -> Key) -> SectionedResults<Key, Element> {
        sectioned(by: block, sortDescriptors: sortDescriptors)
    }

    /// - Parameter results: nil if there are to be none; the cause has been reported already.
    private func sections<Key: Hashable>(_ results: Results<Element>?, _ keyPath: AnyKeyPath? = nil,
                                         _ keyOf: @escaping (Element) -> Key) -> SectionedResults<Key, Element> {
        // A computed property may depend on more than the properties it was seen to read.
        let names = keyPath.flatMap { PathRecorder.names(of: $0) }?.joined(separator: ".")
        return SectionedResults(SectionSource(results ?? Results(ResultsSource(in: nil)), keyPath: names, keyOf))
    }
}

/// Values in sections.
extension RealmCollection where Element.PersistedType: SortableType {
    /// The values, sorted, in sections by the key that a closure returns for each; nil values come first.
    public func sectioned<Key: Hashable>(by block: @escaping (Element) -> Key, ascending: Bool = true) -> SectionedResults<Key, Element> {
        SectionedResults(SectionSource(sorted(ascending: ascending), block))
    }
}

/// Checks which types and key paths can be keys.
private enum SectionKeys {
    /// The property that a key path names, or is computed from; nil if it cannot make keys, which has been reported.
    static func name<Root, Key: Hashable>(_ keyPath: KeyPath<Root, Key>) -> String? {
        guard require(Key.self) else { return nil }
        let sources = PathRecorder.sources(of: keyPath)
        if sources.count == 1 { return sources[0].joined(separator: ".") }
        Misuse.report("\(keyPath) is not computed from exactly one persisted property, so the sort order is unknown.",
                      hint: "Pass the key and the sort order: sectioned(by: { … }, sortDescriptors: […]).")
        return nil
    }

    static func require(_ descriptors: [SortDescriptor]) -> Bool {
        if descriptors.isEmpty { Misuse.report("There must be at least one SortDescriptor when using SectionedResults.") }
        return !descriptors.isEmpty
    }

    /// Links and collections cannot be keys: what they stand for changes over time.
    static func require(_ type: (some Hashable).Type) -> Bool {
        guard let kind = (type as? any _Persistable.Type)?._kind ?? (type as? any _Storable.Type)?._kind else { return true }
        if kind.type != .object && kind.collections.isEmpty { return true }
        Misuse.report(kind.collections.isEmpty ? "Links are not supported as section keys." : "Collections are not supported as section keys.")
        return false
    }
}
