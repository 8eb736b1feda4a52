/// The picture as a self-contained SVG file.
extension SchemaPicture {
    /// The text of the SVG file.
    public var svg: String {
        let size = "width=\"\(number(width))\" height=\"\(number(height))\" viewBox=\"0 0 \(number(width)) \(number(height))\""
        return """
            <svg xmlns="http://www.w3.org/2000/svg" \(size) font-family="ui-monospace, Menlo, Consolas, monospace" font-size="12">
            <defs>
            <marker id="leads" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">\
            <path d="M0 0L8 4L0 8z" fill="#4a6785"/></marker>
            <marker id="extends" viewBox="0 0 12 12" refX="12" refY="6" markerWidth="12" markerHeight="12" orient="auto">\
            <path d="M1 1L11 6L1 11z" fill="#ffffff" stroke="#4a6785"/></marker>
            </defs>
            <rect width="100%" height="100%" fill="#ffffff"/>
            \(arrows.map(element).joined(separator: "\n"))
            \(boxes.map(element).joined(separator: "\n"))
            </svg>

            """
    }

    private func element(_ box: Box) -> String {
        let left = box.x + Self.padding, right = box.x + box.width - Self.padding
        let place = "x=\"\(number(box.x))\" y=\"\(number(box.y))\" width=\"\(number(box.width))\""
        var lines = [
            "<g class=\"class\"><title>\(DisplayText.markup(box.name))</title>",
            "<rect \(place) height=\"\(number(box.height))\" rx=\"4\" fill=\"#f7f9fb\" stroke=\"#4a6785\"/>",
            "<path d=\"M\(number(box.x)) \(number(box.y + Self.headHeight))h\(number(box.width))\" stroke=\"#4a6785\"/>",
            text(box.name, left, box.middle(of: nil), " font-weight=\"bold\""),
            text(box.remark, right - length(box.remark), box.middle(of: nil), " fill=\"#66788a\" font-style=\"italic\""),
        ]
        for (place, row) in box.rows.enumerated() {
            let y = box.middle(of: place)
            lines.append(text(row.name, left, y, ""))
            lines.append(text(row.type, left + Double(box.typeColumn) * Self.letterWidth, y, " fill=\"#8a4b08\""))
            lines.append(text(row.remarks, right - length(row.remarks), y, " fill=\"#66788a\""))
        }
        return (lines.filter { !$0.isEmpty } + ["</g>"]).joined(separator: "\n")
    }

    private func element(_ arrow: Arrow) -> String {
        let points = arrow.points, end = points[points.count - 1], before = points[points.count - 2]
        var path = "M\(number(points[0].x)) \(number(points[0].y))"
        for (from, to) in zip(points, points.dropFirst()) {
            let isLoop = from.x == to.x
            let bend = isLoop ? 36 : (to.x - from.x) / 2
            let out = from.x + bend, back = isLoop ? to.x + bend : to.x - bend
            path += from.y == to.y ? "H\(number(to.x))"
                : "C\(number(out)) \(number(from.y)) \(number(back)) \(number(to.y)) \(number(to.x)) \(number(to.y))"
        }
        let marker = arrow.cardinality.isEmpty ? "extends" : "leads"
        let fromLeft = before.x < end.x
        let label = fromLeft ? end.x - length(arrow.cardinality) - 12 : end.x + 12
        return "<g class=\"relation\"><title>\(DisplayText.markup(arrow.title))</title>"
            + "<path d=\"\(path)\" fill=\"none\" stroke=\"#4a6785\" marker-end=\"url(#\(marker))\"/>"
            + text(arrow.cardinality, label, end.y - 6, " fill=\"#4a6785\" font-size=\"10\"", scale: 10 / 12) + "</g>"
    }

    private func length(_ text: String) -> Double { Double(DisplayWidth.of(text)) * Self.letterWidth }

    /// A text at a fixed width, vertically centred at a height; empty for an empty text.
    private func text(_ text: String, _ x: Double, _ middle: Double, _ style: String, scale: Double = 1) -> String {
        guard !text.isEmpty else { return "" }
        let width = "textLength=\"\(number(length(text) * scale))\" lengthAdjust=\"spacingAndGlyphs\""
        return "<text x=\"\(number(x))\" y=\"\(number(middle + 4))\" \(width)\(style)>\(DisplayText.markup(text))</text>"
    }

    /// At most two digits after the decimal point.
    private func number(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        if hundredths % 100 == 0 { return "\(hundredths / 100)" }
        let fraction = abs(hundredths) % 100
        return "\(hundredths < 0 ? "-" : "")\(abs(hundredths) / 100).\(fraction < 10 ? "0" : "")\(fraction)"
    }
}
