// Opening, closing, copying and deleting databases.
//
// Safe throughout: an out parameter is NULL or writable memory of the caller; a database's path lives as long as its
// handle.
import CFreehold
import FreeholdEngine
import FreeholdImport

/// A database, held by C programs through a handle.
final class OpenDatabase: Handled {
    static let kind = HandleKind.database
    let database: Database
    let path: KeptText
    let lockTimeoutMilliseconds: Int
    /// The queue of asynchronous write requests.
    let writes = AsyncWriteQueue()

    init(_ database: Database, lockTimeoutMilliseconds: Int) {
        self.database = database
        self.lockTimeoutMilliseconds = lockTimeoutMilliseconds
        path = KeptText(database.path)
    }

    deinit {
        writes.close()
        database.close()
    }
}

extension Handles {
    @inline(__always)
    static func database(_ handle: OpaquePointer?) throws(FreeholdError) -> Database {
        try object(handle, OpenDatabase.self).database
    }

    /// Checks an out parameter for a new handle, and sets it to NULL.
    static func place(_ out: UnsafeMutablePointer<OpaquePointer?>?) throws(FreeholdError) -> UnsafeMutablePointer<OpaquePointer?> {
        guard let out else { throw FreeholdError(.invalidArgument, "the output pointer for the new handle is NULL") }
        out.pointee = nil
        return out
    }
}

extension OpenOptions {
    init(_ given: UnsafePointer<freehold_open_options_t>?) throws(FreeholdError) {
        self.init()
        let options = try Sized.read(given, or: freehold_open_options_t())
        readOnly = options.read_only
        createIfMissing = !options.must_exist && !options.read_only
        inMemory = options.in_memory
        if options.file_mode != 0 { fileMode = options.file_mode }
        encryptionKey = try EncryptionKey.given(options.encryption_key, options.encryption_key_length)
        if options.decrypted_bytes_limit != 0 { decryptedBytesLimit = Int(clamping: options.decrypted_bytes_limit) }
        if options.parked_bytes_limit != 0 { parkedBytesLimit = options.parked_bytes_limit }
        if options.parked_versions_limit != 0 { parkedVersionsLimit = options.parked_versions_limit }
        if options.thread_limit != 0 { threadLimit = Int(options.thread_limit) }
        if options.flush_timeout_milliseconds != 0 {
            flushTimeoutMilliseconds = try milliseconds(options.flush_timeout_milliseconds)
        }
        if options.lock_timeout_milliseconds != 0 {
            lockTimeoutMilliseconds = try milliseconds(options.lock_timeout_milliseconds)
        }
    }
}

/// Converts a timeout for the engine.
func milliseconds(_ given: Int64) throws(FreeholdError) -> Int {
    guard given >= 0 else { throw FreeholdError(.invalidArgument, "a time limit of \(given) milliseconds is invalid") }
    // Longer than any process lives, and still representable in nanoseconds.
    return Int(min(given, 1 << 40))
}

@c @implementation
public func freehold_database_open(
    _ path: UnsafePointer<CChar>?, _ path_length: Int, _ options: UnsafePointer<freehold_open_options_t>?,
    _ database: UnsafeMutablePointer<OpaquePointer?>?
) -> freehold_error_code_t {
    done {
        let place = try Handles.place(database)
        let importing = try Sized.read(options, or: freehold_open_options_t()).importing
        let options = try OpenOptions(options), opened = try Database.open(try text(path, path_length, "path"), options)
        if let importing, !options.readOnly {
            do throws(FreeholdError) { try FirstOpenImport(importing).run(on: opened) } catch {
                opened.close()
                throw error
            }
        }
        place.pointee = try Handles.make(OpenDatabase(opened, lockTimeoutMilliseconds: options.lockTimeoutMilliseconds))
    }
}

@c @implementation
public func freehold_database_close(_ database: OpaquePointer?) -> freehold_error_code_t {
    done { if database != nil { try Handles.end(database, OpenDatabase.self) } }
}

@c @implementation
public func freehold_database_path(
    _ database: OpaquePointer?, _ path: UnsafeMutablePointer<freehold_text_t>?
) -> freehold_error_code_t {
    done { try give(Handles.object(database, OpenDatabase.self).path.text, to: path) }
}

@c @implementation
public func freehold_database_copy(
    _ database: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ path_length: Int
) -> freehold_error_code_t {
    done { try Handles.database(database).copy(to: try text(path, path_length, "path")) }
}

@c @implementation
public func freehold_database_delete_files(
    _ path: UnsafePointer<CChar>?, _ path_length: Int, _ in_memory: Bool
) -> freehold_error_code_t {
    outcome {
        do throws(FreeholdError) {
            try Database.deleteFiles(at: try text(path, path_length, "path"), inMemory: in_memory)
        } catch where error.code == .notFound {
            return Outcome.absent
        }
        return Outcome.ok
    }
}
