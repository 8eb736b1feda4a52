@_spi(Reflection) import Swift
import Synchronization

/// A stored property of a class.
struct ClassField {
    let name: String
    /// The offset in an instance, in bytes.
    let offset: Int
    let type: any Any.Type
}

/// A generic form of field types, such as a list, that makes a type from the class it leads to.
protocol FieldShape: Sendable {
    /// The field type for a class; nil if there is none.
    func type(for target: ObjectBase.Type) -> (any Any.Type)?
}

/// The stored properties of classes, read from the compiler's metadata.
///
/// The run time lists them too, but finds the type of each by decoding its mangled name, which is most of the time that
/// opening a file with many classes takes. There are many fields but few field types, so names are read here, and each
/// is resolved once. Types that lead to objects exist for each class: their names differ only in the class, and only
/// the first one of a shape is resolved.
///
/// Safe throughout: descriptors and metadata are laid out by the compiler in a way that cannot change without a new
/// version of the language's binary interface; a test compares what is read here with what the run time says.
enum ClassFields {
    /// The fields of a class and its superclasses, up to the library's own, in the order in which instances have them.
    static func of(_ type: ObjectBase.Type) -> [ClassField] {
        known.withLock { known in
            if let fields = read(type, &known) { return fields }
            let fields = reflected(type)
            learn(fields, of: type, &known)
            return fields
        }
    }

    /// The fields of a class, if they are known without calling the run time; nil otherwise.
    static func found(_ type: ObjectBase.Type) -> [ClassField]? { known.withLock { read(type, &$0) } }

    /// The fields that the run time lists.
    static func reflected(_ type: ObjectBase.Type) -> [ClassField] {
        var fields: [ClassField] = []
        _forEachField(of: type, options: _EachFieldOptions(rawValue: 1)) { name, offset, type, _ in
            if offset >= ObjectBase._firstProperty { fields.append(ClassField(name: String(cString: name), offset: offset, type: type)) }
            return true
        }
        return fields.sorted { $0.offset < $1.offset }
    }

    private struct Known: Sendable {
        /// The types of fields, by their mangled names.
        var types: [TypeName: any Any.Type] = [:]
        /// The shape of each mangled name that mentions one model class, with the class left out.
        var shapes: [TypeName: any FieldShape] = [:]
        /// All shapes, and the function that finds a model by its descriptor; empty until `use` is called.
        var everyShape: [any FieldShape] = []
        var findModel: (@Sendable (UnsafeRawPointer?) -> ObjectBase.Type?)?
        /// Classes by their descriptors; nil for other types.
        var models: [UInt: ObjectBase.Type?] = [:]

        mutating func type(_ name: TypeName) -> (any Any.Type)? {
            if let type = types[name] { return type }
            guard let (shape, target) = shape(name), let type = shapes[shape]?.type(for: target) else { return nil }
            types[name] = type
            return type
        }

        mutating func learn(_ name: TypeName, _ type: any Any.Type) {
            types[name] = type
            guard let (shape, target) = shape(name), shapes[shape] == nil else { return }
            shapes[shape] = everyShape.first { $0.type(for: target) == type }
        }

        /// The name without the model class that it mentions; nil unless it mentions exactly one.
        private mutating func shape(_ name: TypeName) -> (TypeName, ObjectBase.Type)? {
            var found: (place: Int, type: ObjectBase.Type)?
            for place in name.descriptors {
                guard let type = model(name.words[place]) else { continue }
                if found != nil { return nil }
                found = (place, type)
            }
            return found.map { (name.without($0.place), $0.type) }
        }

        private mutating func model(_ descriptor: UInt) -> ObjectBase.Type? {
            if let known = models[descriptor] { return known }
            guard let findModel else { return nil }
            let type = findModel(UnsafeRawPointer(bitPattern: descriptor))
            models[descriptor] = .some(type)
            return type
        }
    }

    private static let known = PerProcess { Known() }

    /// Sets the shapes, which let field types be made of their class once one type of a shape is known.
    static func use(shapes: [any FieldShape], models: @escaping @Sendable (UnsafeRawPointer?) -> ObjectBase.Type?) {
        known.withLock { ($0.everyShape, $0.findModel) = (shapes, models) }
    }

    /// All fields, if the types of all are known by their names; nil otherwise.
    private static func read(_ type: ObjectBase.Type, _ known: inout Known) -> [ClassField]? {
        guard let records = records(of: type) else { return nil }
        var fields: [ClassField] = []
        fields.reserveCapacity(records.count)
        for record in records {
            guard let type = known.type(record.typeName) else { return nil }
            fields.append(ClassField(name: String(cString: record.name), offset: record.offset, type: type))
        }
        return fields
    }

