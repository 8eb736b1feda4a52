// What a C program holds in place of a Swift object.
//
// A handle is the address of a box: { kind, fork generation, object }. Boxes are never unmapped: one that has ended says
// so in its kind and waits in line behind others before it is used again, so that a handle used after its end is told
// rather than followed.
//
// 1. A box's kind says which class its object has; the object is asked for by both.
// 2. A box owns one reference to its object, from `make` to `end`.
//
// Safe throughout: a pointer is read as a box only after it was found aligned and not NULL; what a caller makes up
// beyond that can't be told apart. Kinds and objects fit by (1).
import CFreehold
import CShims
import FreeholdEngine
import Synchronization

/// What a handle is one of. The numbers are unlikely to stand anywhere by accident.
enum HandleKind: UInt64 {
    case database = 0x6672_6565_686C_6401
    case snapshot = 0x6672_6565_686C_6402
    case transaction = 0x6672_6565_686C_6403
    case reader = 0x6672_6565_686C_6404
    case cursor = 0x6672_6565_686C_6405
    case listener = 0x6672_6565_686C_6406
    case largeValue = 0x6672_6565_686C_6407
    case ended = 0x6672_6565_686C_64FF
}

struct HandleBox {
    var kind: UInt64
    var forkGeneration: UInt32
    var object: Unmanaged<AnyObject>?
}

/// An object that C programs hold by handles of one kind.
protocol Handled: AnyObject {
    static var kind: HandleKind { get }
}

enum Handles {
    /// Ended boxes, oldest first from `next` on.
    private struct Line: ~Copyable {
        var boxes: [UInt] = []
        var next = 0
    }

    /// As many handles end before a box is used again.
    private static let lineLength = 1024
    private static let line = Mutex(Line())

    /// A new handle that owns `object`.
    static func make<Object: Handled>(_ object: Object) -> OpaquePointer {
        let box = take() ?? .allocate(capacity: 1)
        box.initialize(to: HandleBox(kind: Object.kind.rawValue, forkGeneration: freehold_shim_fork_generation_word().pointee,
                                     object: .passRetained(object)))
        return OpaquePointer(box)
    }

    /// The object behind a handle of the kind that is asked for.
    @inline(__always)
    static func object<Object: Handled>(_ handle: OpaquePointer?, _: Object.Type = Object.self) throws(FreeholdError) -> Object {
        guard let handle, UInt(bitPattern: handle) & 7 == 0 else { throw notOne(Object.kind, isNull: handle == nil) }
        let box = UnsafePointer<HandleBox>(handle)
        guard box.pointee.kind == Object.kind.rawValue, let object = box.pointee.object else { throw other(box, than: Object.kind) }
        guard box.pointee.forkGeneration == freehold_shim_fork_generation_word().pointee else { throw forked(Object.kind) }
        return unsafeDowncast(object.takeUnretainedValue(), to: Object.self)
    }

    /// Ends a handle.
    static func end<Object: Handled>(_ handle: OpaquePointer?, _: Object.Type) throws(FreeholdError) {
        _ = try object(handle, Object.self)
        let box = UnsafeMutablePointer<HandleBox>(handle!)
        let object = box.pointee.object
        box.pointee = HandleBox(kind: HandleKind.ended.rawValue, forkGeneration: 0, object: nil)
        putInLine(box)
        object?.release()
    }

    private static func take() -> UnsafeMutablePointer<HandleBox>? {
        line.withLock { line in
            guard line.boxes.count - line.next > lineLength else { return nil }
            let box = UnsafeMutablePointer<HandleBox>(bitPattern: line.boxes[line.next])
            line.next += 1
            if line.next == lineLength {
                line.boxes.removeFirst(line.next)
                line.next = 0
            }
            return box
        }
    }

    private static func putInLine(_ box: UnsafeMutablePointer<HandleBox>) {
        line.withLock { $0.boxes.append(UInt(bitPattern: box)) }
    }
}

extension Handles {
    private static func notOne(_ kind: HandleKind, isNull: Bool) -> FreeholdError {
        FreeholdError(.invalidArgument, isNull ? "a \(kind) is needed; NULL was given" : "a \(kind) is needed; this is no handle")
    }

    private static func other(_ box: UnsafePointer<HandleBox>, than kind: HandleKind) -> FreeholdError {
        switch HandleKind(rawValue: box.pointee.kind) {
        case .ended: FreeholdError(.closed, "this \(kind) has ended; make another")
        case let other?: FreeholdError(.invalidArgument, "a \(kind) is needed; this is a \(other)")
        case nil: notOne(kind, isNull: false)
        }
    }

    private static func forked(_ kind: HandleKind) -> FreeholdError {
        FreeholdError(.forked, "this \(kind) was made before the process forked; open the database in the child")
    }
}
