#if OldModels
/// Stores the properties that a class declares in the style from before `@Persisted`: as `dynamic var`.
///
/// ```swift
/// @PersistedMembers
/// class Dog: Object {
///     dynamic var name = ""
///     dynamic var age = 0
///     dynamic var owner: Person?
///     let friends = List<Dog>()
///     override static func primaryKey() -> String? { return "name" }
/// }
/// ```
/// Each such property becomes `@Persisted`, unless `ignoredProperties()` names it, which has to return string literals.
/// Properties that are computed, `let`, `lazy`, not `dynamic` or marked otherwise stay as they are. A package enables
/// the macro with the trait `OldModels`.
@attached(memberAttribute)
public macro PersistedMembers() = #externalMacro(module: "FreeholdMacros", type: "PersistedMembersMacro")
#endif
