import CPostgres
import Foundation
import FreeholdEngine

/// A connection to PostgreSQL. Calls wait for the database: they belong on a thread of their own, one at a time.
///
/// A statement is prepared when it is first run, and found by its text from then on.
public final class PostgresConnection {
    let raw: OpaquePointer
    private var prepared: [String: String] = [:]
    /// Seconds that a call waits for the server; nil for as long as it takes.
    private let limit: Int?
    private var isGivenUp = false

    /// Connects by a connection string or URI of libpq.
    ///
    /// - Parameter limit: seconds that a call waits for the server, at least 2; then the connection is lost. Not for `COPY`, nor for
    ///   statements with many parameters.
    /// - Throws: `.io` with what the server says.
    public init(_ address: String, limit: Int? = nil) throws(FreeholdError) {
        guard let raw = Self.connect(address, limit) else { throw FreeholdError(.io, "no memory for a connection to PostgreSQL") }
        self.raw = raw
        self.limit = limit
        guard PQstatus(raw) == CONNECTION_OK else {
            // `deinit` ends the connection.
            throw FreeholdError(.io, "cannot connect to PostgreSQL: \(String(cString: PQerrorMessage(raw)))")
        }
        PQsetNoticeProcessor(raw, { _, _ in }, nil)
    }

    deinit { PQfinish(raw) }

    private static func connect(_ address: String, _ limit: Int?) -> OpaquePointer? {
        guard let limit else { return PQconnectdb(address) }
        return "dbname".withCString { place in
            "connect_timeout".withCString { timeout in
                address.withCString { address in
                    "\(limit)".withCString { seconds in
                        // Safe: libpq reads them within the call; both arrays end with NULL.
                        let names: [UnsafePointer<CChar>?] = [place, timeout, nil], values = [address, seconds, nil]
                        return PQconnectdbParams(names, values, 1)
                    }
                }
            }
        }
    }

    /// Whether the connection still stands, as far as the last call knows.
    public var isAlive: Bool { PQstatus(raw) == CONNECTION_OK && !isGivenUp }

    /// Whether it leads to a hot standby.
    public var isReplica: Bool { get throws(FreeholdError) { try run("SELECT pg_is_in_recovery()").bool(0, 0) } }

    /// Runs statements without parameters, as a script.
    public func run(script: String) throws(FreeholdError) {
        let result = limit.map { awaited(PQsendQuery(raw, script), $0) } ?? PQexec(raw, script)
        PQclear(try checked(result, script))
    }

    /// Does something in a transaction of its own, which ends without effect if it throws.
    func transaction<Result>(_ body: () throws(FreeholdError) -> Result) throws(FreeholdError) -> Result {
        try run("BEGIN ISOLATION LEVEL READ COMMITTED")
        do throws(FreeholdError) {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            try? run(script: "ROLLBACK") // of a connection that is lost, the server has done it
            throw error
        }
    }

    /// Runs a statement, and waits for all its rows.
    @discardableResult
    public func run(_ statement: String, _ parameters: PostgresValue...) throws(FreeholdError) -> PostgresRows {
        try run(statement, parameters)
    }

    @discardableResult
    public func run(_ statement: String, _ parameters: [PostgresValue]) throws(FreeholdError) -> PostgresRows {
        let name = try prepare(statement, parameters)
        let result = Self.with(parameters) { values, lengths, formats in
            let count = Int32(parameters.count)
            guard let limit else { return PQexecPrepared(raw, name, count, values, lengths, formats, 1) }
            return awaited(PQsendQueryPrepared(raw, name, count, values, lengths, formats, 1), limit)
        }
        return PostgresRows(try checked(result, statement))
    }

    /// Runs a statement many times, with the parameters of each, in one exchange.
    public func run(_ statement: String, each parameters: [[PostgresValue]]) throws(FreeholdError) {
        guard let first = parameters.first else { return }
        let name = try prepare(statement, first)
        // What is sent while nobody reads the results would fill both buffers in the end: a part at a time.
        for start in stride(from: 0, to: parameters.count, by: 64) {
            try send(name, statement, parameters[start..<min(start + 64, parameters.count)])
        }
    }

