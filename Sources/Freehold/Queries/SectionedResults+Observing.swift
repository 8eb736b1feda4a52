public import Dispatch
public import Foundation
import FreeholdEngine

/// A change of observed sections, or of one observed section.
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
/// Deletions, modifications and `sectionsToDelete` are positions in the old sections; insertions and `sectionsToInsert`
/// are positions in the new ones. All ascend. The elements of a deleted section are not reported separately; those of
/// an inserted section are. An element that got another key or moved is deleted and inserted, and so is a section that
/// moved among the others.
public enum SectionedResultsChange<Collection> {
    /// The sections at the beginning; sent again when the changes since the last notification are unknown.
    case initial(Collection)
    /// The sections changed.
    case update(Collection, deletions: [IndexPath], insertions: [IndexPath], modifications: [IndexPath], sectionsToInsert: IndexSet,
                sectionsToDelete: IndexSet)
}

/// The name in the first versions.
@available(*, deprecated, renamed: "SectionedResultsChange")
public typealias RealmSectionedResultsChange = SectionedResultsChange

/// Observing sections.
///
/// The rules are those of other collections (`RealmCollection.observe`); for a section, those of its own elements. The
/// key of an element is computed again if the element changed, or an object that it reaches over up to four links.
extension RealmSectionedResult {
    /// Calls a block on every change.
    ///
    /// - Parameters:
    ///   - keyPaths: which changes within elements count: see `RealmCollection.observe`. A change of an element's key
    ///     always counts.
    ///   - queue: the queue on which the block is called, with the sections of a realm of that queue; nil: where this
    ///     realm is used.
    /// - Returns: a token; the block is called for as long as the token is kept.
    public func observe(keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
                        _ block: @escaping (SectionedResultsChange<Self>) -> Void) -> NotificationToken {
        registration(keyPaths, block)?.begin(on: queue) ?? NotificationToken()
    }

    /// Calls a block in an actor on every change. Returns once the block is certain to be called for later commits; if
    /// the task is cancelled, returns without having begun.
    public func observe<Isolated: Actor>(keyPaths: [String]? = nil, on actor: Isolated, _isolation: isolated (any Actor)? = #isolation,
                                         _ block: @escaping @Sendable (isolated Isolated, SectionedResultsChange<Self>) -> Void) async -> NotificationToken {
        let call = ActorCall(actor, block)
        return await registration(keyPaths) { call($0) }?.begin(in: actor, from: _isolation) ?? NotificationToken()
    }

    /// The changes of the sections as an asynchronous sequence, `.initial` first. See `ChangeSequence`.
    public var changes: ChangeSequence<SectionedResultsChange<Self>> { changes(keyPaths: nil) }

    /// The changes of the sections as an asynchronous sequence; within elements only the properties on the key paths
    /// count.
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
    /// Calls a block on every change; within elements only the properties on the key paths count.
    public func observe(keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
                        _ block: @escaping (SectionedResultsChange<Self>) -> Void) -> NotificationToken {
        observe(keyPaths: keyPaths.map { PropertyNames.required($0) }, on: queue, block)
    }

    /// Calls a block in an actor on every change; within elements only the properties on the key paths count.
    public func observe<Isolated: Actor>(keyPaths: [PartialKeyPath<Element>], on actor: Isolated, _isolation: isolated (any Actor)? = #isolation,
                                         _ block: @escaping @Sendable (isolated Isolated, SectionedResultsChange<Self>) -> Void) async -> NotificationToken {
        await observe(keyPaths: keyPaths.map { PropertyNames.required($0) }, on: actor, _isolation: _isolation, block)
    }
}

extension RealmSectionedResult where Element: RealmSectionedResult, Element.Element: ObjectBase {
    /// Calls a block on every change; within elements only the properties on the key paths count.
    public func observe(keyPaths: [PartialKeyPath<Element.Element>], on queue: DispatchQueue? = nil,
                        _ block: @escaping (SectionedResultsChange<Self>) -> Void) -> NotificationToken {
        observe(keyPaths: keyPaths.map { PropertyNames.required($0) }, on: queue, block)
    }

    /// Calls a block in an actor on every change; within elements only the properties on the key paths count.
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

/// An observer of sections.
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
