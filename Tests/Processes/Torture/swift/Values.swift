import Foundation
import Freehold

func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

func bytes(_ hexadecimal: some StringProtocol) -> [UInt8] {
    let digits = Array(hexadecimal.utf8)
    func value(_ digit: UInt8) -> UInt8 { digit < 58 ? digit - 48 : digit - 87 }
    return stride(from: 0, to: digits.count - 1, by: 2).map { value(digits[$0]) << 4 | value(digits[$0 + 1]) }
}

func text(_ hexadecimal: some StringProtocol) -> String { String(decoding: bytes(hexadecimal), as: UTF8.self) }

func pattern(_ length: Int, _ seed: Int) -> Data {
    Data((0..<length).map { UInt8(truncatingIfNeeded: seed + 7 * $0 + $0 >> 8) })
}

/// A value as the protocol has it: a word.
struct Word {
    let kind: Character
    let rest: Substring

    init(_ word: String) {
        kind = word.first ?? "n"
        rest = word.dropFirst()
    }

    var int: Int { Int(rest) ?? 0 }
    var double: Double { Double(bitPattern: UInt64(rest, radix: 16) ?? 0) }
    var single: Float { Float(bitPattern: UInt32(rest, radix: 16) ?? 0) }
    var string: String { text(rest) }
    var decimal: Decimal128 { Decimal128(string: String(rest)) }
    var objectId: ObjectId { (try? ObjectId(string: String(rest))) ?? ObjectId() }

    var data: Data {
        guard kind == "P" else { return Data(bytes(rest)) }
        let parts = rest.split(separator: ":")
        return pattern(Int(parts[0]) ?? 0, Int(parts[1]) ?? 0)
    }

    var date: Date {
        let parts = rest.split(separator: ".")
        return Date(timeIntervalSince1970: Double(parts[0])! + Double(parts[1])! / 1_000_000)
    }

    var uuid: UUID {
        var made = uuid_t(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        // Safe: both are sixteen bytes.
        withUnsafeMutableBytes(of: &made) { $0.copyBytes(from: bytes(rest)) }
        return UUID(uuid: made)
    }

    func thing(in realm: Realm) -> Thing? { realm.object(ofType: Thing.self, forPrimaryKey: int) }

    func any(in realm: Realm) -> AnyRealmValue {
        switch kind {
        case "t": .bool(rest == "1")
        case "i": .int(int)
        case "d": .double(double)
        case "f": .float(single)
        case "s": .string(string)
        case "b", "P": .data(data)
        case "D": .date(date)
        case "u": .uuid(uuid)
        case "o": .objectId(objectId)
        case "m": .decimal128(decimal)
        case "l": thing(in: realm).map { .object($0) } ?? .none
        default: .none
        }
    }
}

/// Values as words.
enum Written {
    static func int(_ value: Int) -> String { "i\(value)" }
    static func string(_ value: String) -> String { "s" + hexadecimal(value.utf8) }

    static func padded(_ bits: UInt64, _ digits: Int) -> String {
        let text = String(bits, radix: 16)
        return String(repeating: "0", count: digits - text.count) + text
    }

    static func double(_ value: Double) -> String { "d" + padded(value.bitPattern, 16) }
    static func single(_ value: Float) -> String { "f" + padded(UInt64(value.bitPattern), 8) }

    static func data(_ value: Data) -> String {
        if value.count > 1000, let first = value.first, value == pattern(value.count, Int(first)) { return "P\(value.count):\(first)" }
        return "b" + hexadecimal(value)
    }

    static func date(_ value: Date) -> String {
        let micros = (value.timeIntervalSince1970 * 1_000_000).rounded()
        let seconds = (micros / 1_000_000).rounded(.down)
        return "D\(Int(seconds)).\(Int(micros - seconds * 1_000_000))"
    }

    static func uuid(_ value: UUID) -> String {
        // Safe: only read.
        withUnsafeBytes(of: value.uuid) { "u" + hexadecimal($0) }
    }