    private func send(_ name: String, _ statement: String, _ parameters: ArraySlice<[PostgresValue]>) throws(FreeholdError) {
        guard PQenterPipelineMode(raw) == 1 else { throw failed(statement) }
        for one in parameters {
            let sent = Self.with(one) { values, lengths, formats in
                PQsendQueryPrepared(raw, name, Int32(one.count), values, lengths, formats, 1)
            }
            guard sent == 1 else { throw failed(statement) }
        }
        guard PQpipelineSync(raw) == 1 else { throw failed(statement) }
        var error: FreeholdError?, isAtEnd = false
        while !isAtEnd {
            guard let result = PQgetResult(raw) else {
                if PQstatus(raw) != CONNECTION_OK { throw failed(statement) }
                continue
            }
            switch PQresultStatus(result) {
            case PGRES_PIPELINE_SYNC: isAtEnd = true
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_PIPELINE_ABORTED: break
            default: error = error ?? Self.error(result, statement)
            }
            PQclear(result)
        }
        guard PQexitPipelineMode(raw) == 1 else { throw failed(statement) }
        if let error { throw error }
    }

    private func prepare(_ statement: String, _ parameters: [PostgresValue]) throws(FreeholdError) -> String {
        if let name = prepared[statement] { return name }
        let name = "s\(prepared.count)", types = parameters.map { Oid($0.type) }
        let count = Int32(types.count)
        let result = limit.map { awaited(PQsendPrepare(raw, name, statement, count, types), $0) }
            ?? PQprepare(raw, name, statement, count, types)
        PQclear(try checked(result, statement))
        prepared[statement] = name
        return name
    }

    /// The last result of what was sent; nil if it could not be sent, or does not come in time.
    private func awaited(_ sent: Int32, _ limit: Int) -> OpaquePointer? {
        guard sent == 1, !isGivenUp else { return nil }
        let deadline = ContinuousClock.now + .seconds(limit)
        var last: OpaquePointer?
        while true {
            while PQisBusy(raw) == 1 {
                let left = (deadline - .now) / .milliseconds(1)
                var place = pollfd(fd: PQsocket(raw), events: Int16(POLLIN), revents: 0)
                let found = left > 0 ? poll(&place, 1, Int32(left.rounded(.up))) : 0
                if found < 0, errno == EINTR { continue }
                guard found > 0, PQconsumeInput(raw) == 1 else {
                    PQclear(last)
                    isGivenUp = true
                    return nil
                }
            }
            guard let next = PQgetResult(raw) else { return last }
            PQclear(last)
            last = next
        }
    }

    private static func with<Result>(
        _ parameters: [PostgresValue], _ body: ([UnsafePointer<CChar>?], [Int32], [Int32]) -> Result
    ) -> Result {
        let binaries = parameters.map(\.binary)
        var bytes: [UInt8] = []
        for one in binaries { bytes += (one ?? []) + [0] }
        return bytes.withUnsafeBytes { all in
            var at = 0
            let values = binaries.map { one -> UnsafePointer<CChar>? in
                defer { at += (one?.count ?? 0) + 1 }
                // Safe: within the bytes, for the time of the call.
                return one == nil ? nil : all.baseAddress!.advanced(by: at).assumingMemoryBound(to: CChar.self)
            }
            return body(values, binaries.map { Int32($0?.count ?? 0) }, binaries.map { _ in 1 })
        }
    }

    // MARK: Errors

    private func checked(_ result: OpaquePointer?, _ statement: String) throws(FreeholdError) -> OpaquePointer {
        guard let result else { throw failed(statement) }
        let status = PQresultStatus(result)
        if status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK { return result }
        defer { PQclear(result) }
        throw Self.error(result, statement)
    }

    func failed(_ statement: String) -> FreeholdError {
        let reason = isGivenUp ? "it has not answered in \(limit ?? 0) seconds" : String(cString: PQerrorMessage(raw))
        return FreeholdError(.io, "the connection to PostgreSQL fails: \(reason) at: \(statement.prefix(200)); connect again")
    }

    static func error(_ result: OpaquePointer, _ statement: String) -> FreeholdError {
        let field = { (code: Int32) in PQresultErrorField(result, code).map { String(cString: $0) } ?? "" }
        let state = field(67)
        // Limits of PostgreSQL: columns of a table, the size of a row, and that of an entry of an index.
        if state == "54011" || state == "54000" && !field(77).contains("index") {
            return FreeholdError(.valueTooLarge, "PostgreSQL has no room for it: \(field(77)); use fewer or shorter ones")
        }
        if state == "54000" {
            let text = "a primary key or a unique value is too long for PostgreSQL, which takes some 2,600 bytes: \(field(77))"
            return FreeholdError(.valueTooLarge, "\(text); use a shorter one")
        }
        let isAgain = ["40001", "40P01", "55P03"].contains(state) // serialisation failure, deadlock, a lock that another has too long
        let advice = isAgain ? "do it again" : "see its log"
        let text = "PostgreSQL refuses a statement: \(field(77)) (\(state)) at: \(statement.prefix(200)); \(advice)"
        return FreeholdError(isAgain ? .busy : .io, text)
    }
}
