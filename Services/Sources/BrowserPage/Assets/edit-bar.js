// The staged edits of the active file: what they will do, their commit, conflicts with other processes, and undo.
import { h, fill, button, icon, announce } from "./dom.js";
import { post, filePath, tab } from "./requests.js";
import { cellText, counted } from "./cells.js";
import { operationText } from "./staged-edits.js";
import { app } from "./app.js";

class EditBar extends HTMLElement {
    connectedCallback() {
        this.setAttribute("role", "region");
        this.setAttribute("aria-label", "Staged edits");
        this.outcome = null;
        for (const type of ["edits", "active", "routes", "files"]) {
            app.on(type, () => {
                if (type === "edits") this.outcome = null;
                this.draw();
                if (type === "edits" && this.isOpen) this.preview();
            });
        }
        this.draw();
    }

    get file() { return app.routes[app.active]?.file; }

    draw() {
        const { file } = this;
        const edits = file && app.file(file) ? app.edits(file) : null, undo = file && app.undos.get(file);
        this.hidden = !edits || (edits.count === 0 && !undo);
        if (this.hidden) {
            this.isOpen = false;
            return;
        }
        if (edits.count === 0) this.isOpen = false;
        fill(this, this.isOpen && this.review(edits), h("div", { class: "edit-strip" },
            edits.count > 0
                ? [icon("edit"), h("strong", { role: "status" }, edits.text()), h("span", { class: "quiet" }, "staged, not committed"),
                    h("span", { class: "spring" }),
                    button({
                        text: this.isOpen ? "Hide" : "Review", quiet: true, "aria-expanded": String(this.isOpen),
                        title: "Show what the edits will do (Alt+R)", press: () => this.toggle(),
                    }),
                    button({ text: "Discard", quiet: true, danger: true, press: () => edits.clear() }),
                    button({
                        text: !this.isOpen && (edits.summary().bulk || edits.summary().deleted) ? "Review and commit" : "Commit",
                        primary: true, title: "Commit (Ctrl+S)", press: () => this.commit(),
                    })]
                : [icon("check"), h("span", { role: "status" }, `Committed as version ${undo.version}.`), h("span", { class: "spring" }),
                    undo.undo && button({ icon: "undo", text: "Undo", title: "Undo the last commit (Ctrl+Z)", press: () => this.undo() }),
                    button({ icon: "close", quiet: true, title: "Hide", press: () => {
                        app.undos.delete(file);
                        this.draw();
                    } })]));
    }

    toggle() {
        this.isOpen = !this.isOpen;
        this.draw();
        if (this.isOpen) this.preview();
    }

    review(edits) {
        const { outcome } = this;
        const conflicts = new Map((outcome?.conflicts ?? []).map((one) => [one.operation, one]));
        const errors = new Map((outcome?.errors ?? []).map((one) => [one.operation, one]));
        return h("div", { class: "review" },
            h("ol", { class: "operations", "aria-label": "Edits", tabindex: "0" }, edits.list.map((operation, index) => {
                const conflict = conflicts.get(index), error = errors.get(index);
                return h("li", { class: conflict || error ? "wrong" : "" },
                    h(
                        "span", { class: "what" }, operationText(operation, cellText),
                        operation.do === "set" && h("span", { class: "quiet" }, ` was ${cellText(operation.was)}`),
                    ),
                    button({ icon: "close", quiet: true, title: "Drop this edit", press: () => edits.remove(index) }),
                    error && h("p", { class: "mistake" }, icon("warning"), error.message),
                    conflict && h("p", { class: "mistake" }, icon("warning"),
                        `Another commit made it ${cellText(conflict.now)}; it was ${cellText(conflict.was)}.`,
                        button({ text: "Keep theirs", press: () => edits.remove(index) }),
                        button({ text: "Set mine", press: () => {
                            // A deletion has the cells of all properties.
                            const was = operation.do === "delete"
                                ? { ...operation.was, [conflict.property]: conflict.now } : conflict.now;
                            edits.list[index] = { ...operation, was };
                            edits.changed();
                        } })));
            })),
            h(
                "div", { class: "outcome", role: "status" },
                this.failure ? h("p", { class: "mistake" }, icon("warning"), this.failure) : outcome ? this.outcomeText(outcome)
                    : "Working out what they do…",
            ));
    }

