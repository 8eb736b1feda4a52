/// A pattern of LIKE: `*` matches any characters, `?` one, a backslash makes the next one literal.
struct LikePattern {
    private enum Part: Equatable {
        case anything
        case one
        case byte(UInt8)
    }

    private let parts: [Part]

    init(_ pattern: [UInt8]) {
        var parts: [Part] = [], isEscaped = false
        for byte in pattern {
            switch byte {
            case _ where isEscaped:
                parts.append(.byte(byte))
                isEscaped = false
            case UInt8(ascii: "\\"): isEscaped = true
            case UInt8(ascii: "*"): if parts.last != .anything { parts.append(.anything) }
            case UInt8(ascii: "?"): parts.append(.one)
            default: parts.append(.byte(byte))
            }
        }
        self.parts = parts
    }

    /// Whether the pattern matches the whole string. The time is at most proportional to the product of both lengths.
    func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        var place = 0, part = 0, star: (part: Int, place: Int)?
        while place < text.count {
            if part < parts.count, parts[part] == .anything {
                star = (part, place)
                part += 1
            } else if part < parts.count, let length = length(parts[part], at: place, text) {
                place += length
                part += 1
            } else if let last = star {
                let next = last.place + Self.scalarLength(at: last.place, text)
                star = (last.part, next)
                (part, place) = (last.part + 1, next)
            } else {
                return false
            }
        }
        return parts[part...].allSatisfy { $0 == .anything }
    }

    private func length(_ part: Part, at place: Int, _ text: UnsafeRawBufferPointer) -> Int? {
        switch part {
        case .byte(let byte): text[place] == byte ? 1 : nil
        case .one: Self.scalarLength(at: place, text)
        case .anything: nil
        }
    }

    private static func scalarLength(at place: Int, _ text: UnsafeRawBufferPointer) -> Int {
        var end = place + 1
        while end < text.count, text[end] & 0xC0 == 0x80 { end += 1 }
        return end - place
    }
}
