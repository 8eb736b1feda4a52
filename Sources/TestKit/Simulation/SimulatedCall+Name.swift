import Platform

extension SimulatedCall {
    /// The name as a static string, as errors and steps carry it.
    var stepName: StaticString {
        switch self {
        case .open: "open"
        case .remove: "remove"
        case .rename: "rename"
        case .status: "status"
        case .makeDirectory: "makeDirectory"
        case .list: "list"
        case .synchronizeDirectory: "synchronizeDirectory"
        case .setPermissions: "setPermissions"
        case .fileSystem: "fileSystem"
        case .read: "read"
        case .write: "write"
        case .synchronize: "synchronize"
        case .writeBack: "writeBack"
        case .setLength: "setLength"
        case .allocate: "allocate"
        case .punchHole: "punchHole"
        case .map: "map"
        case .lockByte: "lockByte"
        case .unlockByte: "unlockByte"
        case .queryByte: "queryByte"
        case .close: "close"
        case .wait: "wait"
        case .wake: "wake"
        case .sleep: "sleep"
        case .startThread: "startThread"
        case .lockMutex: "lockMutex"
        case .unlockMutex: "unlockMutex"
        case .makePipe: "makePipe"
        case .openPipe: "openPipe"
        case .tell: "tell"
        case .drain: "drain"
        case .setAlarm: "setAlarm"
        case .awaitPipe: "awaitPipe"
        }
    }
}
