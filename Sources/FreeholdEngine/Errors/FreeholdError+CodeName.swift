extension FreeholdError.Code {
    /// The code's name as the C header spells it without its prefix, in lower camel case.
    public var name: String { Self.names[rawValue] ?? "unknown" }

    /// Every code with its name, in order; documentation and bindings are checked against it.
    public static let names: [Int32: String] = [
        1001: "io", 1002: "diskFull", 1003: "notFound", 1004: "permissionDenied", 1005: "notADatabase",
        1006: "unsupportedFormat", 1007: "wrongKey", 1008: "unsupportedFileSystem", 1009: "fileReplaced",
        1010: "inUse", 1011: "alreadyExists", 1012: "readOnly", 1013: "system",
        1014: "keyMissing", 1015: "notEncrypted", 1016: "encryptionUnavailable",
        2001: "corrupt", 2002: "truncated", 2003: "copiedWhileOpen",
        3001: "busy", 3002: "closed", 3003: "forked", 3004: "notInWrite", 3005: "alreadyInWrite",
        3006: "leaseLost", 3007: "notYetDurable", 3008: "objectDeleted", 3009: "revoked",
        3010: "importStopped",
        4001: "typeMismatch", 4002: "notNullable", 4003: "unknownProperty", 4004: "unknownClass",
        4005: "duplicateKey", 4006: "noSuchObject", 4007: "invalidArgument", 4008: "schemaMismatch",
        4009: "malformedInput",
        4010: "deleteDenied",
        5001: "valueTooLarge", 5002: "outOfMemory",
    ]
}
