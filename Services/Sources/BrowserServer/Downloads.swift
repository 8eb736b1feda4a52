import BrowserData
import FreeholdEngine
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// Answers that are files: piece by piece, however long.
enum Downloads {
    private static let piece = 256 << 10

    /// The bytes of a string or data property.
    static func value(_ file: OpenFile, _ asked: Parameters) async throws -> Response {
        let key = try asked.key(), className = try asked.text("class"), property = try asked.text("property")
        // One version for all pieces.
        let reading = try await Blocking.run { try HeldReading(file, key, className, property) }
        return Response(
            status: .ok, headers: headers("\(className)-\(key)-\(property).bin", type: "application/octet-stream"),
            body: ResponseBody(contentLength: reading.count) { writer in
                var start = 0
                while start < reading.count {
                    let range = start..<min(start + piece, reading.count)
                    let bytes = try await Blocking.run { try reading.read(range) }
                    try await writer.write(ByteBuffer(bytes: bytes))
                    start = range.upperBound
                }
                try await writer.finish(nil)
            })
    }

    /// The objects of a query.
    static func export(_ export: Export) async throws -> Response {
        try await Blocking.run { try export.check() }
        let turn = try ExportTurn()
        return Response(status: .ok, headers: headers(export.fileName, type: export.contentType), body: ResponseBody { writer in
            let chunks = ChunkQueue()
            defer { chunks.cancel() }
            // The thread has the turn until it ends, also when nobody takes any more.
            Thread.detachNewThread {
                chunks.fill { put in try export.write(put) }
                withExtendedLifetime(turn) {}
            }
            for try await chunk in chunks.stream {
                try await writer.write(ByteBuffer(bytes: chunk))
                chunks.noteTaken()
            }
            try await writer.finish(nil)
        })
    }

    static func headers(_ name: String, type: String) -> HTTPFields {
        let plain = String(name.unicodeScalars.map { scalar -> Character in
            let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || "0123456789.-_".unicodeScalars.contains(scalar))
            return isPlain ? Character(scalar) : "_"
        })
        return [.contentType: type, .contentDisposition: "attachment; filename=\"\(plain)\""]
    }
}

/// A long value and the version that it is read from, which is held until the download ends.
final class HeldReading: @unchecked Sendable {
    // Safe: one piece is read after the other.
    private let snapshot: Snapshot
    private let key: ObjectKey
    private let className: String
    private let property: String
    let count: Int

    init(_ file: OpenFile, _ key: ObjectKey, _ className: String, _ property: String) throws {
        (self.key, self.className, self.property) = (key, className, property)
        snapshot = try file.database.snapshot()
        count = try ObjectReading(key, of: className, snapshot).byteCount(property)
    }

    func read(_ range: Range<Int>) throws -> [UInt8] { try ObjectReading(key, of: className, snapshot).bytes(property, range) }
}

/// One of the exports that run at once: each keeps a thread busy.
final class ExportTurn: Sendable {
    private static let running = Atomic(0)
    private static let limit = 8

    init() throws(BrowserError) {
        guard Self.running.wrappingAdd(1, ordering: .relaxed).newValue <= Self.limit else {
            Self.running.wrappingSubtract(1, ordering: .relaxed)
            throw BrowserError(.busy, "\(Self.limit) exports are running already; wait for one of them")
        }
    }

    deinit { Self.running.wrappingSubtract(1, ordering: .relaxed) }
}
