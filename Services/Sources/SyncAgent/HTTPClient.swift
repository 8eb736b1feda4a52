import CCurl
import FreeholdEngine
import Gzip
import Synchronization

/// Sends requests to a server, one at a time, over a connection that it keeps. For one thread.
///
/// What libcurl offers is used as it is: proxies of the environment, the system's certificates, HTTP/2 with TLS, compressed answers.
/// Bodies are compressed as gzip.
/// Redirects are not followed: a token is for one server.
final class HTTPClient {
    /// What a server has answered.
    struct Reply {
        var status = 0
        var body: [UInt8] = []
        /// Seconds that the server wants the client to wait; 0 if it says nothing.
        var retryAfter = 0.0
    }

    /// What a transfer shares with the callbacks of libcurl, and with the thread that ends it.
    final class Transfer: @unchecked Sendable {
        // Safe: `body` is changed by the thread of the transfer alone; the rest are atomics.
        fileprivate var body: [UInt8] = []
        fileprivate let limit: Int
        let isCancelled = Atomic(false)
        /// Whether anything of the answer has come.
        fileprivate let hasBegun = Atomic(false)

        /// Ends it if nothing of the answer has come: then it only waits.
        func cancelWaiting() { if !hasBegun.load(ordering: .relaxed) { isCancelled.store(true, ordering: .relaxed) } }

        init(limit: Int = .max) { self.limit = limit }
    }

    /// Bytes of a body from which on it is compressed: less goes into one packet of a network anyway.
    private static let worthCompressing = 1_200

    static let messageType = "application/vnd.freehold.sync"

    private let handle: OpaquePointer
    /// Seconds without a byte after which a connection counts as dead.
    private let silence: Int

    /// - Throws: `.outOfMemory`.
    init(silence: Int = 40) throws(FreeholdError) {
        Self.begin
        guard let made = curl_easy_init() else { throw FreeholdError(.outOfMemory, "no memory for a connection") }
        handle = OpaquePointer(made)
        self.silence = silence
    }

    deinit { curl_easy_cleanup(UnsafeMutableRawPointer(handle)) }

    private static let begin: Void = { curl_global_init(Int(CURL_GLOBAL_DEFAULT)) }()

    /// Sends a body, and gives the answer when it is whole.
    ///
    /// - Throws: `.io` with what libcurl says; `.busy` if the transfer was cancelled.
    func post(_ address: String, _ body: [UInt8], type: String = messageType, token: String?, _ transfer: Transfer)
        throws(FreeholdError) -> Reply
    {
        let curl = UnsafeMutableRawPointer(handle)
        curl_easy_reset(curl)
        transfer.body = []
        var lines = ["Content-Type: \(type)", "Expect:"], body = body
        if let token { lines.append("Authorization: Bearer \(token)") }
        if body.count >= Self.worthCompressing {
            body = try GzipWriter.compress(body, level: 6)
            lines.append("Content-Encoding: gzip")
        }
        var headers: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            headers = curl_slist_append(headers, line)
        }
        defer { curl_slist_free_all(headers) }
        for (option, text) in [
            (CURLOPT_URL, address), (CURLOPT_PROTOCOLS_STR, "http,https"), (CURLOPT_ACCEPT_ENCODING, ""),
            (CURLOPT_USERAGENT, "freehold-sync/0.1.0"),
        ] { try check(freehold_curl_set_text(curl, option, text)) }
        for (option, number) in [
            (CURLOPT_NOSIGNAL, 1), (CURLOPT_FOLLOWLOCATION, 0), (CURLOPT_CONNECTTIMEOUT, 10), (CURLOPT_LOW_SPEED_LIMIT, 1),
            (CURLOPT_LOW_SPEED_TIME, silence), (CURLOPT_TCP_KEEPALIVE, 1), (CURLOPT_NOPROGRESS, 0), (CURLOPT_POST, 1),
            (CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS)),
        ] { try check(freehold_curl_set_number(curl, option, number)) }
        try check(freehold_curl_set_headers(curl, headers))
        let context = Unmanaged.passUnretained(transfer).toOpaque()
        try check(freehold_curl_set_write(curl, Self.receive, context))
        try check(freehold_curl_set_progress(curl, Self.progress, context))
        // Safe: the body lives until the transfer has ended, and so does the context.
        let code = body.withUnsafeBytes { bytes in
            freehold_curl_set_body(curl, bytes.baseAddress ?? UnsafeRawPointer(context), bytes.count)
            return curl_easy_perform(curl)
        }
        if code == CURLE_ABORTED_BY_CALLBACK { throw FreeholdError(.busy, "the request was cancelled") }
        guard code == CURLE_OK else { throw FreeholdError(.io, "no answer from \(address): \(String(cString: curl_easy_strerror(code)))") }
        return Reply(status: freehold_curl_status(curl), body: transfer.body, retryAfter: freehold_curl_retry_after(curl))
    }

    private func check(_ code: CURLcode) throws(FreeholdError) {
        guard code != CURLE_OK else { return }
        throw FreeholdError(.io, String(cString: curl_easy_strerror(code)))
    }

    private static let receive: freehold_curl_write = { bytes, one, count, context in
        // Safe: libcurl gives back the context of the transfer under way, and so many bytes.
        let transfer = Unmanaged<Transfer>.fromOpaque(context!).takeUnretainedValue(), length = one * count
        guard transfer.body.count + length <= transfer.limit else { return 0 }
        transfer.hasBegun.store(true, ordering: .relaxed)
        transfer.body.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: length))
        return length
    }

    private static let progress: freehold_curl_progress = { context, _, _, _, _ in
        // Safe: as above.
        let transfer = Unmanaged<Transfer>.fromOpaque(context!).takeUnretainedValue()
        return transfer.isCancelled.load(ordering: .relaxed) ? 1 : 0
    }
}
