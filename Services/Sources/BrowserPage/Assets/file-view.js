// A file: its sizes, who holds which version and what that costs, the check and the salvage report.
import { h, fill, button, icon } from "./dom.js";
import { get, post, filePath, tab } from "./requests.js";
import { bytesText, countText, counted, durationText } from "./cells.js";
import { sizesView } from "./sizes-view.js";
import { live } from "./live.js";
import { app } from "./app.js";

class FileView extends HTMLElement {
    connectedCallback() {
        if (this.parts) return;
        this.lifetime = new AbortController();
        this.parts = {
            space: h("section", {}), holders: h("section", {}), sizes: h("section", {}), check: h("section", {}), salvage: h("section", {}),
        };
        this.append(h("div", { class: "sheet", tabindex: "-1" }, Object.values(this.parts)));
        this.results = {};
        this.jobs = {};
        live.on("job", (job) => this.jobChanged(job), this.lifetime.signal);
        live.on("commit", (data) => { if (data.file === this.route?.file) this.later(); }, this.lifetime.signal);
        this.timer = setInterval(() => { if (document.visibilityState === "visible" && !live.isPaused) this.loadInformation(); }, 3000);
    }

    disconnectedCallback() {
        this.lifetime.abort();
        clearInterval(this.timer);
    }

    async show(route) {
        const isSame = this.route?.file === route.file;
        this.route = route;
        if (isSame) return;
        this.results = {};
        this.jobs = {};
        fill(this.parts.space, h("p", { class: "quiet" }, "Reading…"));
        this.drawSizes(null);
        this.drawJob("check");
        this.drawJob("salvage");
        await this.loadInformation();
    }

    later() {
        clearTimeout(this.pending);
        this.pending = setTimeout(() => this.loadInformation(), 500);
    }

    async loadInformation() {
        const { file } = this.route;
        try {
            const information = await get(filePath(file, "information"));
            if (file !== this.route.file) return;
            this.drawSpace(information);
            this.drawHolders(information);
        } catch (error) {
            fill(this.parts.space, h("div", { class: "state" }, h("h2", {}, "The file could not be read"), h("p", {}, error.message)));
        }
    }

