/// Marks a named point at which tests kill, stop or interleave processes. Compiled to nothing unless `FREEHOLD_POINTS`
/// is defined, as it is in debug builds.
///
///     point("commit.root-written", system)
@inlinable
@inline(__always)
public func point(_ name: StaticString, _ system: any System) {
    #if FREEHOLD_POINTS
        system.point(name)
    #endif
}
