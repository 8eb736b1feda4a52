import CFreehold

/// The library's version; a C test compares it with the build's.
private let versionNumbers: (major: Int32, minor: Int32, patch: Int32) = (0, 1, 0)

/// The version as a string.
/// Safe: created once, never freed or changed.
private nonisolated(unsafe) let versionText = KeptText.forEver(
    "\(versionNumbers.major).\(versionNumbers.minor).\(versionNumbers.patch)")

@c @implementation
public func freehold_abi_version() -> Int32 { Int32(FREEHOLD_ABI_VERSION) }

@c @implementation
public func freehold_version() -> UnsafePointer<CChar>? { versionText }

/// Safe: an out parameter is NULL or writable memory of the caller.
@c @implementation
public func freehold_version_numbers(
    _ major: UnsafeMutablePointer<Int32>?, _ minor: UnsafeMutablePointer<Int32>?, _ patch: UnsafeMutablePointer<Int32>?
) {
    major?.pointee = versionNumbers.major
    minor?.pointee = versionNumbers.minor
    patch?.pointee = versionNumbers.patch
}
