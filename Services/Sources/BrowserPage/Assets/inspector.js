// One object: all its properties, its collections unfolded in place, what links to it, and the way that led here.
import { h, fill, button, copyText, icon } from "./dom.js";
import { address, download, getShown, filePath } from "./requests.js";
import { bytesText, kindOf, countText, isSameCell, cellOfValue, cellText, clockText } from "./cells.js";
import { typeName } from "./completion.js";
import { cellView, nouns } from "./cell-view.js";
import { cellEditor, isEditable } from "./cell-editor.js";
import { collectionView } from "./collection-view.js";
import { live, committer } from "./live.js";
import { shownCells } from "./staged-edits.js";
import { app } from "./app.js";

/** Events: "follow" {class, key}, "crumb" index, "close", "reveal" {class, key}, "query" {class, query}. */
class Inspector extends HTMLElement {
    connectedCallback() {
        if (this.head) return;
        this.head = h("header", { class: "inspector-head" });
        this.content = h("div", { class: "inspector-body" });
        this.append(this.head, this.content);
        this.unfolded = new Set();
        this.addEventListener("keydown", (event) => {
            if (event.key === "Escape" && !event.target.closest(".editor")) this.emit("close");
        });
    }

    emit(type, detail) { this.dispatchEvent(new CustomEvent(type, { detail })); }

    /** Shows an object of a file; `unfold` names a collection to open. */
    async show(file, target, trail = [], unfold = null) {
        const isSame = this.file === file && this.target?.key === target.key && this.target?.class === target.class;
        this.file = file;
        this.target = target;
        this.trail = trail;
        if (!isSame) {
            this.unfolded.clear();
            this.changedCells = new Set();
            this.object = null;
        }
        if (unfold) this.unfolded.add(unfold);
        await this.load();
        if (unfold) this.content.querySelector(`[data-property="${CSS.escape(unfold)}"]`)?.scrollIntoView({ block: "nearest" });
    }

    showNothing() {
        this.target = null;
        this.object = null;
        fill(
            this.head,
            h(
                "div", { class: "title-row" }, h("h2", { class: "quiet", tabindex: "-1" }, "No object"),
                button({ icon: "close", quiet: true, title: "Close (Escape)", press: () => this.emit("close") }),
            ),
        );
        fill(this.content, h("div", { class: "state" }, h("p", {}, "Choose a row to see all of its object.")));
    }

    async load(commit) {
        this.controller?.abort();
        const controller = new AbortController();
        this.controller = controller;
        const { file, target } = this, before = this.object;
        try {
            const [object] = await Promise.all([
                getShown(filePath(file, "object"), { class: target.class, key: target.key }, controller.signal), app.schema(file),
            ]);
            if (this.target !== target) return;
            this.changedCells = new Set();
            if (before && commit) object.cells.forEach((cell, index) => {
                if (!isSameCell(cell, before.cells[index])) this.changedCells.add(index);
            });
            this.commit = commit;
            this.object = object;
            if (
                before
                && JSON.stringify([
                    before.label, before.cells, before.backlinks,
                ]) === JSON.stringify([object.label, object.cells, object.backlinks])
            ) {
                for (const one of this.content.querySelectorAll(".property .elements")) one.reload();
                return;
            }
            this.draw();
        } catch (error) {
            if (error.name === "AbortError") return;
            this.object = null;
            this.drawHead(target.key, target.class);
            fill(
                this.content,
                h("div", { class: "state" }, h("p", {}, error.status === 404 ? "This object has been deleted." : error.message)),
            );
        }
    }

    /** A commit may have changed the object. An editor that is open stays; its conflict shows when it is committed. */
    committed(data) {
        if (!this.target || data.file !== this.file || this.content.querySelector(".editor")) return;
        this.load(data.commits.at(-1));
    }

    redraw() { if (this.object && !this.content.querySelector(".editor")) this.draw(); }