    private static func learn(_ fields: [ClassField], of type: ObjectBase.Type, _ known: inout Known) {
        guard let records = records(of: type), records.count == fields.count else { return }
        for (record, field) in zip(records, fields) where record.offset == field.offset { known.learn(record.typeName, field.type) }
    }

    private struct Record {
        let name: UnsafePointer<CChar>
        let typeName: TypeName
        let offset: Int
    }

    /// The field records of a class and its superclasses; nil if the run time has to be called.
    private static func records(of type: ObjectBase.Type) -> [Record]? {
        var found: [Record] = [], next: ObjectBase.Type? = type
        while let type = next, !type.isRoot {
            guard let own = ownRecords(of: type) else { return nil }
            found.insert(contentsOf: own, at: 0)
            next = Swift._getSuperclass(type) as? ObjectBase.Type
        }
        return found
    }

    private static func ownRecords(of type: ObjectBase.Type) -> [Record]? {
        let metadata = unsafeBitCast(type as AnyClass, to: UnsafeRawPointer.self)
        let descriptor = metadata.load(fromByteOffset: 40, as: UnsafeRawPointer.self)
        // Kind 16 is a class. Bit 7: it is generic, and fields may have its parameters as types; bit 29: field offsets
        // are set late.
        guard descriptor.load(as: UInt32.self) & (0x9F | 1 << 29) == 16, let fields = follow(descriptor + 16) else { return nil }
        let count = Int(descriptor.load(fromByteOffset: 36, as: UInt32.self))
        let offsets = metadata + Int(descriptor.load(fromByteOffset: 40, as: UInt32.self)) * 8
        let size = Int(fields.load(fromByteOffset: 10, as: UInt16.self))
        guard fields.load(fromByteOffset: 12, as: UInt32.self) == count, size >= 12 else { return nil }
        var found: [Record] = []
        found.reserveCapacity(count)
        for place in 0..<count {
            // Flags, the type's name, the field's name.
            let record = fields + 16 + place * size
            guard let type = follow(record + 4), let name = follow(record + 8) else { return nil }
            found.append(Record(name: name.assumingMemoryBound(to: CChar.self), typeName: TypeName(type),
                                offset: offsets.load(fromByteOffset: place * 8, as: Int.self)))
        }
        return found
    }

    private static func follow(_ place: UnsafeRawPointer) -> UnsafeRawPointer? {
        let distance = Int(place.load(as: Int32.self))
        return distance == 0 ? nil : place + distance
    }
}

/// A mangled type name with references to descriptors replaced by their addresses: equal names mean one type.
private struct TypeName: Hashable {
    private(set) var words: [UInt]
    /// The indices of the words that are addresses of descriptors.
    private(set) var descriptors: [Int] = []

    /// The name with one word cleared.
    func without(_ place: Int) -> TypeName {
        var other = self
        other.words[place] = 0
        return other
    }

    static func == (left: TypeName, right: TypeName) -> Bool { left.words == right.words }
    func hash(into hasher: inout Hasher) { hasher.combine(words) }

    /// Safe: a mangled name ends with 0; within it 1…23 precede a distance of four bytes, 24…31 an address of eight.
    init(_ name: UnsafeRawPointer) {
        words = []
        words.reserveCapacity(8)
        var next = name, text: UInt = 0, count = 0
        while case let byte = next.load(as: UInt8.self), byte != 0 {
            next += 1
            if byte >= 32 {
                if count == 7 { (text, count) = (take(text), 0) }
                (text, count) = (text << 8 | UInt(byte), count + 1)
                continue
            }
            if count > 0 { (text, count) = (take(text), 0) }
            if byte < 24 {
                let target = next + Int(next.loadUnaligned(as: Int32.self))
                // 2 precedes a pointer to the descriptor.
                words += [UInt(byte), byte == 2 ? target.loadUnaligned(as: UInt.self) : UInt(bitPattern: target)]
                if byte <= 2 { descriptors.append(words.count - 1) }
                next += 4
            } else {
                words += [UInt(byte), next.loadUnaligned(as: UInt.self)]
                next += 8
            }
        }
        if count > 0 { _ = take(text) }
    }

    /// Appends up to seven letters; a word below 32 precedes an address instead. Returns the start of the next word.
    private mutating func take(_ text: UInt) -> UInt {
        words.append(text)
        return 0
    }
}
