import Foundation
import Freehold

/// The benchmark's person.
final class Person: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var age = 0
    @Persisted var active = false
    @Persisted var score = 0.0
    @Persisted var created = Date(timeIntervalSince1970: 0)
    @Persisted(indexed: true) var city = ""
    @Persisted var name = ""
    @Persisted var visits = 0
}

/// The same without a database, to compare with.
final class PlainPerson {
    var id = 0
    var age = 0
}
