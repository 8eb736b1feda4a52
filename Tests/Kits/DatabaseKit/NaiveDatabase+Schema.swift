@testable import FreeholdEngine

/// The model's side of schema changes.
extension NaiveDatabase {
    /// Whether the properties that tests of errors name are still what they were.
    func isAsMade(_ name: String) -> Bool {
        classes[name]!.schema.properties.allSatisfy { property in
            switch property.name {
            case "flag": property.type == .bool
            case "text": property.type == .string && !property.isNullable
            case "next": property.type == .link
            default: true
            }
        }
    }

    mutating func renameClass(_ name: String, to new: String) {
        var stored = classes.removeValue(forKey: name)!
        stored.schema.name = new
        classes[new] = stored
        order[order.firstIndex(of: name)!] = new
        for other in order {
            for place in classes[other]!.schema.properties.indices where classes[other]!.schema.properties[place].linkTarget == name {
                classes[other]!.schema.properties[place].linkTarget = new
            }
        }
    }

    mutating func dropClass(_ name: String) {
        let number = classes[name]!.number
        classes[name] = nil
        for other in order where other != name {
            for (place, property) in classes[other]!.schema.properties.enumerated() where property.type == .mixed {
                map(place, other) { $0.withoutReferences { $0.classNumber == number } }
            }
        }
        order.removeAll { $0 == name }
    }

    mutating func dropProperty(_ place: Int, _ name: String) {
        classes[name]!.schema.properties.remove(at: place)
        classes[name]!.properties.remove(at: place)
        for key in classes[name]!.objects.keys { classes[name]!.objects[key]!.remove(at: place) }
    }

    /// Gives every object another value in a property.
    mutating func map(_ place: Int, _ name: String, _ convert: (Value) -> Value) {
        for (key, values) in classes[name]!.objects { classes[name]!.objects[key]![place] = convert(values[place]) }
    }
}