    drawHead(label, className) {
        const { target } = this;
        fill(this.head,
            this.trail.length > 0 && h("nav", { class: "crumbs", "aria-label": "The way here" }, h("ol", {},
                this.trail.map(
                    (step, index) => h(
                        "li", {},
                        h(
                            "button",
                            {
                                type: "button", class: "crumb", title: `${step.class} ${step.key}`,
                                onclick: () => this.emit("crumb", index),
                            },
                            `${step.class} ${step.key}`,
                        ),
                    )
                ))),
            h("div", { class: "title-row" },
                h("h2", { tabindex: "-1" }, label || target.key),
                button({
                    icon: "grid", quiet: true, title: "Show it in its class",
                    press: () => this.emit("reveal", { class: className, key: target.key }),
                }),
                button({ icon: "copy", quiet: true, title: "Copy the object as JSON", press: () => this.copy() }),
                button({
                    icon: "eye", quiet: true, title: "Watch the object",
                    press: () => live.watch({
                        file: this.file, class: className, key: target.key, name: label || `${className} ${target.key}`,
                    }),
                }),
                app.isWritable(this.file)
                    && button({
                        icon: "trash", quiet: true, title: "Stage its deletion",
                        press: () => app.edits(this.file).push({
                            do: "delete", class: className, key: target.key, label,
                            was: shownCells(app.classOf(this.file, className)?.properties ?? [], this.object?.cells ?? []),
                        }),
                    }),
                button({ icon: "close", quiet: true, title: "Close (Escape)", press: () => this.emit("close") })),
            h("p", { class: "subtitle" }, className, h("span", { class: "mono" }, ` ${target.key}`)));
    }

    draw() {
        const { object } = this, scrolled = this.content.scrollTop,
            focused = this.content.contains(document.activeElement) && document.activeElement.closest(".property")?.dataset.property;
        this.drawHead(object.label, object.class);
        const properties = app.classOf(this.file, object.class)?.properties ?? [];
        const isDeleted = app.edits(this.file).isDeleted(object.class, object.key);
        fill(this.content,
            isDeleted && h("p", { class: "banner" }, "Staged for deletion."),
            h("dl", { class: "properties" }, properties.map((property, index) => this.property(property, object.cells[index], index))),
            this.backlinks());
        this.content.scrollTop = scrolled;
        if (focused) this.content.querySelector(`[data-property="${CSS.escape(focused)}"] button`)?.focus();
    }

    property(property, cell, index) {
        const { object, file } = this, edits = app.edits(file);
        const staged = edits.valueOf(object.class, object.key, property.name);
        const shown = staged ? staged.cell : cell;
        const isConflict = staged && !isSameCell(staged.was, cell);
        const value = h("dd", {
            class: staged ? (isConflict ? "staged conflict" : "staged") : this.changedCells.has(index) ? "changed" : ""
        });
        if (
            this.changedCells.has(index) && this.commit
        ) value.title = `Changed by ${committer(this.commit)}, ${clockText(this.commit.time)}`;
        const isCollection = ["list", "set", "map"].includes(kindOf(shown)) && property.collections.length > 0;
        const canEdit = app.isWritable(file) && isEditable(property);
        const follow = (link) => this.emit("follow", link);
        const draw = () => {
            fill(value, h(
                "div", { class: kindOf(shown) === "cut" ? "cell long" : "cell" },
                isCollection ? this.unfoldButton(property, shown, value) : cellView(shown, { file, follow, isFocusable: true }),
            ),
                this.extras(property, shown, Boolean(staged), value),
                canEdit && button({ icon: "edit", quiet: true, class: "edit square quiet", title: `Edit ${property.name}`, press: edit }));
            if (isConflict) value.append(h("p", { class: "mistake" }, icon("warning"), `Another commit made it ${cellText(cell)}.`));
            if (isCollection && this.unfolded.has(property.name)) value.append(this.elements(property));
        };
        const edit = () => {
            fill(value, cellEditor({
                file, class: object.class, key: object.key, property, cell: shown, isWide: property.type === "string",
                stage: (given, show) => edits.set({
                    class: object.class, key: object.key, property: property.name, value: given, was: cell, show,
                }),
                done: (moved) => {
                    this.draw();
                    if (moved !== "blur") this.content.querySelector(`[data-property="${CSS.escape(property.name)}"] .edit`)?.focus();
                },
            }));
        };
        if (canEdit) value.addEventListener("dblclick", edit);
        draw();
        return h("div", { class: "property", dataset: { property: property.name } },
            h(
                "dt", { title: `${property.name} ${typeName(property)}` }, h("span", { class: "name" }, property.name),
                h("span", { class: "type" }, typeName(property)),
            ), value);
    }

