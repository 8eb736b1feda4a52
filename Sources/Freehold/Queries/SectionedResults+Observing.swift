public import Dispatch
public import Foundation
import FreeholdEngine

/// What became of sections that are observed, or of one.
///
/// ```swift
/// let token = people.sectioned(by: \.city).observe { change in
///     switch change {
///     case .initial(let sections): show(sections)
///     case .update(let sections, let deletions, let insertions, _, let sectionsToInsert, let sectionsToDelete):
///         for path in deletions.reversed() { table[path.section].remove(at: path.item) }
///         for section in sectionsToDelete.reversed() { table.remove(at: section) }
///         for section in sectionsToInsert { table.insert([], at: section) }
///         for path in insertions { table[path.section].insert(row(sections[path]), at: path.item) }
///     }
/// }
/// ```
/// Deletions, modifications and `sectionsToDelete` are places in the sections as they were, insertions and `sectionsToInsert` in the sections
/// as they are; all ascend. What was in a section that is deleted is not told by itself; what is in one that is inserted is. What got another
/// key, or moved, is deleted and inserted, and so is a section that moved among the others.
public enum SectionedResultsChange<Collection> {
    /// As it is at the beginning; or again, where nobody can say any more what changed since it was told last.
    case initial(Collection)
    /// It changed.
    case update(Collection, deletions: [IndexPath], insertions: [IndexPath], modifications: [IndexPath], sectionsToInsert: IndexSet,
                sectionsToDelete: IndexSet)
}

/// The name of the first versions.
@available(*, deprecated, renamed: "SectionedResultsChange")
public typealias RealmSectionedResultsChange = SectionedResultsChange

/// Hearing of changes in sections.
///
/// The rules are those of other collections (`RealmCollection.observe`); of a section, those of its own elements. Which section an element
/// belongs to is asked again if something of it changed, or of what it links to, four links deep.
extension RealmSectionedResult {
    /// Has a block called when something changes.
    ///
    /// - Parameters:
    ///   - keyPaths: which changes within elements count: see `RealmCollection.observe`. An element that gets another key counts anyway.
    ///   - queue: where the block is called, with the sections of a realm of that queue; nil: where this realm is used.
    /// - Returns: what has to be kept as long as the block is to be called.
    public func observe(keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
                        _ block: @escaping (SectionedResultsChange<Self>) -> Void) -> NotificationToken {
        registration(keyPaths, block)?.begin(on: queue) ?? NotificationToken()
    }

    /// The same in an actor: returns once the block is sure to be called for what is committed from then on; without having begun, if the task
    /// is cancelled.
    public func observe<Isolated: Actor>(keyPaths: [String]? = nil, on actor: Isolated, _isolation: isolated (any Actor)? = #isolation,
                                         _ block: @escaping @Sendable (isolated Isolated, SectionedResultsChange<Self>) -> Void) async -> NotificationToken {
        let call = ActorCall(actor, block)
        return await registration(keyPaths) { call($0) }?.begin(in: actor, from: _isolation) ?? NotificationToken()
    }

    /// What becomes of the sections: `.initial` first. See `ChangeSequence`.
    public var changes: ChangeSequence<SectionedResultsChange<Self>> { changes(keyPaths: nil) }

    /// The same; within elements only what the key paths lead to counts.
    public func changes(keyPaths: [String]?) -> ChangeSequence<SectionedResultsChange<Self>> {
        ChangeSequence { found in self.registration(keyPaths, found)?.pulled() }
    }

    private func registration(_ keyPaths: [String]?, _ block: @escaping (SectionedResultsChange<Self>) -> Void) -> Registration<Self>? {
        guard requireManaged(self) else { return nil }
        return Registration(observed: self) { found, _ in
            follower(of: found, keyPaths).map { SectionsObserver(found, $0, block) }
        }
    }
}

extension RealmSectionedResult where Element: ObjectBase {
    /// Has a block called when something changes, within elements only what these key paths lead to.
    public func observe(keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
                        _ block: @escaping (SectionedResultsChange<Self>) -> Void) -> NotificationToken {
        observe(keyPaths: keyPaths.map { PropertyNames.required($0) }, on: queue, block)
    }

    /// The same in an actor.
    public func observe<Isolated: Actor>(keyPaths: [PartialKeyPath<Element>], on actor: Isolated, _isolation: isolated (any Actor)? = #isolation,
                                         _ block: @escaping @Sendable (isolated Isolated, SectionedResultsChange<Self>) -> Void) async -> NotificationToken {
        await observe(keyPaths: keyPaths.map { PropertyNames.required($0) }, on: actor, _isolation: _isolation, block)
    }
}

extension RealmSectionedResult where Element: RealmSectionedResult, Element.Element: ObjectBase {
    /// Has a block called when something changes, within elements only what these key paths lead to.
    public func observe(keyPaths: [PartialKeyPath<Element.Element>], on queue: DispatchQueue? = nil,
                        _ block: @escaping (SectionedResultsChange<Self>) -> Void) -> NotificationToken {
        observe(keyPaths: keyPaths.map { PropertyNames.required($0) }, on: queue, block)
    }

    /// The same in an actor.
    public func observe<Isolated: Actor>(keyPaths: [PartialKeyPath<Element.Element>], on actor: Isolated, _isolation: isolated (any Actor)? = #isolation,
                                         _ block: @escaping @Sendable (isolated Isolated, SectionedResultsChange<Self>) -> Void) async -> NotificationToken {
        await observe(keyPaths: keyPaths.map { PropertyNames.required($0) }, on: actor, _isolation: _isolation, block)
    }
}

extension SectionedResults: FollowableCollection {
    var isManaged: Bool { source.results.isManaged }
    func followed(_ keyPaths: [String]?) throws -> any Followed { try FollowedSections(source, only: nil, keyPaths) }
}

extension ResultsSection: FollowableCollection {
    var isManaged: Bool { source.results.isManaged }

    func followed(_ keyPaths: [String]?) throws -> any Followed {
        guard let known else { throw FreeholdError(.invalidArgument, "This ResultsSection is not in a valid state.") }
        return try FollowedSections(source, only: known, keyPaths)
    }
}

/// Somebody who hears of changes in sections.
final class SectionsObserver<Observed: RealmSectionedResult>: FollowingObserver {
    private let sections: Observed
    private let block: (SectionedResultsChange<Observed>) -> Void

    init(_ sections: Observed, _ followed: any Followed, _ block: @escaping (SectionedResultsChange<Observed>) -> Void) {
        (self.sections, self.block) = (sections, block)
        super.init(followed)
    }

    override func tell(_ finding: Finding) {
        func paths(_ places: [SectionChanges.Place]) -> [IndexPath] { places.map { IndexPath(item: $0.item, section: $0.section) } }
        switch finding {
        case .beginning: block(.initial(sections))
        case .changes(let found):
            let changes = found.sections
            block(.update(sections, deletions: paths(changes.deletions), insertions: paths(changes.insertions), modifications: paths(changes.modifications),
                          sectionsToInsert: IndexSet(changes.insertedSections), sectionsToDelete: IndexSet(changes.deletedSections)))
        case .failure(let error): Misuse.report("\(error)")
        }
    }
}
