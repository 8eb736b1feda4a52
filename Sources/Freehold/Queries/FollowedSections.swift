import FreeholdEngine

/// Keeps the sections of results, or one section, up to date from version to version.
///
/// ```
/// results: places gone, come and modified ─► keys of those that came or were modified ─► SectionLayout.replace ─► places in sections
/// ```
/// 1. Keys are computed only for inserted elements and for elements with a change that may affect their key.
/// 2. An element whose key changed is deleted from its section and inserted into another, even if its position in the
///    results stays.
/// 3. While they are observed, `SectionedResults` read the layout kept here, so that they agree with the notifications.
final class FollowedSections<Key: Hashable, Element: RealmCollectionValue>: Followed {
    private let source: SectionSource<Key, Element>
    private let elements: any FollowedElements
    /// What counts as a modification within elements; nil: every change that `elements` reports.
    private let counted: (className: String, paths: [PropertyPath])?
    /// The key of the only section to report; nil: all sections.
    private let only: Key?
    private var layout = SectionLayout<Key>()
    private var version: Version?
    private var isApart = false
    /// How many keys the last step computed.
    private(set) var lastAsked = 0

    init(_ source: SectionSource<Key, Element>, only: Key?, _ keyPaths: [String]?) throws {
        (self.source, self.only) = (source, only)
        elements = try source.results.followedElements(keyPaths.flatMap { keyPaths in source.keyPath.map { keyPaths + [$0] } })
        guard let keyPaths else {
            counted = nil
            return
        }
        let subject = try source.results.subject(), model = subject.live.model
        counted = (subject.core.schema.storedName(of: model), try ObservedPaths(keyPaths, of: model, in: subject.core)?.paths ?? [])
    }

    var interest: Interest { elements.interest }
    var isInvalidated: Bool { elements.isInvalidated }

    /// The kept layout, if it is of the version that the realm shows; nil otherwise.
    func layoutNow(in core: RealmCore) -> SectionLayout<Key>? {
        guard let version else { return nil }
        return (isApart ? core.shows(version) : core.isAtObservers) ? layout : nil
    }

    func begin(at snapshot: Snapshot) throws -> Bool {
        guard try elements.begin(at: snapshot) else { return false }
        layout = source.asked()
        version = snapshot.version
        source.followed = self
        return true
    }

    func keepApart() {
        isApart = true
        elements.keepApart()
    }

    func end() {
        if source.followed === self { source.followed = nil }
        version = nil
        elements.end()
    }

    func advance(_ step: VersionStep) throws -> FollowedChanges {
        let found = try elements.advance(step).positions, old = layout
        version = step.newer.version
        lastAsked = 0
        let before = old.locate(found.modifications), after = found.modificationsAfter
        var gone = found.deletions, come = try found.insertions.map { ($0, try key(at: $0)) }, modified: [SectionLayout<Key>.Place] = []
        for (index, position) in found.modifications.enumerated() {
            let key = try key(at: after[index])
            if old.key(before[index].number) == key {
                if try counts(after[index], step) { modified.append(before[index]) }
            } else {
                gone.append(position)
                come.append((after[index], key))
            }
        }
        gone.sort()
        come.sort { $0.0 < $1.0 }
        if !gone.isEmpty || !come.isEmpty { layout.replace(gone, with: come) }
        var changes = FollowedChanges()
        changes.sections = SectionChanges(from: old, to: layout, gone: old.locate(gone), come: layout.locate(come.map(\.0)), modified, only: only)
        return changes
    }

    private func key(at position: Int) throws -> Key {
        lastAsked += 1
        guard let key = source.key(of: try elements.element(at: position)) else {
            throw FreeholdError(.notFound, "element \(position) of sectioned results was deleted")
        }
        return key
    }

    /// Whether a change that counts as a modification touched the element.
    private func counts(_ position: Int, _ step: VersionStep) throws -> Bool {
        guard let counted else { return true }
        guard let object = try elements.element(at: position) as? ObjectBase, let observers = object.core?.observers else { return false }
        let looked = try observers.observed.objects(of: counted.className, observing: counted.paths, at: step.newer)
        return try looked.touched(by: step).contains(ObjectKey(object._key))
    }
}

extension SectionChanges {
    /// Computes the changes that turn one layout into another. A section that moved among the others is deleted and
    /// inserted; as few as possible are. An element of a deleted section is not reported separately; an element of an
    /// inserted section is.
    ///
    /// - Parameters:
    ///   - gone, modified: places in the old sections.
    ///   - come: places in the new ones.
    ///   - only: the key of the only section to report; its position among the others is ignored.
    init<Key>(from old: SectionLayout<Key>, to new: SectionLayout<Key>, gone: [SectionLayout<Key>.Place], come: [SectionLayout<Key>.Place],
              _ modified: [SectionLayout<Key>.Place], only: Key?) {
        self.init()
        let before = Self.places(old.order), after = Self.places(new.order)
        let number = only.flatMap { old.number(of: $0) ?? new.number(of: $0) }
        if only != nil {
            guard let number else { return }
            deletedSections = after[number] == nil ? before[number].map { [$0] } ?? [] : []
            insertedSections = before[number] == nil ? after[number].map { [$0] } ?? [] : []
        } else if old.order != new.order {
            let changes = PositionChanges(from: old.order.map { ObjectKey(Int64($0)) }, to: new.order.map { ObjectKey(Int64($0)) }, replaced: [], modified: [])
            (deletedSections, insertedSections) = (changes.deletions, changes.insertions)
        }
        func told(_ found: [SectionLayout<Key>.Place], _ sections: [Int: Int], but left: Set<Int>) -> [Place] {
            found.compactMap { place in
                guard number == nil || place.number == number, let section = sections[place.number], !left.contains(section) else { return nil }
                return Place(section: section, item: place.item)
            }.sorted()
        }
        let deleted = Set(deletedSections), inserted = Set(insertedSections)
        deletions = told(gone, before, but: deleted)
        modifications = told(modified, before, but: deleted)
        insertions = told(come, after, but: inserted)
        if inserted.isEmpty { return }
        let positions = new.positions
        for section in insertedSections {
            insertions += (0..<(positions[new.order[section]]?.count ?? 0)).map { Place(section: section, item: $0) }
        }
        insertions.sort()
    }

    private static func places(_ order: [Int]) -> [Int: Int] { Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) }) }
}
