/// A file of no bytes: to SQLite and Realm a database of which nothing was written yet. It has no classes.
final class EmptySource: SourceStore {
    let format = "empty file"
    let classes: [SourceClass] = []
    let remarks: [SourceRemark] = []
    let identity = SourceIdentity(Array("empty".utf8))

    func objects(of place: Int, after key: Int64?) throws(SourceError) -> any SourceCursor {
        throw SourceError(.notThisFormat, "the file is empty")
    }

    func checkUnchanged() throws(SourceError) {}
}
