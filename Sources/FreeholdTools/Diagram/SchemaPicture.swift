import FreeholdEngine

/// A schema drawn: a box for each class with its properties, an arrow for each relation.
///
/// Coordinates are points from the top left corner. Letters have a fixed width (`letterWidth`). In the SVG each string
/// states its width, so that it fits its box in any font.
public struct SchemaPicture: Sendable {
    /// One line of a box: a property, or an index over several properties, which has no type.
    public struct Row: Sendable {
        /// The name, cut if it is long, without control characters.
        public let name: String
        /// The type in words: `list of string?`.
        public let type: String
        /// Keys, indexes and rules: `primary key, indexed`.
        public let remarks: String
    }

    /// A class.
    public struct Box: Sendable {
        /// The name of the class.
        public let className: String
        /// The heading: the name, cut if it is long, without control characters.
        public let name: String
        /// What follows the name in the heading: `embedded`, `extends Animal`.
        public let remark: String
        /// The lines below the heading, each `rowHeight` high.
        public let rows: [Row]
        /// The number of letters before the types.
        public let typeColumn: Int
        /// The width of the box.
        public let width: Double
        /// The height of the box; may be more than its rows need if many arrows lead to it.
        public let height: Double
        /// The left side of the box.
        public fileprivate(set) var x = 0.0
        /// The upper side of the box.
        public fileprivate(set) var y = 0.0

        /// The middle of a line; of the heading for nil.
        public func middle(of row: Int?) -> Double {
            y + (row.map { SchemaPicture.headHeight + (Double($0) + 0.5) * SchemaPicture.rowHeight } ?? SchemaPicture.headHeight / 2)
        }
    }

    /// A relation as the points it passes; between two points it is a curve if the height changes, else a line.
    public struct Arrow: Sendable {
        /// The class that the arrow leaves.
        public let from: String
        /// The class that it leads to.
        public let to: String
        /// The link property; nil if `from` extends `to`.
        public let property: String?
        /// The points from the side of one box to the side of the other; two for an arrow that leads back to its own box.
        public let points: [(x: Double, y: Double)]
        /// The number of objects it may link to; empty for a class that extends another one.
        public let cardinality: String
        /// The relation in words: `Order.customer: link to Person`.
        public let title: String
    }

    /// The width of a letter.
    public static let letterWidth = 7.25
    /// The height of a row of a box.
    public static let rowHeight = 19.0
    /// The height of a box's heading.
    public static let headHeight = 30.0
    /// The distance of strings from the sides of their box.
    public static let padding = 10.0
    private static let margin = 24.0
    /// Minimum distance of two arrows that end at one box.
    private static let endDistance = 14.0
    private static let longestText = 44

    /// The classes, in the order of the schema.
    public private(set) var boxes: [Box]
    /// The relations.
    public private(set) var arrows: [Arrow] = []
    /// The width of the whole picture.
    public private(set) var width: Double
    /// The height of the whole picture.
    public private(set) var height: Double

    /// Arranges the classes of a snapshot. The result depends on the schema alone.
    public init(_ classes: [ClassSchema]) { self.init(SchemaOutline(classes)) }

    package init(_ outline: SchemaOutline) {
        var ends = Array(repeating: 0, count: outline.classes.count)
        for relation in outline.relations { ends[relation.to] += 1 }
        boxes = zip(outline.classes, ends).map { Self.box($0, arrowsIn: $1) }
        let others = outline.relations.filter { $0.from != $0.to }
        let layout = LayeredLayout(sizes: boxes.map { ($0.width, $0.height) }, arrows: others.map { ($0.from, $0.to) })
        for box in boxes.indices {
            boxes[box].x = layout.items[box].x + Self.margin
            boxes[box].y = layout.items[box].y + Self.margin
        }
        // Arrows from a class to itself are drawn around its right side.
        width = layout.width + 2 * Self.margin + 40
        height = layout.height + 2 * Self.margin
        let heights = endHeights(others, layout)
        for (number, relation) in others.enumerated() {
            arrows.append(arrow(relation, outline, points(relation, number, heights[number], layout)))
        }
        for relation in outline.relations where relation.from == relation.to {
            let box = boxes[relation.from], right = box.x + box.width
            arrows.append(arrow(relation, outline, [(right, box.middle(of: relation.property)), (right, box.middle(of: nil))]))
        }
    }

