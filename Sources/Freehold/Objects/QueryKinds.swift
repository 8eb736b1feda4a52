import Foundation
import FreeholdEngine

/// Values with an order that queries know: numbers, texts, dates, ids, enumerations and types of the program's own.
public protocol _QueryComparable {}

/// Values into which queries look: texts and data.
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

/// Any optional, for what its value has.
public protocol _OptionalValue {
    associatedtype Wrapped
}

extension Optional: _OptionalValue {}