    outcomeText(outcome) {
        const parts = [
            outcome.objects && `${counted(outcome.objects, "object")}, ${counted(outcome.properties, "property", "properties")}`,
            outcome.inserted && `${counted(outcome.inserted, "object")} inserted`,
            outcome.deleted && `${counted(outcome.deleted, "object")} deleted, including objects deleted by delete rules`,
            outcome.conflicts.length && counted(outcome.conflicts.length, "conflict"),
            outcome.errors.length && counted(outcome.errors.length, "error"),
            outcome.omitted && `${counted(outcome.omitted, "more conflict or error", "more conflicts and errors")}`].filter(Boolean);
        return [h(
            "p", {}, h("strong", {}, "One transaction: "), parts.join(" · ") || "no changes",
            !outcome.undoable && h("span", { class: "tag" }, "cannot be undone"),
        ),
            outcome.warning && h("p", { class: "mistake" }, icon("warning"), outcome.warning),
            h("ul", { class: "classes" }, outcome.changes.map((one) => h("li", {}, h("strong", {}, one.class),
                [
                    one.inserted && ` +${one.inserted}`, one.deleted && ` −${one.deleted}`, one.changed && ` ${one.changed} changed`,
                ].filter(Boolean).join(","))))];
    }

    async send(action, body) {
        const schema = await app.schema(this.file);
        return post(filePath(this.file, `edits/${action}`), { tab, stamp: schema.stamp, ...body });
    }

    async preview() {
        const edits = app.edits(this.file);
        if (!edits.count) return;
        this.failure = null;
        try {
            this.outcome = await this.send("preview", { operations: edits.operations() });
        } catch (error) {
            this.failed(error);
        }
        this.draw();
    }

    failed(error) {
        if (error.code === "schemaChanged") app.forgetSchema(this.file);
        const outcome = error.body?.outcome ?? (error.body?.conflicts ? error.body : null);
        this.outcome = outcome;
        this.failure = outcome?.conflicts?.length || outcome?.errors?.length ? null : error.message;
        this.isOpen = true;
    }

    async commit() {
        const { file } = this, edits = file && app.edits(file);
        if (!edits?.count || this.isBusy) return;
        const { bulk, deleted } = edits.summary();
        if ((bulk || deleted) && !this.outcome) {
            // What may concern many objects is shown before it is done.
            this.isOpen = true;
            this.draw();
            await this.preview();
            announce("This is what the edits will do. Commit again to do it.");
            return;
        }
        this.isBusy = true;
        try {
            const { outcome: seen } = this;
            const expected = seen && !seen.conflicts.length && !seen.errors.length
                ? { objects: seen.objects, inserted: seen.inserted, deleted: seen.deleted } : undefined;
            const outcome = await this.send("commit", { operations: edits.operations(), expected });
            this.setUndo(file, outcome);
            this.failure = null;
            app.notice(outcome.warning ?? "", outcome.warning ? "error" : "info");
            edits.clear();
            announce(`Committed as version ${outcome.version}`);
        } catch (error) {
            this.failed(error);
            announce(error.message);
        } finally {
            this.isBusy = false;
            this.draw();
        }
    }

    /** Drops the last staged edit, or undoes the last commit if none is staged. */
    async undo() {
        const { file } = this, undo = app.undos.get(file), edits = file && app.edits(file);
        if (edits?.count) {
            edits.remove(edits.count - 1);
            return;
        }
        if (!undo?.undo || this.isBusy) return;
        const outcome = await this.takeBack(file, undo.undo, "Not undone");
        if (outcome) {
            app.undos.delete(file);
            if (outcome.undo) app.redos.set(file, outcome.undo);
            app.notice(`Undone in version ${outcome.version}.`, "info", outcome.undo && {
                icon: "redo", text: "Redo", title: "Redo what was undone (Ctrl+Shift+Z)", press: () => this.redo(file),
            });
        }
        this.draw();
    }

    /** Undoes the last undo. */
    async redo(file = this.file) {
        const redo = app.redos.get(file);
        if (!redo || this.isBusy) return;
        const outcome = await this.takeBack(file, redo, "Not redone");
        if (outcome) {
            this.setUndo(file, outcome);
            app.notice("");
        }
        this.draw();
    }

    setUndo(file, outcome) {
        app.undos.set(file, { undo: outcome.undoable === false ? null : outcome.undo, version: outcome.version });
        app.redos.delete(file);
    }

    /** Undoes a commit; null if that failed, which is shown. */
    async takeBack(file, undo, failure) {
        this.isBusy = true;
        try {
            return await post(filePath(file, "edits/undo"), { tab, undo });
        } catch (error) {
            app.notice(error.code === "conflict" ? `${failure}: ${error.message}` : error.message, "error");
            return null;
        } finally {
            this.isBusy = false;
        }
    }
}

customElements.define("fh-edits", EditBar);
