import BrowserData
import FreeholdEngine
import Hummingbird

extension Routes {
    func addChanges(to api: RouterGroup<Context>) {
        job(api, "check") { file, progress in try FileJobs.check(file, progress) }
        let key = options.encryptionKey
        job(api, "salvage") { file, progress in try FileJobs.salvage(file, file.isEncrypted ? key : nil, progress) }
        api.post("/files/:file/import") { request, context in
            let file = try file(context), asked = Parameters(request), tab = try tab(request)
            if let reason = file.readOnlyReason { throw BrowserError(.forbidden, reason) }
            let className = try asked.text("class"), format = try asked.text("format"), primaryKey = asked.optional("primaryKey")
            let spool = try await Spool.receive(request.body, limit: options.uploadLimit)
            let job = try browser.jobs.start("import", for: tab) { progress in
                try RecordImport.run(file, spool.descriptor, spool.count, into: className, format, primaryKey: primaryKey, progress)
            }
            return Answer.json(JSONOutput.object { $0.field("job", job) })
        }
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
