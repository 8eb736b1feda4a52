import Foundation
import Freehold
import Testing

final class NearestItem: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var embedding: Data
}

/// `NEAREST` in results, which are live.
@Suite struct NearestResultsTests {
    private static func bytes(_ vector: [Float]) -> Data { vector.withUnsafeBytes { Data($0) } }

    @Test("results of an earlier version are empty while all vectors have another length, and find those that come")
    func otherLengths() throws {
        let realm = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "near\(UUID())", objectTypes: [NearestItem.self]))
        func write(_ vector: [Float]) throws {
            try realm.write {
                for number in 1...3 {
                    realm.create(NearestItem.self, value: ["number": number, "embedding": Self.bytes(vector)], update: .all)
                }
            }
        }
        try write([1, 2])
        let nearest = realm.objects(NearestItem.self).filter("NEAREST(embedding, %@, 2)", Self.bytes([1, 0]))
        #expect(nearest.count == 2)
        try write([1, 2, 3])
        #expect(nearest.isEmpty && nearest.first == nil && Array(nearest).isEmpty)
        try write([2, 1])
        #expect(nearest.map(\.number) == [1, 2])
    }
}
