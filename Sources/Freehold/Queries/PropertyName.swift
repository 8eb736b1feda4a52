/// The names of the properties that a key path leads over, with points between them: `_name(for: \Dog.owner?.name)` is `owner.name`.
/// Reports misuse if it leads over something else than properties that are kept.
public func _name<Model: KeypathSortable>(for keyPath: PartialKeyPath<Model>) -> String { PropertyNames.required(keyPath) }
