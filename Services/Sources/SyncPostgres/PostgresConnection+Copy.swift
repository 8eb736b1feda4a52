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
            if PQresultStatus(result) != PGRES_COMMAND_OK { failure = failure ?? failed(statement) }
            PQclear(result)
        }
        if let failure { throw failure }
    }
}
