import Foundation
import FreeholdEngine

/// A type whose values queries compare by order: numbers, strings, dates, ids, enumerations and types of the program.
public protocol _QueryComparable {}

/// A type whose values queries search in: strings and data.
public protocol _QueryText {}

extension Int: _QueryComparable {}
extension Int8: _QueryComparable {}
extension Int16: _QueryComparable {}
extension Int32: _QueryComparable {}
extension Int64: _QueryComparable {}
extension Float: _QueryComparable {}
extension Double: _QueryComparable {}
extension Decimal128: _QueryComparable {}
extension Date: _QueryComparable {}
extension UUID: _QueryComparable {}
extension ObjectId: _QueryComparable {}
extension String: _QueryComparable, _QueryText {}
extension Data: _QueryText {}
extension Optional: _QueryComparable where Wrapped: _QueryComparable {}
extension Optional: _QueryText where Wrapped: _QueryText {}

/// Any optional type, for access to its wrapped type.
public protocol _OptionalValue {
    associatedtype Wrapped
}

extension Optional: _OptionalValue {}
