import Foundation
import FreeholdEngine
import Gzip
import Testing

@Suite struct GzipTests {
    /// Texts that repeat, bytes that do not, and sizes around zlib's windows and the pieces here.
    private static func samples() -> [[UInt8]] {
        var random = SystemRandomNumberGenerator()
        return [0, 1, 2, 1_023, 1_024, 1_025, 32_767, 32_768, 65_535, 65_536, 65_537, 300_000].flatMap { count in
            [
                [UInt8](repeating: 7, count: count), (0..<count).map { UInt8(truncatingIfNeeded: $0 / 3 % 26 + 65) },
                (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) },
            ]
        }
    }

    @Test("what is compressed in parts is read in parts of any size")
    func parts() throws {
        for sample in Self.samples() {
            let writer = try GzipWriter()
            var made: [UInt8] = [], start = 0
            while start < sample.count {
                let end = min(sample.count, start + Int.random(in: 1...50_000))
                made += writer.add([UInt8](sample[start..<end]))
                start = end
                // All that was added can be read: nothing waits within zlib.
                let reader = try GzipReader()
                var read: [UInt8] = []
                try made.withUnsafeBytes { try reader.read($0) { read += $0 } }
                #expect(read == sample[..<end].map { $0 })
            }
            made += writer.finish()
            for size in [1, 7, 4_096, 1 << 20] where made.count / size < 100_000 {
                let reader = try GzipReader()
                var read: [UInt8] = []
                try made.withUnsafeBytes { bytes in
                    for place in stride(from: 0, to: bytes.count, by: size) {
                        try reader.read(UnsafeRawBufferPointer(rebasing: bytes[place..<min(bytes.count, place + size)])) { piece in
                            #expect(piece.count <= GzipReader.piece)
                            read += piece
                        }
                    }
                }
                try reader.finish()
                #expect(read == sample)
            }
        }
    }

    @Test("gzip of the system reads it, and it reads what that writes")
    func system() throws {
        for sample in Self.samples() {
            #expect(try Self.run("-dc", GzipWriter.compress(sample)) == sample)
            #expect(try GzipReader.expand(Self.run("-c", sample), limit: sample.count) == sample)
        }
    }

    @Test("a message is shorter, and no longer than it is told to be")
    func limit() throws {
        let zeros = [UInt8](repeating: 0, count: 50 << 20), small = try GzipWriter.compress(zeros)
        #expect(small.count < 300_000)
        #expect { try GzipReader.expand(small, limit: 1 << 20) } throws: { ($0 as? FreeholdError)?.code == .valueTooLarge }
        #expect(try GzipReader.expand(small, limit: 50 << 20) == zeros)
    }

    @Test("what is cut off, changed or followed by more is refused")
    func damaged() throws {
        let sample = [UInt8]((0..<5_000).map { "\($0), " }.joined().utf8), made = try GzipWriter.compress(sample)
        for end in [0, 1, 9, 10, made.count / 2, made.count - 8, made.count - 1] {
            #expect { try GzipReader.expand([UInt8](made[..<end]), limit: 1 << 20) } throws: {
                ($0 as? FreeholdError)?.code == .malformedInput
            }
        }
        #expect { try GzipReader.expand(made + [0], limit: 1 << 20) } throws: { ($0 as? FreeholdError)?.code == .malformedInput }
        #expect { try GzipReader.expand(made + made, limit: 1 << 20) } throws: { ($0 as? FreeholdError)?.code == .malformedInput }
        // The frame's time, flags and system may be anything; its checksum finds a changed byte anywhere else.
        for place in Array(0..<4) + stride(from: 10, to: made.count, by: 97) {
            var changed = made
            changed[place] ^= 0x40
            if let read = try? GzipReader.expand(changed, limit: 1 << 20) { #expect(read == sample) }
        }
        #expect { try GzipReader.expand(sample, limit: 1 << 20) } throws: { ($0 as? FreeholdError)?.code == .malformedInput }
    }

    @Test("headers of requests and answers", arguments: [
        (nil, false), ("", false), ("gzip", true), ("deflate, gzip;q=1.0, *;q=0.5", true), ("gzip;q=0", false), ("GZIP ; q=0.001", true),
        ("*", true), ("*;q=0", false), ("gzip;q=0, *", false), ("*, gzip;q=0", false), ("br, zstd", false), ("identity;q=0, x-gzip", true),
        ("gzipped", false), ("gzip;q=no", false),
    ] as [(String?, Bool)])
    func headers(header: String?, isCompressed: Bool) {
        #expect((ContentCoding(accepted: header) == .gzip) == isCompressed)
    }

    @Test("names of what a body is")
    func names() {
        #expect(ContentCoding(named: nil) == .identity)
        #expect(ContentCoding(named: " Identity") == .identity)
        #expect(ContentCoding(named: "x-GZip ") == .gzip)
        #expect(ContentCoding(named: "gzip, gzip") == nil)
        #expect(ContentCoding(named: "br") == nil)
    }

    private static func run(_ option: String, _ bytes: [UInt8]) throws -> [UInt8] {
        let process = Process(), input = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString), output = Pipe()
        try Data(bytes).write(to: input)
        defer { try? FileManager.default.removeItem(at: input) }
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["gzip", option]
        process.standardInput = try FileHandle(forReadingFrom: input)
        process.standardOutput = output
        try process.run()
        let made = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return [UInt8](made)
    }
}
