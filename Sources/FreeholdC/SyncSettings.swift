// Sync: what an agent shall do for a file, and how it goes.
//
// Safe throughout: what a callback receives lives until it returns, and it is called on the caller's thread, during the call; structures
// of the caller are read and filled as far as they say that they go.
import CFreehold
import FreeholdEngine

@c @implementation
public func freehold_sync_set_settings(
    _ database: OpaquePointer?, _ settings: UnsafePointer<freehold_sync_settings_t>?
) -> freehold_error_code_t {
    done {
        let given = try Sized.read(settings, or: freehold_sync_settings_t())
        guard let address = try given.address.optional("address") else {
            throw FreeholdError(.invalidArgument, "the server's address is needed; NULL was given")
        }
        let wanted = SyncSettings(address: address, token: try given.token.optional("token"),
                                  tokenFile: try given.token_file.optional("token file"), isWanted: !given.suspended)
        try Handles.database(database).setSyncSettings(wanted)
    }
}

@c @implementation
public func freehold_sync_settings(
    _ database: OpaquePointer?, _ callback: freehold_sync_settings_callback_t?, _ context: UnsafeMutableRawPointer?
) -> freehold_error_code_t {
    outcome {
        guard let settings = try Handles.database(database).syncSettings() else { return Outcome.absent }
        let memory = ValueMemory()
        var given = freehold_sync_settings_t()
        given.size = MemoryLayout<freehold_sync_settings_t>.size
        given.address = memory.text(settings.address)
        if let token = settings.token { given.token = memory.text(token) }
        if let file = settings.tokenFile { given.token_file = memory.text(file) }
        given.suspended = !settings.isWanted
        withExtendedLifetime(memory) { callback?(context, &given) }
        return Outcome.ok
    }
}

@c @implementation
public func freehold_sync_suspend(_ database: OpaquePointer?, _ suspended: Bool) -> freehold_error_code_t {
    done { try Handles.database(database).changeSyncSettings { $0.isWanted = !suspended } }
}

@c @implementation
public func freehold_sync_state(
    _ database: OpaquePointer?, _ state: UnsafeMutablePointer<freehold_sync_state_t>?
) -> freehold_error_code_t {
    done {
        let status = try Handles.database(database).syncStatus()
        var given = freehold_sync_state_t()
        given.connection = freehold_sync_connection_t(status.connection.number)
        (given.has_agent, given.pending) = (status.hasAgent, status.isPending)
        if let last = status.lastExchange { (given.exchanged, given.last_exchange) = (true, last.given) }
        try Sized.fill(state, with: given)
    }
}

@c @implementation
public func freehold_sync_issues(
    _ database: OpaquePointer?, _ callback: freehold_sync_issue_callback_t?, _ context: UnsafeMutableRawPointer?,
    _ count: UnsafeMutablePointer<UInt64>?
) -> freehold_error_code_t {
    done {
        let issues = try Handles.database(database).syncIssues()
        if let callback { for issue in issues { issue.tell(callback, context) } }
        give(UInt64(issues.count), to: count)
    }
}

@c @implementation
public func freehold_sync_download(_ database: OpaquePointer?, _ timeout_milliseconds: Int64) -> freehold_error_code_t {
    done { try Handles.database(database).downloadSync(timeoutMilliseconds: milliseconds(timeout_milliseconds)) }
}

extension SyncIssue {
    fileprivate func tell(_ callback: freehold_sync_issue_callback_t, _ context: UnsafeMutableRawPointer?) {
        let memory = ValueMemory()
        var given = freehold_sync_issue_t()
        given.size = MemoryLayout<freehold_sync_issue_t>.size
        given.date = date.given
        (given.code, given.what) = (memory.text(code), memory.text(what))
        (given.place, given.advice) = (memory.text(place), memory.text(advice))
        (given.class_name, given.primary_key) = (memory.text(className ?? ""), memory.text(primaryKey ?? ""))
        given.property = memory.text(property ?? "")
        withExtendedLifetime(memory) { callback(context, &given) }
    }
}

extension freehold_text_t {
    /// A string that may be left out.
    fileprivate func optional(_ what: String) throws(FreeholdError) -> String? {
        if bytes == nil, length == 0 { return nil }
        return try string(what)
    }
}

extension Timestamp {
    fileprivate var given: freehold_date_t { freehold_date_t(seconds: seconds, nanoseconds: nanoseconds) }
}

extension SyncState.Connection {
    /// The number that C has for it.
    fileprivate var number: Int {
        switch self {
        case .stopped: Int(FREEHOLD_SYNC_STOPPED)
        case .connecting: Int(FREEHOLD_SYNC_CONNECTING)
        case .connected: Int(FREEHOLD_SYNC_CONNECTED)
        case .refused: Int(FREEHOLD_SYNC_REFUSED)
        }
    }
}
