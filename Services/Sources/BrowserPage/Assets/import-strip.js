// Import by drop: the strip that asks into which class a dropped file goes.
import { h, fill, button } from "./dom.js";
import { send, filePath, tab } from "./requests.js";
import { bytesText } from "./cells.js";
import { app } from "./app.js";

const formats = ["json", "jsonl", "csv", "tsv"];

/** Lets files be dropped on an element of a pane; `route` gives the pane's route. */
export function acceptDrops(element, route) {
    let depth = 0;
    const isFile = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
    const mark = () => element.classList.toggle("dropping", depth > 0);
    element.addEventListener("dragenter", (event) => {
        if (!isFile(event)) return;
        depth += 1;
        mark();
    });
    element.addEventListener("dragleave", (event) => {
        if (!isFile(event)) return;
        depth -= 1;
        mark();
    });
    element.addEventListener("dragover", (event) => { if (isFile(event)) event.preventDefault(); });
    element.addEventListener("drop", (event) => {
        if (!isFile(event)) return;
        event.preventDefault();
        depth = 0;
        mark();
        if (event.dataTransfer.files[0]) showImport(element, event.dataTransfer.files[0], route());
    });
}

/** Shows the strip for a file. */
export function showImport(element, file, route) {
    element.querySelector(".import")?.remove();
    if (!route.file) {
        app.notice("Open a file first.", "error");
        return;
    }
    if (!app.isWritable(route.file)) {
        app.notice("The file is read only. Start freehold-browse with --write to import.", "error");
        return;
    }
    const extension = file.name.split(".").at(-1).toLowerCase();
    const className = h("input", {
        value: route.class ?? file.name.replace(/\.[^.]*$/, ""), list: "import-classes", required: true, spellcheck: "false",
    });
    const format = h("select", {}, formats.map((one) => h("option", { value: one }, one)));
    format.value = formats.includes(extension) ? extension : extension === "ndjson" ? "jsonl" : "json";
    const primaryKey = h("input", { placeholder: "none", spellcheck: "false" });
    const key = () => { primaryKey.placeholder = app.classOf(route.file, className.value)?.primaryKey?.join(", ") || "none"; };
    className.addEventListener("input", key);
    key();
    const mistake = h("span", { class: "mistake", role: "alert" });
    const go = button({ text: "Import", primary: true, type: "submit" });
    const strip = h("form", { class: "strip import" }, h("strong", {}, file.name), h("span", { class: "quiet" }, bytesText(file.size)),
        h("label", {}, "into ", className),
        h(
            "datalist", { id: "import-classes" },
            (app.presentSchema(route.file)?.classes ?? []).map((one) => h("option", { value: one.name })),
        ),
        h("label", {}, "as ", format), h("label", {}, "primary key ", primaryKey), go, button({
            icon: "close", quiet: true, title: "Cancel", press: () => strip.remove(),
        }), mistake);
    strip.addEventListener("submit", async (event) => {
        event.preventDefault();
        go.disabled = true;
        fill(mistake, "");
        try {
            await send(
                filePath(route.file, "import"),
                { tab, class: className.value, format: format.value, primaryKey: primaryKey.value || undefined }, file,
            );
            strip.remove();
            app.notice(`Importing ${file.name}…`);
        } catch (error) {
            fill(mistake, error.message);
            go.disabled = false;
        }
    });
    element.querySelector(".pane-head").after(strip);
    className.focus();
}
