/// The names of the properties that a key path leads over, with points between them: `_name(for: \Dog.owner?.name)` is `owner.name`,
/// `_name(for: \Person.dogs[0].name)` is `dogs.name`, whatever the position or key. Reports misuse if it leads over something else than properties that are kept.
public func _name<Model: KeypathSortable>(for keyPath: PartialKeyPath<Model>) -> String { PropertyNames.required(keyPath) }
