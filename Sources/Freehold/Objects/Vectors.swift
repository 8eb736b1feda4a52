public import Foundation
public import FreeholdEngine

/// A number of a vector that a property stores as it is: `Float`, of four bytes, and `Int8`, of one.
public protocol _VectorNumber: _Storable {
    associatedtype _Bits: FixedWidthInteger & BitwiseCopyable
    /// How a vector of such numbers is stored.
    static var _elements: VectorElements { get }
    /// Creates the number with these bits.
    init(_bits: _Bits)
    /// The bits of the number, as the file has them.
    var _bits: _Bits { get }
}

extension Float: _VectorNumber {
    public static var _elements: VectorElements { .float32 }
    public init(_bits: UInt32) { self.init(bitPattern: _bits) }
    public var _bits: UInt32 { bitPattern }
}

extension Int8: _VectorNumber {
    public static var _elements: VectorElements { .int8 }
    public init(_bits: UInt8) { self.init(bitPattern: _bits) }
    public var _bits: UInt8 { UInt8(bitPattern: self) }
}

/// An array of numbers as a property: a vector. The file has its bytes, in a property of type `data`.
///
/// ```swift
/// class Product: Object {
///     @Persisted(vector: 384) var embedding: [Float]
///     @Persisted var thumbnail: [Int8]?
/// }
/// ```
/// Stored data of another program that is no whole number of elements reads as nil if the property is optional, otherwise as
/// an empty array.
extension Array: _Storable, _Persistable where Element: _VectorNumber {
    public static var _kind: _PropertyKind { _PropertyKind(.data).wrapped }
    public static var _zero: [Element] { [] }

    public func _stored(in context: StoringContext) -> FreeholdEngine.Value {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count * MemoryLayout<Element._Bits>.size)
        for element in self {
            // Safe: the bytes of an integer are copied within the call.
            Swift.withUnsafeBytes(of: element._bits.littleEndian) { bytes.append(contentsOf: $0) }
        }
        return .data(bytes)
    }

    public static func _load(_ value: FreeholdEngine.Value, _ core: RealmCore) -> [Element] { _loadKnown(value, core) ?? [] }

    public static func _loadKnown(_ value: FreeholdEngine.Value, _ core: RealmCore) -> [Element]? {
        guard case .data(let bytes) = value else { return nil }
        return numbers(in: bytes)
    }

    public static func _from(_ value: Any, _ context: ValueContext) -> [Element]? {
        if let own = value as? [Element] { return own }
        if let data = value as? Data { return numbers(in: Array<UInt8>(data)) }
        guard let numbers = value as? any Sequence else { return nil }
        var all: [Element] = []
        for number in numbers {
            guard let number = Element._from(number, context) else { return nil }
            all.append(number)
        }
        return all
    }

    private static func numbers(in bytes: [UInt8]) -> [Element]? {
        let width = MemoryLayout<Element._Bits>.size
        guard bytes.count % width == 0 else { return nil }
        // Safe: each number is within the bytes, which are read within the call.
        return bytes.withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: width).map { place in
                Element(_bits: Element._Bits(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: Element._Bits.self)))
            }
        }
    }
}

/// The types of properties with vectors: `[Float]`, `[Int8]`, `Data`, and their optionals.
public protocol _Vector: _Persistable {
    /// How the vectors of the type are stored; nil if the declaration says it.
    static var _elements: VectorElements? { get }
}

/// The types of properties with the bytes of vectors: `Data` and `Data?`.
public protocol _VectorBytes: _Vector {}

extension Array: _Vector where Element: _VectorNumber {
    public static var _elements: VectorElements? { Element._elements }
}

extension Data: _VectorBytes {
    public static var _elements: VectorElements? { nil }
}

extension Optional: _Vector where Wrapped: _Vector & _Storable {
    public static var _elements: VectorElements? { Wrapped._elements }
}

extension Optional: _VectorBytes where Wrapped: _VectorBytes & _Storable {}

extension Data {
    /// The bytes that store a vector. Numbers are rounded to the nearest that can be stored, ties to even.
    ///
    /// ```swift
    /// product.embedding = Data(vector: [0.25, -1, 3], as: .float16)
    /// ```
    public init(vector: [Float], as elements: VectorElements = .float32) { self.init(elements.bytes(of: vector)) }

    /// The numbers of a stored vector; nil if a part of a number is left over.
    public func vector(of elements: VectorElements = .float32) -> [Float]? { elements.numbers(in: Array(self)) }
}