    static func link(_ value: Thing) -> String { "l\(value.id)" }
    static func box(_ value: Box) -> String { "\(hexadecimal(value.label.utf8))/\(value.size)" }

    static func any(_ value: AnyRealmValue) -> String {
        switch value {
        case .bool(let value): value ? "t1" : "t0"
        case .int(let value): int(value)
        case .double(let value): double(value)
        case .float(let value): single(value)
        case .string(let value): string(value)
        case .data(let value): data(value)
        case .date(let value): date(value)
        case .uuid(let value): uuid(value)
        case .objectId(let value): "o\(value.stringValue)"
        case .decimal128(let value): "m\(value)"
        case .object(let value): (value as? Thing).map(link) ?? "?"
        default: "n"
        }
    }

    static func entries<Value>(_ map: Map<String, Value>, _ written: (Value) -> String) -> String {
        map.asKeyValueSequence().map { (hexadecimal($0.0.utf8), written($0.1)) }.sorted { $0.0 < $1.0 }
            .map { "\($0)=\($1)" }.joined(separator: " ")
    }
}

extension Thing {
    /// The word of a property, by its name.
    func word(_ property: String) -> String {
        switch property {
        case "id": Written.int(id)
        case "slot": Written.int(slot)
        case "flag": flag ? "t1" : "t0"
        case "number": number.map(Written.int) ?? "n"
        case "real": Written.double(real)
        case "single": Written.single(single)
        case "north": Written.double(north)
        case "east": Written.double(east)
        case "text": Written.string(text)
        case "note": note.map(Written.string) ?? "n"
        case "bytes": Written.data(bytes)
        case "moment": moment.map(Written.date) ?? "n"
        case "mark": mark.map(Written.uuid) ?? "n"
        case "oid": oid.map { "o\($0.stringValue)" } ?? "n"
        case "amount": amount.map { "m\($0)" } ?? "n"
        case "any": Written.any(any)
        case "next": next.map(Written.link) ?? "n"
        default: collectionWord(property)
        }
    }

    private func collectionWord(_ property: String) -> String {
        switch property {
        case "ints": ints.map(Written.int).joined(separator: " ")
        case "words": words.map(Written.string).joined(separator: " ")
        case "maybe": maybe.map { $0.map(Written.double) ?? "n" }.joined(separator: " ")
        case "things": things.map(Written.link).joined(separator: " ")
        case "tags": tags.map(Written.string).sorted().joined(separator: " ")
        case "marks": marks.sorted().map(Written.int).joined(separator: " ")
        case "table": Written.entries(table, Written.int)
        case "names": Written.entries(names, Written.string)
        case "lists": Written.entries(lists) { "[" + $0.map(Written.string).joined(separator: " ") + "]" }
        case "inner": inner.map(Written.box) ?? "n"
        case "boxes": boxes.map(Written.box).joined(separator: " ")
        case "extra": (self as? Special).map { Written.string($0.extra) } ?? "?"
        case "weight": (self as? Special).map { $0.weight.map(Written.int) ?? "n" } ?? "?"
        default: "?"
        }
    }

    func set(_ property: String, _ word: Word, in realm: Realm) {
        let isNull = word.kind == "n"
        switch property {
        case "slot": slot = word.int
        case "flag": flag = word.rest == "1"
        case "number": number = isNull ? nil : word.int
        case "real": real = word.double
        case "single": single = word.single
        case "north": north = word.double
        case "east": east = word.double
        case "text": text = word.string
        case "note": note = isNull ? nil : word.string
        case "bytes": bytes = word.data
        case "moment": moment = isNull ? nil : word.date
        case "mark": mark = isNull ? nil : word.uuid
        case "oid": oid = isNull ? nil : word.objectId
        case "amount": amount = isNull ? nil : word.decimal
        case "any": any = word.any(in: realm)
        case "next": next = isNull ? nil : word.thing(in: realm)
        case "inner": inner = nil
        case "extra": (self as? Special)?.extra = word.string
        case "weight": (self as? Special)?.weight = isNull ? nil : word.int
        default: end("protocol: set \(property)")
        }
    }
}
