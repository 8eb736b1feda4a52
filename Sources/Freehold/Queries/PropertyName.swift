/// The names of the properties on a key path, joined by dots: `_name(for: \Dog.owner?.name)` is `owner.name`,
/// `_name(for: \Person.dogs[0].name)` is `dogs.name`, whatever the position or key. Reports misuse if the path leads
/// over anything but stored properties.
public func _name<Model: KeypathSortable>(for keyPath: PartialKeyPath<Model>) -> String { PropertyNames.required(keyPath) }
