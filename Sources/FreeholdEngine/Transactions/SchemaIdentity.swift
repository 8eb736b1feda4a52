/// Stands for the classes of a version: equal for snapshots of one open database between which no class changed.
///
/// Two that are not equal may have the same classes all the same; then comparing `Snapshot.classes` tells.
public struct SchemaIdentity: Equatable, Sendable {
    let schema: Schema

    public static func == (left: SchemaIdentity, right: SchemaIdentity) -> Bool { left.schema === right.schema }
}