    private static func box(_ schema: ClassSchema, arrowsIn: Int) -> Box {
        func cut(_ text: String) -> String { DisplayWidth.cut(DisplayText.visible(text), to: longestText) }
        var rows = schema.properties.map { property in
            Row(name: cut(property.name), type: cut(property.typeText), remarks: property.remarks(in: schema).joined(separator: ", "))
        }
        rows += schema.indexTexts.map { Row(name: cut($0), type: "", remarks: "") }
        let name = cut(schema.name), remark = cut(schema.remark)
        let columns = columns(of: rows)
        let height = headHeight + Double(rows.count) * rowHeight + (rows.isEmpty ? 0 : 6)
        let widest = max(columns.end, DisplayWidth.of(name) + 2 + DisplayWidth.of(remark))
        return Box(className: schema.name, name: name, remark: remark, rows: rows, typeColumn: columns.types,
                   width: Double(widest) * letterWidth + 2 * padding, height: max(height, Double(arrowsIn) * endDistance))
    }

    /// The number of letters before the types, and in the longest line: names, types and remarks are aligned.
    private static func columns(of rows: [Row]) -> (types: Int, end: Int) {
        let properties = rows.filter { !$0.type.isEmpty }
        func widest(_ part: (Row) -> String) -> Int { properties.map { DisplayWidth.of(part($0)) }.max() ?? 0 }
        let types = widest(\.name) + 2, remarks = widest(\.remarks)
        let end = types + widest(\.type) + (remarks > 0 ? remarks + 2 : 0)
        return (types, max(end, rows.map { DisplayWidth.of($0.name) }.max() ?? 0))
    }

    private func arrow(_ relation: SchemaOutline.Relation, _ outline: SchemaOutline, _ points: [(x: Double, y: Double)]) -> Arrow {
        let from = outline.classes[relation.from].name, to = outline.classes[relation.to].name
        guard let property = outline.property(relation) else {
            return Arrow(from: from, to: to, property: nil, points: points, cardinality: "", title: "\(from) extends \(to)")
        }
        let title = "\(from).\(property.name): \(property.typeText)"
        return Arrow(from: from, to: to, property: property.name, points: points, cardinality: property.cardinality, title: title)
    }

    /// The heights at which arrows end: arrows at one side of a box are spread over it in their order.
    private func endHeights(_ relations: [SchemaOutline.Relation], _ layout: LayeredLayout) -> [Double] {
        var heights = Array(repeating: 0.0, count: relations.count)
        for box in boxes.indices {
            for isReversed in [false, true] {
                let coming = relations.indices.filter { relations[$0].to == box && layout.isReversed[$0] == isReversed }
                func origin(_ arrow: Int) -> Double {
                    let route = layout.routes[arrow], last = isReversed ? route[1] : route[route.count - 2]
                    return layout.items[last].isBox ? boxes[relations[arrow].from].middle(of: relations[arrow].property)
                        : layout.items[last].middle + Self.margin
                }
                let sorted = coming.sorted { (origin($0), $0) < (origin($1), $1) }
                let step = boxes[box].height / Double(max(sorted.count, 1))
                for (place, arrow) in sorted.enumerated() {
                    heights[arrow] = sorted.count == 1 ? boxes[box].middle(of: nil) : boxes[box].y + (Double(place) + 0.5) * step
                }
            }
        }
        return heights
    }

    private func points(
        _ relation: SchemaOutline.Relation, _ number: Int, _ end: Double, _ layout: LayeredLayout
    ) -> [(x: Double, y: Double)] {
        let isReversed = layout.isReversed[number]
        let from = boxes[relation.from], to = boxes[relation.to]
        var points = [(x: isReversed ? from.x : from.x + from.width, y: from.middle(of: relation.property))]
        let ways = layout.routes[number].dropFirst().dropLast()
        for way in isReversed ? ways.reversed() : Array(ways) {
            let item = layout.items[way], y = item.middle + Self.margin
            let sides = [item.x + Self.margin, item.x + item.width + Self.margin]
            points += (isReversed ? sides.reversed() : sides).map { ($0, y) }
        }
        return points + [(isReversed ? to.x + to.width : to.x, end)]
    }
}
