/// An index of places as a class declares it: where its objects have their places.
///
/// ```swift
/// let indexes: [PlaceIndex] = ["location", .init(latitude: "latitude", longitude: "longitude")]
/// ```
/// A class has at most one index over the same properties.
public struct PlaceIndex: Sendable, Hashable, ExpressibleByStringLiteral {
    /// Its two properties: a latitude and a longitude, or `type` and `coordinates`, perhaps of the object that a link leads to.
    public let paths: [String]

    init(paths: [String]) { self.paths = paths }

    /// Creates an index of the places in the objects that a to-one link leads to, by their properties `type`, a string that is
    /// `"Point"`, and `coordinates`, a list of doubles.
    public init(_ link: String) { paths = Self.point.map { "\(link).\($0)" } }

    public init(stringLiteral link: String) { self.init(link) }

    /// Creates an index of the places in objects that have `type` and `coordinates` themselves.
    public init() { paths = Self.point }

    /// Creates an index of the places at a latitude and a longitude: doubles of the class, or of the object that a to-one link
    /// leads to, as in `home.latitude`.
    public init(latitude: String, longitude: String) { paths = [latitude, longitude] }

    private static let point = ["type", "coordinates"]

    /// The to-one link to the objects that have `type` and `coordinates`; nil for other indexes.
    public var link: String? {
        guard let first = paths.first, first.hasSuffix(".type") else { return nil }
        let link = String(first.dropLast(5))
        return paths.isSame(as: Self.point.map { "\(link).\($0)" }) ? link : nil
    }

    /// What places are called in a query, as messages show it: `location`, or `latitude, longitude`.
    public var place: String { link ?? paths.joined(separator: ", ") }

    /// Whether both are over the same properties; names are compared by their bytes.
    public static func == (left: PlaceIndex, right: PlaceIndex) -> Bool { left.paths.isSame(as: right.paths) }
}
