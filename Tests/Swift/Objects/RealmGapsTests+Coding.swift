import Foundation
import Freehold
import Testing

class GapCoded: Object, Codable {
    @Persisted var data: Data
    @Persisted var more: Data?
    @Persisted var when: Date
    @Persisted var later: Date?
    @Persisted var all: List<Data>
    @Persisted var byName: Map<String, Date>
    @Persisted var any: AnyRealmValue
}

/// What coders make of values.
extension RealmGapsTests {
    @Test("data is base64 text, as JSON's coders have it")
    func base64() throws {
        let text = #"{"data":"aGk=","more":"aGk=","when":5,"all":["aGk="],"byName":{"a":7}, "any": 1}"#
        let coded = try JSONDecoder().decode(GapCoded.self, from: Data(text.utf8))
        #expect(coded.data == Data("hi".utf8) && coded.more == Data("hi".utf8) && Array(coded.all) == [Data("hi".utf8)])
        #expect(coded.when == Date(timeIntervalSinceReferenceDate: 5) && coded.later == nil && coded.byName["a"] == Date(timeIntervalSinceReferenceDate: 7))
        let written = try #require(JSONSerialization.jsonObject(with: JSONEncoder().encode(coded)) as? [String: Any])
        #expect(written["data"] as? String == "aGk=" && written["more"] as? String == "aGk=" && written["all"] as? [String] == ["aGk="])
        #expect(written["later"] == nil || written["later"] is NSNull)
    }

    @Test("a coder's ways with dates and data count, for managed objects too")
    func strategies() throws {
        let decoder = JSONDecoder(), encoder = JSONEncoder()
        decoder.dateDecodingStrategy = .iso8601
        encoder.dateEncodingStrategy = .iso8601
        decoder.dataDecodingStrategy = .custom { Data(try $0.singleValueContainer().decode(String.self).utf8) }
        encoder.dataEncodingStrategy = .custom { data, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(String(decoding: data, as: UTF8.self))
        }
        let text = #"{"data":"hi","when":"1970-01-01T00:01:00Z","later":"1970-01-01T00:02:00Z","all":["a","b"],"byName":{"x":"1970-01-01T00:03:00Z"},"any":"t"}"#
        let coded = try decoder.decode(GapCoded.self, from: Data(text.utf8))
        #expect(coded.data == Data("hi".utf8) && coded.when.timeIntervalSince1970 == 60 && coded.later?.timeIntervalSince1970 == 120 && coded.all.count == 2)
        let realm = try Self.realm([GapCoded.self])
        try realm.write { realm.add(coded) }
        let written = try #require(JSONSerialization.jsonObject(with: encoder.encode(coded)) as? [String: Any])
        #expect(written["data"] as? String == "hi" && written["when"] as? String == "1970-01-01T00:01:00Z" && written["later"] as? String == "1970-01-01T00:02:00Z")
        #expect(written["all"] as? [String] == ["a", "b"] && (written["byName"] as? [String: String])?["x"] == "1970-01-01T00:03:00Z")
        let plist = try PropertyListDecoder().decode(GapCoded.self, from: PropertyListEncoder().encode(coded))
        #expect(plist.data == coded.data && plist.when == coded.when && plist.all.count == 2)
    }
}
