import Foundation
import TestKit

/// Which named points of the engine exist, who passes them, and when victims are to die there.
enum KillPlan {
    /// A death: who, at which point, at which passing.
    struct Order: CustomStringConvertible, Sendable {
        let role: String
        let point: String
        let count: Int
        var trigger: String { "\(point):\(count)" }
        var description: String { "\(role) at \(trigger)" }
    }

    /// Every point of the engine's code, found in its sources: none can be forgotten.
    static let pointsInCode: Set<String> = {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources/FreeholdEngine")
        var points: Set<String> = []
        for case let file as URL in FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)!
        where file.pathExtension == "swift" {
            guard let text = try? String(contentsOf: file, encoding: .utf8) else { continue }
            for match in text.matches(of: /(?:point|pass)\("([a-z]+\.[a-zA-Z]+)"/) { points.insert(String(match.1)) }
        }
        return points
    }()

    /// Passed only by who begins a session or ends it: struck in a test of its own.
    static let pointsOfTheFirst: Set = [
        "open.sessionLocked", "open.created", "open.recovered", "open.ready", "close.ending", "close.flushed",
    ]

    /// Passed when a file gives its end back: struck in a test of its own, too.
    static let pointsOfTheShrinking: Set = ["shrink.cut"]

    /// Passed by who writes a long value: struck in a test of its own.
    static var pointsOfTheStreaming: Set<String> { pointsInCode.filter { $0.hasPrefix("stream.") } }

    /// Passed by who makes a file that gets its name when it is whole: struck in a test of its own.
    static var pointsOfTheNaming: Set<String> { pointsInCode.filter { $0.hasPrefix("replace.") || $0.hasPrefix("make.") } }

    /// Passed by who builds a derived index in slices: struck in a test of its own.
    static var pointsOfTheIndexing: Set<String> { pointsInCode.filter { $0.hasPrefix("derived.") } }

    /// Those of tests of their own.
    static var pointsApart: Set<String> {
        pointsOfTheFirst.union(pointsOfTheShrinking).union(pointsOfTheStreaming).union(pointsOfTheNaming).union(pointsOfTheIndexing)
    }

    /// Who passes the points of a family, beside others at work.
    static func roles(passing point: String) -> [String] {
        switch point.split(separator: ".")[0] {
        case "open", "close", "read": ["full-writer", "fast-writer", "reader", "guest", "waiter", "listener"]
        case "begin", "commit", "publish", "grow": ["full-writer", "fast-writer"]
        case "flush": ["full-writer"]
        case "shrink", "stream", "replace", "make", "derived": ["obedient"]
        case "reap": ["full-writer", "reader"]
        case "wait": point == "wait.woken" ? ["waiter"] : ["waiter", "listener"]
        default: []
        }
    }

    /// Every death beside four others at work.
    static let orders: [Order] = {
        let times = TestScale.count(3) > 3 ? Array(1...TestScale.count(3)) : [1, 2, 5]
        return pointsInCode.subtracting(pointsApart).sorted().flatMap { point in
            // A file grows now and then only.
            roles(passing: point).flatMap { role in (point.hasPrefix("grow") ? [1, 2] : times).map { Order(role: role, point: point, count: $0) } }
        }
    }()

    /// Deaths of those who begin a session or end one: whoever passes such a point does so alone, others wait.
    static let ordersOfTheFirst: [Order] = pointsOfTheFirst.sorted().flatMap { point in
        let canBeginOnly = point == "open.recovered" || point == "open.ready"
        return (["full-writer", "listener"] + (canBeginOnly ? ["guest"] : [])).map { Order(role: $0, point: point, count: 1) }
    }

    /// Deaths of everybody at once, while one process is at that very point.
    static let commonOrders: [Order] = pointsInCode.subtracting(pointsApart).sorted().flatMap { point in
        let counts = point.hasPrefix("reap") ? [1] : [1, 3]
        return roles(passing: point).prefix(1).flatMap { role in counts.map { Order(role: role, point: point, count: $0) } }
    }

    /// The orders in shares, each for one crew.
    static let shares: [[Order]] = stride(from: 0, to: orders.count, by: 45).map {
        Array(orders[$0..<min($0 + 45, orders.count)])
    }
}
