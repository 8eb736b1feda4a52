// Safe throughout: blocks are checked against the file's length before they are read.
import CShims
import Platform

@testable import FreeholdEngine

/// The smallest store that can tell whether versions are held as promised: every commit is one page, and a page may be
/// written again as soon as the version in it is not held.
///
/// A page: version, counter (one more with every commit), writer's mark, then a filling that depends on them.
public struct ToyStore {
    static let pages = 64

    struct Content: Equatable {
        var version: UInt64
        var counter: UInt64
        var mark: UInt64

        var words: [UInt64] {
            (0..<512).map { index in
                switch index {
                case 0: version
                case 1: counter
                case 2: mark
                default: (version &* 0x9E37_79B9_7F4A_7C15) ^ counter ^ UInt64(index)
                }
            }
        }
    }

    struct Verifier: RootVerifier {
        func verify(
            _ root: Root, bornAfter birth: UInt64, in file: DataFile, visit: ((BlockReference, UnsafeRawBufferPointer) -> Void)?
        ) -> Bool {
            guard root.top.birth > birth else { return true }
            guard let length = try? file.length(), root.top.byteOffset + UInt64(root.top.byteLength) <= UInt64(length),
                root.top.byteLength == 4096,
                freehold_shim_checksum(file.base + Int(root.top.byteOffset), 4096) == root.top.check
            else { return false }
            visit?(root.top, UnsafeRawBufferPointer(start: file.base + Int(root.top.byteOffset), count: 4096))
            return true
        }
    }

    static func reference(_ content: Content, page: Int) -> BlockReference {
        BlockReference(
            location: UInt64(page * 64) << 16 | 64, birth: content.version,
            check: content.words.withUnsafeBytes { freehold_shim_checksum($0.baseAddress!, $0.count) }, tag: 0)
    }

    static func initial() -> InitialContent {
        let content = Content(version: 1, counter: 0, mark: 0)
        let bytes = content.words.withUnsafeBytes { Array($0) } + [UInt8](repeating: 0, count: (pages - 1) * 4096)
        return InitialContent(bytes: bytes, top: reference(content, page: 4))
    }

    static func open(
        _ path: String, _ options: SessionOptions = testOptions(), _ system: any System = LinuxSystem.shared
    ) throws(FreeholdError) -> Session {
        try Session.open(path, options, system, verifier: Verifier()) { _ in initial() }
    }

    static func testOptions() -> SessionOptions {
        var options = SessionOptions()
        options.reserve = 1 << 30
        options.leastReserve = 1 << 26
        return options
    }

    /// What a root says, or nil if its page holds something else by now.
    static func read(_ root: Root, _ session: Session) -> Content? {
        let start = session.file.base + Int(root.top.byteOffset)
        guard freehold_shim_checksum(start, 4096) == root.top.check else { return nil }
        return Content(
            version: start.load(as: UInt64.self), counter: start.load(fromByteOffset: 8, as: UInt64.self),
            mark: start.load(fromByteOffset: 16, as: UInt64.self))
    }

    /// A page whose version nobody holds.
    static func freePage(_ session: Session, newest: Root) -> Int? {
        let held = session.held.versions()
        return (4..<4 + pages).first { page in
            let birth = (session.file.base + page * 4096).load(as: UInt64.self)
            // What is above newest never became a version.
            return birth > newest.version || !held.contains(birth)
        }
    }

    /// Commits one more.
    @discardableResult
    static func commit(
        _ session: Session, _ durability: Durability, mark: UInt64 = 0, timeoutMilliseconds: Int = 10_000
    ) throws(FreeholdError) -> Content {
        let lease = try session.beginWrite(timeoutMilliseconds: timeoutMilliseconds)
        let content: Content
        let root: Root
        do throws(FreeholdError) {
            guard let before = read(lease.newest, session) else {
                throw FreeholdError(.corrupt, "newest \(lease.newest.version) is not whole")
            }
            content = Content(version: lease.nextVersion, counter: before.counter + 1, mark: mark)
            guard let page = freePage(session, newest: lease.newest) else { throw FreeholdError(.diskFull, "no page is free") }
            do throws(SystemError) {
                let result = content.words.withUnsafeBytes { bytes in
                    Result { () throws(SystemError) in try session.file.file.write(bytes, at: page * 4096) }
                }
                try result.get()
            } catch { throw FreeholdError(error, "write") }
            point("commit.segmentsWritten", session.system)
            var next = lease.newest
            if content.version % 8 == 0, next.length < 1 << 20 {
                next.length += 4096
                try session.file.grow(from: Int(lease.newest.length), to: Int(next.length))
                point("commit.grown", session.system)
            }
            next.version = lease.nextVersion
            next.top = reference(content, page: page)
            root = next
        } catch {
            session.abandonWrite(lease)
            throw error
        }
        do { try session.publish(root, durability, ending: lease) } catch {
            // Of a write that went on nothing is kept; one that has ended takes no notice.
            session.abandonWrite(lease)
            throw error
        }
        return content
    }
}