    /** What more a value offers: the rest of a long text, a download, an embedded object to be created. */
    extras(property, cell, isStaged, value) {
        const { file, object } = this, kind = kindOf(cell), target = { class: object.class, key: object.key, property: property.name };
        if (isStaged) return null;
        if (property.isEmbedded && cell === null && app.isWritable(file)) {
            return button({
                icon: "add", text: "Create", quiet: true,
                press: () => app.edits(file).push({
                    do: "embed", ...target, values: {}, show: cellOfValue(property, { embedded: {} }), label: object.label,
                }),
            });
        }
        if (kind !== "cut" && !(kind === "data" && cell.data > 0)) return null;
        const size = kind === "cut" && h("span", { class: "size" }, bytesText(cell.bytes));
        return [size, kind === "cut" && button({ text: "Show all", quiet: true, class: "quiet more", press: (event) => {
            event.currentTarget.remove();
            this.showText(target, value.querySelector(".value"));
        } }), button({
            icon: "download", quiet: true, title: `Download ${property.name}`,
            press: () => download(address(filePath(file, "data"), target)),
        })];
    }

    /** Reads a long text piece by piece, up to a million bytes. */
    async showText(target, element) {
        let from = 0, text = "";
        try {
            do {
                const piece = await getShown(filePath(this.file, "text"), { ...target, from, length: 1 << 18 });
                text += piece.text;
                if (!piece.next || piece.next <= from || piece.next >= piece.bytes) break;
                from = piece.next;
            } while (from < 1_000_000);
            element.classList.add("whole");
            fill(element, text);
        } catch (error) {
            app.notice(error.message, "error");
        }
    }

    elements(property) {
        return collectionView({
            file: this.file, class: this.object.class, key: this.object.key, property, follow: (link) => this.emit("follow", link),
        });
    }

    unfoldButton(property, cell, value) {
        const kind = kindOf(cell), isOpen = this.unfolded.has(property.name), writable = app.isWritable(this.file);
        if (cell[kind] === 0 && !writable) return cellView(cell);
        const element = h("button", {
            type: "button", class: "collection unfold", "aria-expanded": String(isOpen), onclick: () => {
                if (this.unfolded.delete(property.name)) value.querySelector(".elements")?.remove();
                else {
                    this.unfolded.add(property.name);
                    value.append(this.elements(property));
                }
                element.setAttribute("aria-expanded", String(this.unfolded.has(property.name)));
            },
        }, h("span", { class: "count" }, countText(cell[kind])),
        h("span", { class: "items" }, cell[kind] === 1 ? nouns[kind] : kind === "map" ? "entries" : "elements"));
        return element;
    }

    backlinks() {
        const { object } = this;
        const total = object.backlinks.reduce((sum, one) => sum + one.count, 0);
        return h("section", { class: "backlinks" }, h("h3", {}, "Links to this object", h("span", { class: "count" }, countText(total))),
            object.backlinks.filter((one) => one.count).map((one) => this.backlink(one)),
            total === 0 && h("p", { class: "quiet" }, "None"));
    }

    backlink(source) {
        const list = h("ol", { class: "linking" });
        let loaded = 0;
        const more = button({ text: "Show more", quiet: true, press: () => load() });
        const load = async () => {
            const answer = await getShown(filePath(this.file, "backlinks"), {
                class: this.object.class, key: this.object.key, fromClass: source.class, property: source.property, from: loaded, count: 30,
            }).catch((error) => ({ objects: [], count: 0, error }));
            for (const one of answer.objects) list.append(
                h("li", {}, cellView({ link: one }, { file: this.file, follow: (link) => this.emit("follow", link), isFocusable: true }))
            );
            loaded += answer.objects.length;
            more.hidden = loaded >= answer.count;
        };
        const toggle = h("button", {
            type: "button", class: "unfold", "aria-expanded": "false", onclick: () => {
                const isOpen = toggle.getAttribute("aria-expanded") === "true";
                toggle.setAttribute("aria-expanded", String(!isOpen));
                body.hidden = isOpen;
                if (!loaded) load();
            },
        }, h("span", { class: "name" }, `${source.class}.${source.property}`), h("span", { class: "count" }, countText(source.count)));
        const body = h("div", { hidden: true }, list, more);
        return h("div", { class: "backlink" }, h("div", { class: "backlink-head" }, toggle,
            button({
                icon: "search", quiet: true, title: `Query ${source.class} for them`, press: () => this.emit("query", source),
            })), body);
    }

    copy() {
        const properties = app.classOf(this.file, this.object?.class)?.properties ?? [];
        if (!this.object) return;
        const plain = (cell) => {
            const kind = kindOf(cell);
            if (kind === "null" || kind === "bool" || kind === "text") return cell;
            return cellText(cell);
        };
        copyText(
            JSON.stringify(
                Object.fromEntries(properties.map((property, index) => [property.name, plain(this.object.cells[index])])), null, 2
            )
        );
    }
}

customElements.define("fh-inspector", Inspector);
