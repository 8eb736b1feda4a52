/// Identifies the classes of a version: equal for snapshots of one open database between which no class changed.
///
/// Two unequal identities may still have the same classes; comparing `Snapshot.classes` decides.
public struct SchemaIdentity: Equatable, Sendable {
    let schema: StoredSchema

    public static func == (left: SchemaIdentity, right: SchemaIdentity) -> Bool { left.schema === right.schema }
}
