// Encryption keys, as C programs pass them: 64 bytes, copied and never kept in a caller's memory.
//
// Safe throughout: a key's bytes are read, or written, up to the length given with them.
import CFreehold
import FreeholdEngine

extension EncryptionKey {
    /// A caller's key; nil if the caller passes none.
    static func given(_ bytes: UnsafePointer<UInt8>?, _ length: Int) throws(FreeholdError) -> EncryptionKey? {
        guard let bytes else {
            guard length == 0 else { throw FreeholdError(.invalidArgument, "key_length is set, but the key is NULL") }
            return nil
        }
        return try EncryptionKey(UnsafeBufferPointer(start: bytes, count: max(0, length)))
    }
}

@c @implementation
public func freehold_key_generate(_ key: UnsafeMutablePointer<UInt8>?, _ length: Int) -> freehold_error_code_t {
    done {
        guard let key, length == EncryptionKey.byteCount else {
            throw FreeholdError(.invalidArgument, "a key has FREEHOLD_KEY_LENGTH bytes, \(EncryptionKey.byteCount)")
        }
        EncryptionKey.random().withBytes { UnsafeMutableRawBufferPointer(start: key, count: length).copyMemory(from: $0) }
    }
}

@c @implementation
public func freehold_database_copy_under_key(
    _ database: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ path_length: Int, _ key: UnsafePointer<UInt8>?,
    _ key_length: Int
) -> freehold_error_code_t {
    done {
        let key = try EncryptionKey.given(key, key_length)
        let encryption = key.map { CopyEncryption.key($0) } ?? .none
        try Handles.database(database).copy(to: try text(path, path_length, "path"), encryption: encryption)
    }
}

@c @implementation
public func freehold_database_change_key(
    _ database: OpaquePointer?, _ key: UnsafePointer<UInt8>?, _ key_length: Int
) -> freehold_error_code_t {
    done {
        guard let key = try EncryptionKey.given(key, key_length) else {
            throw FreeholdError(.invalidArgument, "the new key is NULL")
        }
        try Handles.database(database).changeKey(to: key)
    }
}
