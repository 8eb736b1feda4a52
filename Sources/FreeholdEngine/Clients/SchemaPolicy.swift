/// What an interface does about each kind of difference between a file's classes and a program's, as data.
///
/// ```
///                                        models             definitions
///                                   same     raised       same     raised
/// class, property or index added    apply    apply        apply    apply
/// index removed                     keep     apply        keep     apply
/// full-text index added, its
/// weights, index of places, of
/// vectors or in a collation added   apply    apply        apply    apply
/// full-text index, index of places,
/// vectors or in a collation removed keep     apply        keep     keep
/// index of other vectors            refuse   apply        refuse   refuse
/// class made synced                 apply    apply        apply    apply
/// rules for sync changed            refuse   apply        refuse   apply
/// class made not synced             keep     keep         keep     keep
/// property removed                  keep     apply        keep     keep
/// made unique                       refuse   apply        apply    apply
/// made not unique, delete rule      refuse   apply        keep     apply
/// type, nullability, primary key,
/// embedding                         refuse   apply        refuse   refuse
/// superclass                        refuse   refuse       refuse   refuse
/// ```
/// `same`: the program's schema version is the file's, or it states none. `raised`: it is higher.
public struct SchemaPolicy: Sendable {
    /// What is done about a difference.
    public enum Rule: Sendable, CaseIterable {
        /// The file is changed to what the program declares.
        case apply
        /// The file stays as it is, because other programs may have declared it so.
        case keep
        /// The file cannot be used with the program's classes.
        case refuse
    }

    private let same: [SchemaChange.Kind: Rule]
    private let raised: [SchemaChange.Kind: Rule]
    /// Whether links in maps that may be null differ from links that may not.
    let comparesLinks: Bool

    /// What is done about a kind of difference.
    ///
    /// - Parameter isRaised: whether the program's schema version is higher than the file's.
    public func rule(for kind: SchemaChange.Kind, isRaised: Bool) -> Rule { (isRaised ? raised : same)[kind] ?? .refuse }

    /// The models of the Swift API: whatever may lose something waits for a higher schema version, and then the file
    /// becomes what the models say. Only a synced class stays one: what it has not sent yet would be dropped.
    public static let models = SchemaPolicy(
        same: [.newClass: .apply, .newProperty: .apply, .newIndex: .apply, .removedIndex: .keep, .removedProperty: .keep,
               .newFullText: .apply, .removedFullText: .keep, .fullTextWeights: .apply,
               .newPlaces: .apply, .removedPlaces: .keep, .newVectors: .apply, .removedVectors: .keep,
               .newCollation: .apply, .removedCollation: .keep, .newSync: .apply, .removedSync: .keep],
        raised: Dictionary(uniqueKeysWithValues: SchemaChange.Kind.allCases.map { kind in
            (kind, kind == .superclass ? .refuse : kind == .removedSync ? .keep : .apply)
        }),
        comparesLinks: false)

    /// The definitions that C, C++ and Python pass: the file gets what it lacks; a program with a higher schema version
    /// also takes back indexes, uniqueness and delete rules, and changes the rest itself in its migration.
    public static let definitions = SchemaPolicy(
        same: [.newClass: .apply, .newProperty: .apply, .newIndex: .apply, .unique: .apply,
               .newFullText: .apply, .removedFullText: .keep, .fullTextWeights: .apply,
               .newPlaces: .apply, .removedPlaces: .keep, .newVectors: .apply, .removedVectors: .keep,
               .newCollation: .apply, .removedCollation: .keep, .newSync: .apply, .removedSync: .keep,
               .removedIndex: .keep, .removedProperty: .keep, .notUnique: .keep, .deleteRule: .keep],
        raised: [.newClass: .apply, .newProperty: .apply, .newIndex: .apply, .unique: .apply,
                 .newFullText: .apply, .removedFullText: .keep, .fullTextWeights: .apply,
                 .newPlaces: .apply, .removedPlaces: .keep, .newVectors: .apply, .removedVectors: .keep,
                 .newCollation: .apply, .removedCollation: .keep, .newSync: .apply, .removedSync: .keep, .syncRules: .apply,
                 .removedIndex: .apply, .removedProperty: .keep, .notUnique: .apply, .deleteRule: .apply],
        comparesLinks: true)
}
