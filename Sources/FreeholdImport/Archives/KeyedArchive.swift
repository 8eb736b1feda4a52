import FreeholdEngine

/// What NSKeyedArchiver writes: a property list whose `$objects` are instances that refer to one another, and whose
/// `$top` names the outermost ones.
///
/// Nothing is instantiated: instances are names of classes with fields. Each is read once, however often it is referred to.
final class KeyedArchive {
    /// An instance: the name of its class and its fields.
    struct Instance {
        let className: String
        fileprivate let fields: TextMap<Int>
    }

    let list: BinaryPropertyList
    /// The index in the list of each archived object.
    private let objects: [Int]
    private let top: TextMap<Int>
    /// By the index of the object, what has been read; nil: it is no instance.
    private var instances: [Int: Instance?] = [:]
    /// By the index of a class's description.
    private var classNames: [Int: String?] = [:]

    /// - Throws: `.notThisFormat` if the list is sound but not a keyed archive.
    convenience init(_ bytes: [UInt8]) throws(SourceError) { try self.init(try BinaryPropertyList(bytes)) }

    init(_ list: BinaryPropertyList) throws(SourceError) {
        self.list = list
        let foreign = SourceError(.notThisFormat, "a property list that is not a keyed archive")
        guard let root = try Self.fields(list.object(list.root), of: list), let archiver = root["$archiver"], let top = root["$top"],
            let objects = root["$objects"], case .string(let name) = try list.object(archiver), name.hasSuffix("KeyedArchiver"),
            case .array(let all) = try list.object(objects), let tops = try Self.fields(list.object(top), of: list)
        else { throw foreign }
        self.objects = all
        self.top = tops
    }

    /// The outermost object: the one named `root`, or the only one; nil if there is none.
    var root: Int? { top["root"] ?? (top.count == 1 ? top.values[0] : nil) }

    /// The object at an index of the list, or if that is a reference, the object it refers to.
    func object(_ index: Int) throws(SourceError) -> BinaryPropertyList.Object { try list.object(try resolved(index)) }

    /// The index of an object itself, which identifies it, from the index of a reference to it.
    func resolved(_ index: Int) throws(SourceError) -> Int {
        guard case .reference(let number) = try list.object(index) else { return index }
        guard number < objects.count else { throw SourceError(.damaged, "an archive refers to object \(number) of \(objects.count)") }
        return objects[number]
    }

    /// The instance at an index; nil if something else is there.
    func instance(_ index: Int) throws(SourceError) -> Instance? {
        let index = try resolved(index)
        if let known = instances[index] { return known }
        let found = try readInstance(index)
        instances[index] = .some(found)
        return found
    }

    private func readInstance(_ index: Int) throws(SourceError) -> Instance? {
        guard let fields = try Self.fields(list.object(index), of: list), let type = fields["$class"],
            let name = try className(resolved(type))
        else {
            return nil
        }
        return Instance(className: name, fields: fields)
    }

    private func className(_ index: Int) throws(SourceError) -> String? {
        if let known = classNames[index] { return known }
        var found: String?
        if let description = try Self.fields(list.object(index), of: list), let name = description["$classname"],
            case .string(let text) = try object(name)
        {
            found = text
        }
        classNames[index] = .some(found)
        return found
    }

    /// The index of a field; nil if it is missing or nil.
    func field(_ name: String, of instance: Instance) throws(SourceError) -> Int? {
        guard let index = instance.fields[name], try !isNil(index) else { return nil }
        return index
    }

    /// A field that is a string, also an archived NSString.
    func text(_ name: String, of instance: Instance) throws(SourceError) -> String? {
        guard let index = try field(name, of: instance) else { return nil }
        return try text(index)
    }

    /// A field that is an integer or a truth value; nil if it is missing or something else.
    func int(_ name: String, of instance: Instance) throws(SourceError) -> Int64? {
        guard let index = try field(name, of: instance) else { return nil }
        switch try object(index) {
        case .int(let number): return number
        case .bool(let flag): return flag ? 1 : 0
        default: return nil
        }
    }

    /// The string at an index; nil if something else is there.
    func text(_ index: Int) throws(SourceError) -> String? {
        if case .string(let text) = try object(index) { return text }
        guard let instance = try instance(index), let inner = instance.fields["NS.string"], case .string(let text) = try object(inner)
        else { return nil }
        return text
    }

    /// The elements of an archived array, set or ordered set; nil if something else is there.
    func elements(_ index: Int) throws(SourceError) -> [Int]? {
        guard let instance = try instance(index) else {
            if case .array(let all) = try object(index) { return all }
            return nil
        }
        if let all = instance.fields["NS.objects"], instance.fields["NS.keys"] == nil {
            guard case .array(let indexes) = try object(all) else { return nil }
            return indexes
        }
        // Ordered sets, and archives of old systems: a field for each element.
        guard instance.className.hasSuffix("Set") || instance.className.hasSuffix("Array") else { return nil }
        var numbered: [Int] = []
        while let next = instance.fields["NS.object.\(numbered.count)"] { numbered.append(next) }
        return numbered
    }

    /// The entries of an archived dictionary; nil if something else is there.
    func entries(_ index: Int) throws(SourceError) -> [(key: Int, value: Int)]? {
        guard let instance = try instance(index), let first = instance.fields["NS.keys"], let second = instance.fields["NS.objects"],
            case .array(let keys) = try object(first), case .array(let values) = try object(second), keys.count == values.count
        else { return nil }
        return Array(zip(keys, values)).map { (key: $0.0, value: $0.1) }
    }

    /// The values of an archived dictionary, or the elements of an archived array or set; empty if something else is there.
    func members(_ index: Int) throws(SourceError) -> [Int] {
        if let entries = try entries(index) { return entries.map(\.value) }
        return try elements(index) ?? []
    }

    /// Whether the archive's nil is there.
    func isNil(_ index: Int) throws(SourceError) -> Bool {
        switch try list.object(index) {
        case .reference(0), .null: return true
        default: return false
        }
    }

    /// The entries of a dictionary with strings as keys; nil if something else is there.
    static func fields(_ object: BinaryPropertyList.Object, of list: BinaryPropertyList) throws(SourceError) -> TextMap<Int>? {
        guard case .dictionary(let keys, let values) = object else { return nil }
        var fields = TextMap<Int>()
        for (key, value) in zip(keys, values) {
            guard case .string(let name) = try list.object(key) else { return nil }
            fields[name] = value
        }
        return fields
    }
}
