import BrowserPage
import BrowserData
import Foundation
import Hummingbird
import NIOCore

/// The page's files: constants of the program, or, while the page is developed, those of a folder.
struct Page: Sendable {
    private let assets: [String: ByteBuffer]
    private let folder: String?

    /// - Parameter folder: where the files are read anew for each request; nil for those within the program.
    init(folder: String?) {
        self.folder = folder
        var assets: [String: ByteBuffer] = [:]
        // Safe: both are constants of the program.
        for place in 0..<Int(page_asset_count) {
            guard let asset = page_asset_at(Int32(place))?.pointee else { continue }
            assets[String(cString: asset.name)] = ByteBuffer(bytes: UnsafeBufferPointer(start: asset.bytes, count: Int(asset.count)))
        }
        self.assets = assets
    }

    func response(_ name: String) throws -> Response {
        let isPlain = name.utf8.allSatisfy { byte in
            byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || (48...57).contains(byte) || (97...122).contains(byte)
        }
        let ending = name.split(separator: ".").last.map(String.init) ?? ""
        guard isPlain, !name.hasPrefix("."), let type = Self.types[ending], let bytes = bytes(name)
        else { throw Refusal(.notFound, .notFound, "there is no '\(name)' here") }
        return Response(status: .ok, headers: [.contentType: type], body: ResponseBody(byteBuffer: bytes))
    }

    private func bytes(_ name: String) -> ByteBuffer? {
        guard let folder else { return assets[name] }
        return FileManager.default.contents(atPath: "\(folder)/\(name)").map { ByteBuffer(bytes: $0) }
    }

    private static let types = [
        "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8",
        "svg": "image/svg+xml", "png": "image/png", "json": "application/json",
    ]
}
