import BrowserData
import FreeholdEngine
import HTTPTypes
import Hummingbird

extension Routes {
    func addChanges(to api: RouterGroup<Context>) {
        job(api, "check") { file, progress in try FileJobs.check(file, progress) }
        let key = options.encryptionKey
        job(api, "salvage") { file, progress in try FileJobs.salvage(file, file.isEncrypted ? key : nil, progress) }
        api.post("/files/:file/import") { request, context in
            let file = try file(context), asked = Parameters(request), tab = try tab(request)
            try file.requireWritable()
            let className = try asked.text("class"), format = try asked.text("format"), primaryKey = asked.optional("primaryKey")
            let spool = try await Spool.receive(request.body, limit: options.uploadLimit)
            let job = try browser.jobs.start("import", for: tab) { progress in
                try RecordImport.run(file, spool.descriptor, spool.count, into: className, format, primaryKey: primaryKey, progress)
            }
            return Answer.json(JSONOutput.object { $0.field("job", job) })
        }
    }

    func addEdits(to api: RouterGroup<Context>) {
        edit(api, "preview") { tab, file, body in try tab.preview(file, body) }
        edit(api, "commit") { tab, file, body in try tab.commit(file, body) }
        edit(api, "undo") { tab, file, body in
            guard let undo = body["undo"]?.string else { throw BrowserError(.malformedInput, "'undo' is missing") }
            return try tab.undo(file, undo)
        }
        api.post("/files/:file/uploads") { request, context in
            let file = try file(context), tab = try tab(request)
            let length = request.headers[.contentLength].flatMap { Int($0) }
            if let length, length > options.uploadLimit { throw tooLarge }
            try DiskRoom.require(length ?? 0, beside: file.path)
            let upload = try await tab.answer { try $0.beginUpload(file, length) }
            do {
                var count = 0
                for try await buffer in BodyReading(request.body) {
                    count += buffer.readableBytes
                    if count > options.uploadLimit { throw tooLarge }
                    try DiskRoom.require(buffer.readableBytes, beside: file.path)
                    let bytes = Array(buffer.readableBytesView)
                    try await tab.answer { try $0.write(bytes, to: upload, file) }
                }
                let bytes = try await tab.answer { try $0.finishUpload(upload, file) }
                return Answer.json(JSONOutput.object { output in
                    output.field("upload", upload)
                    output.field("bytes", bytes)
                })
            } catch {
                try? await tab.answer { $0.cancelUpload(upload, file) }
                throw error
            }
        }
    }

    private var tooLarge: BrowserError {
        BrowserError(.tooLarge, "more than \(options.uploadLimit) bytes; start the browser with a larger --upload-limit")
    }

    private func edit(
        _ api: RouterGroup<Context>, _ name: String, _ body: @escaping @Sendable (Tab, OpenFile, JSON) throws -> EditOutcome
    ) {
        api.post("/files/:file/edits/\(name)") { request, context in
            let asked = try await self.body(request), file = try file(context), tab = try browser.tab(asked["tab"]?.string ?? "")
            let outcome = try await tab.answer { try body($0, file, asked) }
            // What a preview finds is its answer.
            return name == "preview" ? Answer.json(Array(outcome.json.text.utf8)) : Self.answer(outcome)
        }
    }

    /// The outcome; with an error if nothing was changed because of it.
    private static func answer(_ outcome: EditOutcome) -> Response {
        let error: (code: String, message: String)? = switch outcome.status {
        case .previewed, .committed: nil
        case .conflict: ("conflict", outcome.warning ?? "another program has changed what this would change; nothing was committed")
        case .schemaChanged: ("schemaChanged", "the classes have changed; nothing was committed")
        case .refused: ("refused", outcome.errors.first?.message ?? "this cannot be done; nothing was committed")
        }
        guard let error, case .object(let members) = outcome.json else { return Answer.json(Array(outcome.json.text.utf8)) }
        let told = JSON.object(members + [.init("error", ["code": .string(error.code), "message": .string(error.message)])])
        return Answer.json(Array(told.text.utf8), status: .conflict)
    }

    private func job(
        _ api: RouterGroup<Context>, _ name: String, _ body: @escaping @Sendable (OpenFile, JobProgress) throws -> [UInt8]
    ) {
        api.post("/files/:file/\(name)") { request, context in
            let tab = try await browser.tab(self.body(request)["tab"]?.string ?? ""), file = try file(context)
            let job = try browser.jobs.start(name, for: tab) { progress in try body(file, progress) }
            return Answer.json(JSONOutput.object { $0.field("job", job) })
        }
    }
}
