import CPostgres
import FreeholdEngine

extension PostgresConnection {
    /// Sends what one statement copies out to one that copies it in, on another connection.
    ///
    /// - Throws: `.io`. Then the transaction of the other connection has failed.
    func copyOut(_ statement: String, into other: PostgresConnection, _ otherStatement: String) throws(FreeholdError) {
        try begin(statement, PGRES_COPY_OUT)
        do throws(FreeholdError) {
            try other.begin(otherStatement, PGRES_COPY_IN)
        } catch {
            try? endCopy(statement)
            throw error
        }
        var failure: FreeholdError?
        var buffer: UnsafeMutablePointer<CChar>?
        while true {
            let count = PQgetCopyData(raw, &buffer, 0)
            if count <= 0 {
                if count == -2 { failure = failure ?? failed(statement) }
                break
            }
            // After a failure the rest is read, so that the connection can go on.
            if failure == nil, PQputCopyData(other.raw, buffer, count) != 1 { failure = other.failed(otherStatement) }
            PQfreemem(buffer)
        }
        let isEnded = PQputCopyEnd(other.raw, failure == nil ? nil : "the copy was given up") == 1
        if !isEnded { failure = failure ?? other.failed(otherStatement) }
        do throws(FreeholdError) {
            try endCopy(statement)
            try other.endCopy(otherStatement)
        } catch {
            throw failure ?? error
        }
        if let failure { throw failure }
    }

    /// Adds rows to a table: much faster than a statement for each.
    ///
    /// - Parameter table: its name and columns, `name (a, b)`.
    /// - Throws: as statements do.
    func copy(_ rows: some Sequence<[PostgresValue]>, into table: String) throws(FreeholdError) {
        let statement = "COPY \(table) FROM STDIN (FORMAT binary)"
        try begin(statement, PGRES_COPY_IN)
        var bytes = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + [UInt8](repeating: 0, count: 8), isSent = true
        for row in rows {
            bytes.append(big: Int16(row.count))
            for value in row { value.appendField(to: &bytes) }
            if bytes.count < Self.copiedAtOnce { continue }
            isSent = put(bytes)
            bytes.removeAll(keepingCapacity: true)
            if !isSent { break }
        }
        bytes.append(big: Int16(-1))
        if isSent { isSent = put(bytes) }
        if PQputCopyEnd(raw, nil) != 1 || !isSent { throw failed(statement) }
        try endCopy(statement)
    }

    private static let copiedAtOnce = 1 << 16

    private func put(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { all in
            // Safe: read within the call.
            PQputCopyData(raw, all.baseAddress!.assumingMemoryBound(to: CChar.self), Int32(all.count)) == 1
        }
    }

    private func begin(_ statement: String, _ status: ExecStatusType) throws(FreeholdError) {
        let result = PQexec(raw, statement)
        defer { PQclear(result) }
        guard PQresultStatus(result) == status else { throw failed(statement) }
    }

    /// Takes the results that end a copy.
    private func endCopy(_ statement: String) throws(FreeholdError) {
        var buffer: UnsafeMutablePointer<CChar>?
        while PQgetCopyData(raw, &buffer, 0) > 0 { PQfreemem(buffer) }
        var failure: FreeholdError?
        while let result = PQgetResult(raw) {
            if PQresultStatus(result) != PGRES_COMMAND_OK { failure = failure ?? Self.error(result, statement) }
            PQclear(result)
        }
        if let failure { throw failure }
    }
}
