// The strip at the lower edge: connection, version, last commits with their processes, pause, and jobs.
import { h, fill, button, icon } from "./dom.js";
import { clockText, countText } from "./cells.js";
import { live, committer } from "./live.js";
import { panelButton } from "./menu.js";
import { app } from "./app.js";

const stateTexts = {
    connecting: "Connecting", live: "Live", paused: "Paused", lost: "Disconnected, trying again", ended: "The program has ended",
};

/** What a commit did, in words: "Person: +3 −1, Dog: 2 changed". */
function commitText(classes) {
    const part = ({ name, inserted, deleted, changed }) => [
        `${name}:`, inserted && `+${countText(inserted)}`, deleted && `−${countText(deleted)}`,
        changed && `${countText(changed)} changed`,
    ].filter(Boolean).join(" ");
    return classes.map(part).join(", ");
}

class StatusStrip extends HTMLElement {
    connectedCallback() {
        this.setAttribute("role", "contentinfo");
        this.state = h("span", { class: "connection", role: "status" });
        this.version = h("span", { class: "version" });
        this.last = panelButton({ text: "No commit yet", title: "Last commits", className: "commits", content: () => this.commitList() });
        this.jobs = h("span", { class: "jobs" });
        this.pause = h("span", {});
        this.notice = h("span", { class: "notice", role: "status" });
        this.append(this.state, this.version, this.last, this.jobs, this.notice, h("span", { class: "spring" }), this.pause,
            button({ icon: "help", quiet: true, title: "Keyboard and help (?)", press: () => app.emit("help") }));
        live.on("state", () => this.drawState());
        live.on("commit", (data) => this.committed(data));
        live.on("job", (job) => {
            if (job.kind === "import") this.notice.replaceChildren();
            this.drawJobs();
        });
        app.on("notice", ({ text, kind, action }) => {
            fill(this.notice, kind === "error" && icon("warning"), text, action && button({ ...action, quiet: true, class: "quiet" }));
            clearTimeout(this.clearing);
            this.clearing = setTimeout(() => this.notice.replaceChildren(), action ? 30_000 : 8000);
        });
        for (const type of ["schema", "routes", "active"]) app.on(type, () => this.drawVersion());
        this.drawState();
        this.drawVersion();
    }

    drawState() {
        const state = live.state === "live" && live.isPaused ? "paused" : live.state;
        document.body.dataset.connection = state;
        fill(this.state, h("span", { class: `dot ${state}` }), stateTexts[state]);
        fill(
            this.pause,
            button({
                icon: live.isPaused ? "play" : "pause", text: live.isPaused ? "Continue" : "Pause", quiet: true,
                title: "Follow commits, or hold still (Alt+P)", "aria-pressed": String(live.isPaused),
                press: () => live.setPaused(!live.isPaused),
            }),
        );
    }

    drawVersion() {
        const file = app.routes[app.active]?.file, schema = file && app.presentSchema(file);
        const version = this.versions?.get(file) ?? schema?.version;
        fill(this.version, version !== undefined && file ? `version ${countText(version)}` : "");
    }

    committed(data) {
        this.versions ??= new Map();
        this.versions.set(data.file, data.version);
        this.drawVersion();
        const commit = data.commits.at(-1);
        if (!commit) return;
        const label = this.last.querySelector("span");
        const more = data.commits.length + data.omitted - 1;
        fill(
            label, h("span", { class: "time" }, clockText(commit.time)), ` ${data.own ? "this tab" : committer(commit)}`,
            more > 0 && ` and ${countText(more)} more`, h("span", { class: "quiet" }, ` ${commitText(data.classes)}`),
        );
        this.last.classList.remove("fresh");
        requestAnimationFrame(() => this.last.classList.add("fresh"));
    }

    commitList() {
        return [h("header", {}, h("strong", {}, "Last commits")), live.commits.length
            ? h("ol", {}, live.commits.map((commit) => h("li", {}, h("span", { class: "time" }, clockText(commit.time)),
                h("span", { class: "name" }, commit.own ? "this tab" : committer(commit)),
                h(
                    "span", { class: "detail" },
                    `${app.state.files.length > 1 ? `${app.file(commit.file)?.name ?? ""} ` : ""}version ${countText(commit.version)}`,
                ),
                h("span", { class: "what" }, commit.with ? `with version ${countText(commit.with)}` : commitText(commit.classes)))))
            : h("p", { class: "quiet" }, "Commits by any process appear here.")];
    }

    drawJobs() {
        const shown = [...live.jobs.values()].filter((job) => job.state === "running" || (job.kind === "import" && !job.isSeen));
        fill(this.jobs, shown.map((job) => h("span", { class: "job" }, job.state === "running"
            ? [
                h("progress", { max: "1", value: job.total ? job.done / job.total : undefined, "aria-label": job.kind }),
                ` ${job.kind} ${job.place ?? ""}`,
            ]
            : [job.state === "failed" ? `Import failed: ${job.error?.message ?? job.error ?? ""}` : "Import done", button({ icon: "close",
                quiet: true, title: "Hide", press: () => {
                job.isSeen = true;
                this.drawJobs();
            } })])));
    }
}

customElements.define("fh-status", StatusStrip);
