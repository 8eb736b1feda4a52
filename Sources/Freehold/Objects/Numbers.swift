public import FreeholdEngine

/// Numbers and bools, which are read through a cluster's fields if it has fields.
extension Int: _Storable, _Persistable, _PrimaryKey {
    public static var _kind: _PropertyKind { _PropertyKind(.int) }
    public static var _zero: Int { 0 }
    public func _stored(in context: StoringContext) -> Value { .int(Int64(self)) }

    public static func _load(_ value: Value, _ core: RealmCore) -> Int {
        guard case .int(let number) = value else { return 0 }
        return Int(number)
    }

    public static func _load(_ row: Row, _ column: Column, _ core: RealmCore) throws -> Int { Int(try row.int(column)) }

    public static func _from(_ value: Any, _ context: ValueContext) -> Int? { WholeNumber.from(value).flatMap { Int(exactly: $0) } }

    @inlinable @inline(__always)
    public static func _read(_ object: ObjectBase, _ offset: Int) -> Int {
        if let number = object._number(offset) { return Int(number) }
        return object._slowInt(offset)
    }
}

extension ObjectBase {
    @usableFromInline @inline(never) final func _slowInt(_ offset: Int) -> Int { slowValue(offset) }
    @usableFromInline @inline(never) final func _slowDouble(_ offset: Int) -> Double { slowValue(offset) }
    @usableFromInline @inline(never) final func _slowFloat(_ offset: Int) -> Float { slowValue(offset) }
    @usableFromInline @inline(never) final func _slowBool(_ offset: Int) -> Bool { slowValue(offset) }
}

/// An integer of another width; files store all of them in 64 bits.
public protocol _NarrowInteger: FixedWidthInteger, _Storable, _Persistable, _PrimaryKey {}

extension _NarrowInteger {
    public static var _kind: _PropertyKind { _PropertyKind(.int) }
    public static var _zero: Self { 0 }
    public func _stored(in context: StoringContext) -> Value { .int(Int64(self)) }

    /// Loads a stored integer. A value of another program may be too large: then it becomes the nearest valid one.
    public static func _load(_ value: Value, _ core: RealmCore) -> Self {
        guard case .int(let number) = value else { return 0 }
        return Self(clamping: number)
    }

    public static func _from(_ value: Any, _ context: ValueContext) -> Self? { WholeNumber.from(value).flatMap { Self(exactly: $0) } }
}

extension Int8: _NarrowInteger {}
extension Int16: _NarrowInteger {}
extension Int32: _NarrowInteger {}
extension Int64: _NarrowInteger {}

extension Bool: _Storable, _Persistable {
    public static var _kind: _PropertyKind { _PropertyKind(.bool) }
    public static var _zero: Bool { false }
    public func _stored(in context: StoringContext) -> Value { .bool(self) }
    public static func _load(_ value: Value, _ core: RealmCore) -> Bool { value == .bool(true) }
    public static func _load(_ row: Row, _ column: Column, _ core: RealmCore) throws -> Bool { try row.bool(column) }

    public static func _from(_ value: Any, _ context: ValueContext) -> Bool? {
        switch UntypedNumber(value) {
        case .bool(let flag): flag
        case let number?: number.whole.flatMap { $0 == 0 ? false : $0 == 1 ? true : nil }
        case nil: nil
        }
    }

    @inlinable @inline(__always)
    public static func _read(_ object: ObjectBase, _ offset: Int) -> Bool {
        if let number = object._number(offset) { return number != 0 }
        return object._slowBool(offset)
    }
}

extension Double: _Storable, _Persistable {
    public static var _kind: _PropertyKind { _PropertyKind(.double) }
    public static var _zero: Double { 0 }
    public func _stored(in context: StoringContext) -> Value { .double(self) }

    public static func _load(_ value: Value, _ core: RealmCore) -> Double {
        guard case .double(let number) = value else { return 0 }
        return number
    }

    public static func _load(_ row: Row, _ column: Column, _ core: RealmCore) throws -> Double { try row.double(column) }

    public static func _from(_ value: Any, _ context: ValueContext) -> Double? {
        type(of: value) == Double.self ? value as? Double : UntypedNumber(value)?.real
    }

    @inlinable @inline(__always)
    public static func _read(_ object: ObjectBase, _ offset: Int) -> Double {
        if let number = object._number(offset) { return Double(bitPattern: UInt64(bitPattern: number)) }
        return object._slowDouble(offset)
    }
}

extension Float: _Storable, _Persistable {
    public static var _kind: _PropertyKind { _PropertyKind(.float) }
    public static var _zero: Float { 0 }
    public func _stored(in context: StoringContext) -> Value { .float(self) }

    public static func _load(_ value: Value, _ core: RealmCore) -> Float {
        guard case .float(let number) = value else { return 0 }
        return number
    }

    public static func _from(_ value: Any, _ context: ValueContext) -> Float? {
        guard let number = UntypedNumber(value)?.real else { return nil }
        return Float(number).isFinite || !number.isFinite ? Float(number) : nil
    }

    @inlinable @inline(__always)
    public static func _read(_ object: ObjectBase, _ offset: Int) -> Float {
        if let number = object._number(offset) { return Float(bitPattern: UInt32(truncatingIfNeeded: number)) }
        return object._slowFloat(offset)
    }
}
