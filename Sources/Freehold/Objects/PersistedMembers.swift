#if OldModels
/// Keeps the properties that a class declares in the manner of before `@Persisted`: as `dynamic var`.
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
/// Each of them becomes `@Persisted`, unless `ignoredProperties()` names it, which has to say the names as texts. What is computed, `let`,
/// `lazy`, not `dynamic` or marked otherwise stays as it is. A package asks for it by the trait `OldModels`.
@attached(memberAttribute)
public macro PersistedMembers() = #externalMacro(module: "FreeholdMacros", type: "PersistedMembersMacro")
#endif
