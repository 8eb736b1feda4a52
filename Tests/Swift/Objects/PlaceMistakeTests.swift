import Foundation
import Freehold
import Testing

class MistakenPlace: Object {
    @Persisted(places: true) var next: MistakenPlace?
    @Persisted(places: false) var spare: MistakenPlace?
    @Persisted var spot: Spot?
    @Persisted var others: List<Spot>
    @Persisted(originProperty: "next") var before: LinkingObjects<MistakenPlace>
    @Persisted var latitude: Float = 0
    @Persisted var longitude = 0.0
    @Persisted var shifts: List<Double>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    override class func placeIndexes() -> [PlaceIndex] {
        ["missing", "others", "before", "spot", "spot", .init(), .init(latitude: "latitude", longitude: "longitude"),
         .init(latitude: "longitude", longitude: "longitude"), .init(latitude: "longitude", longitude: "shifts"),
         .init(latitude: "next.next.longitude", longitude: "others.kind"), .init(latitude: "next.missing", longitude: "next.latitude")]
    }
}

class MistakenSpot: EmbeddedObject {
    @Persisted(places: true) var spot: Spot?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Wrong declarations of indexes of places")
struct PlaceMistakeTests {
    @Test("each is named, with its class and what is wrong, when the file is opened")
    func mistakes() throws {
        let folder = try Folder(), error = try #require(refusal(folder.configuration([MistakenPlace.self, MistakenSpot.self, Spot.self])))
        let place = "Index of places of class 'MistakenPlace'", rule = "a latitude and a longitude are of type 'double'"
        let point = "property 'type', a string, with 'coordinates', a list of doubles"
        let wanted = [
            "\(place): 'next' leads to class 'MistakenPlace', which has no \(point).",
            "\(place): 'missing' does not exist on object 'MistakenPlace'.",
            "\(place): 'others' is no link to one object.",
            "\(place): 'before' is no link to one object.",
            "\(place) over 'spot' is declared twice.",
            "\(place): the class has no \(point).",
            "\(place): 'latitude' is of type 'float'; \(rule).",
            "\(place): 'longitude' is named as latitude and as longitude.",
            "\(place): 'shifts' is of type 'collection of double'; \(rule).",
            "\(place): 'next.next.longitude' leads over more than one link.",
            "\(place): 'others.kind' leads over 'others', which is no link to one object.",
            "\(place): 'next.missing' leads to 'missing', which does not exist on object 'MistakenPlace'.",
            "\(place): 'next.latitude' leads to a property of type 'float'; \(rule).",
            "Embedded class 'MistakenSpot' cannot have an index of places; declare it in the class that holds it, as "
                + "@Persisted(places: true) var location: Location?, or in placeIndexes().",
        ]
        let told = error.message.components(separatedBy: "\n").dropFirst().map { String($0.dropFirst(2)) }
        #expect(Set(told) == Set(wanted), "\(error.message)")
    }
}