    drawSpace(information) {
        const file = app.file(this.route.file) ?? {};
        const parts = [
            ["used", "Used by the current version"], ["held", "Held for older versions"], ["reserved", "Reserved"],
            ["free", "Free for reuse"],
        ];
        const total = Math.max(1, information.size);
        const bar = h("div", { class: "space-bar", "aria-hidden": "true" }, parts.map(([name]) => {
            const part = h("span", { class: name });
            part.style.flexGrow = String(Math.max(0, information[name] ?? 0) / total);
            return part;
        }));
        const readOnly = file.readOnlyBecause ?? "read only; start with --write to edit";
        const access = app.isWritable(this.route.file) ? "may be edited here" : readOnly;
        const facts = [["Path", file.path], ["Size", bytesText(information.size)], ["Version", countText(information.version)],
            ["Durable version", information.durableVersion !== undefined ? countText(information.durableVersion) : null],
            ["Lost version", information.lostVersion ? countText(information.lostVersion) : null],
            ["Access", access],
            ["Encrypted", file.encrypted ? "yes" : "no"]].filter(([, value]) => value);
        fill(this.parts.space, h("h2", {}, file.name ?? "File"),
            h("dl", { class: "facts" }, facts.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))),
            bar, h(
                "ul", { class: "legend" },
                parts.map(
                    ([name, text]) => h(
                        "li", {}, h("span", { class: `swatch ${name}` }), h("span", {}, text),
                        h("span", { class: "count" }, bytesText(information[name] ?? 0)),
                    )
                ),
            ));
    }

    drawHolders(information) {
        const holders = [...information.holders].sort((one, other) => one.version - other.version);
        fill(this.parts.holders, h("h2", {}, "Who holds which version"),
            h(
                "p", { class: "quiet" },
                information.held > 0 ? `Versions that processes still read keep ${bytesText(information.held)} from being reused.`
                    : "No older version keeps space from being reused.",
            ),
            holders.length ? h("table", {}, h(
                "thead", {},
                h(
                    "tr", {},
                    [
                        "Version", "Behind", "Process", "Program", "Since", "Readers", "Remarks",
                    ].map((name) => h("th", { scope: "col" }, name)),
                ),
            ),
                h("tbody", {}, holders.map((one) => h("tr", {}, h("td", { class: "numeric" }, countText(one.version)),
                    h("td", { class: "numeric" }, countText(information.version - one.version)),
                    h("td", { class: "numeric" }, String(one.process)), h("td", {}, one.program),
                    h("td", { class: "numeric" }, durationText(one.milliseconds)), h("td", { class: "numeric" }, countText(one.readers)),
                    h(
                        "td", {}, one.isBrowser && h("span", { class: "tag" }, "this browser"),
                        one.parked && h("span", { class: "tag" }, "parked"),
                        Boolean(one.kept) && h("span", { class: "tag" }, one.kept > 1 ? `${countText(one.kept)} kept` : "kept"),
                    )))))
                : h("p", {}, "No process holds a version."));
    }

    drawSizes(sizes) {
        const load = button({ text: sizes ? "Read again" : "Read the sizes", press: async () => {
            load.disabled = true;
            try {
                this.drawSizes(await get(filePath(this.route.file, "sizes")));
            } catch (error) {
                app.notice(error.message, "error");
                load.disabled = false;
            }
        } });
        if (!sizes) {
            fill(
                this.parts.sizes, h("h2", {}, "Sizes by class and property"),
                h("p", { class: "quiet" }, "Reads the structure of the whole file."), load,
            );
            return;
        }
        fill(this.parts.sizes, h("h2", {}, "Sizes by class and property"), sizesView(sizes, load));
    }

    // Check and salvage

    async start(kind) {
        try {
            const { job } = await post(filePath(this.route.file, kind), { tab });
            this.jobs[kind] = job;
            const known = live.jobs.get(job);
            if (known) this.jobChanged(known);
            else this.drawJob(kind, { state: "running" });
        } catch (error) {
            app.notice(error.message, "error");
        }
    }

    jobChanged(job) {
        const kind = Object.keys(this.jobs).find((one) => this.jobs[one] === job.job);
        if (kind) this.drawJob(kind, job);
    }

    drawJob(kind, job) {
        const isRunning = job?.state === "running";
        const title = kind === "check" ? "Check" : "Salvage report";
        const about = kind === "check" ? "Reads every block, index and link, and reports problems."
            : "Salvages the file into one that is deleted again, and reports what a salvage would save and lose.";
        fill(this.parts[kind], h("h2", {}, title), h("p", { class: "quiet" }, about),
            button({
                text: isRunning ? "Running…" : kind === "check" ? "Check the file" : "Make the report", disabled: isRunning,
                press: () => this.start(kind),
            }),
            isRunning && h(
                "p", { class: "progress" },
                h("progress", { max: "1", value: job.total ? job.done / job.total : undefined, "aria-label": title }),
                job.place ? ` ${job.place}` : "",
            ),
            job?.state === "failed" && h(
                "p", { class: "mistake", role: "alert" }, icon("warning"), job.error?.message ?? String(job.error ?? "It failed.")
            ),
            job?.state === "done" && h(
                "div", { role: "status" }, kind === "check" ? this.checkResult(job.result) : this.salvageResult(job.result)
            ));
    }

    checkResult(result) {
        if (result.clean) return h("p", { class: "good" }, icon("check"), `No problems in version ${countText(result.version)}.`);
        return [h("p", { class: "mistake" }, icon("warning"), counted(result.problems.length, "problem")),
            h(
                "table", {}, h("thead", {}, h("tr", {}, ["Kind", "Place", "Message"].map((name) => h("th", { scope: "col" }, name)))),
                h(
                    "tbody", {},
                    result.problems.map((one) => h("tr", {}, h("td", {}, one.kind), h("td", {}, one.place), h("td", {}, one.message))),
                ),
            )];
    }

    salvageResult(result) {
        const lost = result.classes.reduce((sum, one) => sum + one.lost, 0);
        return [h(
            "p", { class: result.complete ? "good" : "mistake" }, icon(result.complete ? "check" : "warning"),
            result.complete ? "Everything can be read." : `${counted(lost, "object")} would be lost.`,
        ),
            h(
                "table", {}, h("thead", {}, h("tr", {}, ["Class", "Objects", "Lost"].map((name) => h("th", { scope: "col" }, name)))),
                h(
                    "tbody", {},
                    result.classes.map(
                        (one) => h(
                            "tr", {}, h("td", {}, one.name), h("td", { class: "numeric" }, countText(one.objects)),
                            h("td", { class: "numeric" }, countText(one.lost)),
                        )
                    ),
                ),
            ),
            result.notes?.length > 0 && h("ul", {}, result.notes.map((note) => h("li", {}, note)))];
    }
}

customElements.define("fh-file", FileView);
